import { execute, type Sql } from '../../../db/sql.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { LOWEST_ID } from '../../shared/ids.js';
import * as statements from './remeasure.sql.js';
import { groupOf, measure, type Group, type Measured } from './storeUnits.js';

/** The first segment of all keys of videos. */
export const ROOTS = ['posters', 'sources', 'videos'] as const;

/** What the rows record for one group: bytes per unit. */
export interface Recorded {
  readonly group: Group;
  readonly units: ReadonlyMap<string, bigint>;
}

/** One group in the store and in the rows; at least one is not `null`. */
export interface WalkedGroup {
  readonly there: Measured | null;
  readonly known: Recorded | null;
}

/**
 * Walks the whole store and the rows that should describe it, both in key order, so neither is held in memory as a
 * whole. Stops early when `signal` aborts.
 */
export async function* walkStore(
  deps: { sql: Sql; store: ObjectStore },
  signal: AbortSignal,
): AsyncGenerator<WalkedGroup> {
  for (const root of ROOTS) yield* walkRoot(deps, root, signal);
}

/** Whether the store has nothing of any video. */
export async function isEmptyStore(store: ObjectStore): Promise<boolean> {
  for (const root of ROOTS) {
    for await (const _ of store.list(`${root}/`)) return false;
  }
  return true;
}

/** What the store currently has of one group. */
export async function measureGroup(store: ObjectStore, group: Group): Promise<Measured | null> {
  const measured = measure(store.list(group.key));
  const first = await nextOf(measured);
  await measured.return(undefined);
  return first?.group.key === group.key ? first : null;
}

async function* walkRoot(
  { sql, store }: { sql: Sql; store: ObjectStore },
  root: string,
  signal: AbortSignal,
): AsyncGenerator<WalkedGroup> {
  const measured = measure(store.list(`${root}/`));
  const recorded = recordedGroups(sql, root);
  try {
    let [there, known] = [await nextOf(measured), await nextOf(recorded)];
    while (!signal.aborted && (there ?? known)) {
      const key = [there?.group.key, known?.group.key].filter((each) => each !== undefined).toSorted()[0];
      const [isThere, isKnown] = [there?.group.key === key, known?.group.key === key];
      yield { there: isThere ? there : null, known: isKnown ? known : null };
      if (isThere) there = await nextOf(measured);
      if (isKnown) known = await nextOf(recorded);
    }
  } finally {
    await measured.return(undefined);
    await recorded.return(undefined);
  }
}

async function* recordedGroups(sql: Sql, root: string): AsyncGenerator<Recorded> {
  let current: { group: Group; units: Map<string, bigint> } | null = null;
  let rows: { account_id: string; key: string; size_bytes: string }[];
  let after = { afterAccount: LOWEST_ID, afterKey: '' };
  do {
    rows = await execute(sql, statements.LIVE_ROWS, { root, ...after });
    for (const row of rows) {
      after = { afterAccount: row.account_id, afterKey: row.key };
      const group = groupOf(row.key);
      if (current !== null && current.group.key !== group.key) yield current;
      if (current?.group.key !== group.key) current = { group, units: new Map() };
      current.units.set(row.key, BigInt(row.size_bytes));
    }
  } while (rows.length === statements.ROWS_PER_PAGE);
  if (current !== null) yield current;
}

async function nextOf<T>(walk: AsyncGenerator<T>): Promise<T | null> {
  const next = await walk.next();
  return next.done === true ? null : next.value;
}
