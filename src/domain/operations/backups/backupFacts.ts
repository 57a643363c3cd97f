import { execute, type NoParams, type Sql, statement } from '../../../db/sql.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { walkStore } from '../../media/objects/storeWalk.js';

/** What the database holds. */
export interface BackupFacts {
  readonly accounts: number;
  readonly videos: number;
  readonly postings: number;
  readonly entries: number;
  readonly sealedBlocks: number;
  /** Names, in order. */
  readonly migrations: readonly string[];
}

type Counts = Record<Exclude<keyof BackupFacts, 'migrations' | 'sealedBlocks'> | 'sealed_blocks', string>;

const COUNTS = statement<NoParams, Counts>(
  'backup-counts',
  `
    select (select count(*) from account) as accounts, (select count(*) from video) as videos,
      (select count(*) from ledger_tx) as postings, (select count(*) from ledger_entry) as entries,
      (select coalesce(max(block_no), 0) from ledger_seal) as sealed_blocks`,
);

const MIGRATIONS = statement<NoParams, { name: string }>(
  'backup-migrations',
  'select name from mikro_orm_migrations order by id',
);

export async function readBackupFacts(sql: Sql): Promise<BackupFacts> {
  const [counts] = await execute(sql, COUNTS);
  const migrations = (await execute(sql, MIGRATIONS)).map(({ name }) => name);
  const { accounts, videos, postings, entries, sealed_blocks: sealedBlocks } = counts!;
  return {
    accounts: Number(accounts),
    videos: Number(videos),
    postings: Number(postings),
    entries: Number(entries),
    sealedBlocks: Number(sealedBlocks),
    migrations,
  };
}

/** What the books of a restored database have less of than the backup counted: one line each. Books only grow. */
export function lostSince(backup: BackupFacts, restored: BackupFacts): string[] {
  return (['postings', 'entries', 'sealedBlocks'] as const)
    .filter((what) => restored[what] < backup[what])
    .map((what) => `${what}: ${restored[what]}, and the backup counted ${backup[what]}`);
}

interface StoredFiles {
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
