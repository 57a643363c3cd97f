import type { Sql } from '../../../db/sql.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { walkStore } from '../../media/objects/storeWalk.js';

export interface StoredFiles {
  /** Sources, posters and runs that the database records and the store has, with the bytes recorded. */
  readonly complete: number;
  /** Keys of those that are missing, or have other bytes; the first of them. */
  readonly wrong: readonly string[];
  readonly wrongCount: number;
}

const MAX_NAMED = 20;

/** Compares everything the database records with the store. Objects that no row names are no fault: nights remove them. */
export async function checkStoredFiles(sql: Sql, store: ObjectStore): Promise<StoredFiles> {
  const wrong: string[] = [];
  let [complete, wrongCount] = [0, 0];
  for await (const { known, there } of walkStore({ sql, store }, new AbortController().signal)) {
    if (known === null) continue;
    if ([...known.units].every(([key, sizeBytes]) => there?.units.get(key) === sizeBytes)) complete += 1;
    else if ((wrongCount += 1) <= MAX_NAMED) wrong.push(known.group.key);
  }
  return { complete, wrong, wrongCount };
}
