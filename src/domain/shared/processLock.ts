import { type Database, execute, type Sql, statement } from '../../db/sql.js';

/**
 * Keys of database-wide advisory locks. They only need to differ; the database's set-up uses 7,140,911 and 7,140,912.
 */
const PROCESS_LOCKS = {
  seals: 7_140_913,
  storeMove: 7_140_914,
  alerts: 7_140_915,
  signingKeys: 7_140_916,
  backup: 7_140_917,
  storeHold: 7_140_918,
  accountImport: 7_140_919,
} as const;

export type ProcessLock = keyof typeof PROCESS_LOCKS;

/** The session waits and then idles for as long as the work takes, so timeouts must not end it. */
const NO_TIMEOUTS = statement(
  'process-lock-timeouts',
  `select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
);

const LOCK = statement<{ key: number }>('process-lock', 'select pg_advisory_xact_lock(:key)');
const TRY_LOCK = statement<{ key: number }, { taken: boolean }>(
  'process-try-lock',
  'select pg_try_advisory_xact_lock(:key) as taken',
);

const TRY_SHARED_LOCK = statement<{ key: number }, { taken: boolean }>(
  'process-try-shared-lock',
  'select pg_try_advisory_xact_lock_shared(:key) as taken',
);

/** Holds the lock until the transaction ends. Waits for the current holder. */
export async function takeProcessLock(sql: Sql, lock: ProcessLock): Promise<void> {
  await execute(sql, LOCK, { key: PROCESS_LOCKS[lock] });
}

/**
 * Runs `work` in one process at a time. A transaction that reads nothing holds the lock, and the lock ends with its
 * process. `work` uses its own transactions.
 */
export function withProcessLock<T>(db: Database, lock: ProcessLock, work: () => Promise<T>): Promise<T> {
  return db.transaction(async ({ sql }) => {
    await execute(sql, NO_TIMEOUTS);
    await takeProcessLock(sql, lock);
    return work();
  });
}

/** Like `withProcessLock`, but returns `null` at once if another process holds the lock. */
export function ifProcessLockIsFree<T>(db: Database, lock: ProcessLock, work: () => Promise<T>): Promise<T | null> {
  return db.transaction(async ({ sql }) => {
    await execute(sql, NO_TIMEOUTS);
    const [row] = await execute(sql, TRY_LOCK, { key: PROCESS_LOCKS[lock] });
    return row?.taken ? work() : null;
  });
}

/**
 * Runs `work`, which deletes objects of the store that rows may have named a moment ago, unless a backup holds them
 * (`holdStore`). Then returns `null` at once: the sweep tries again later.
 */
export function ifStoreIsNotHeld<T>(db: Database, work: () => Promise<T>): Promise<T | null> {
  return db.transaction(async ({ sql }) => {
    await execute(sql, NO_TIMEOUTS);
    const [row] = await execute(sql, TRY_SHARED_LOCK, { key: PROCESS_LOCKS.storeHold });
    return row?.taken ? work() : null;
  });
}

/**
 * While `work` runs, nobody deletes objects of the store that rows named when it began. So a copy of the database made
 * first and a copy of the store made afterwards fit together. Waits for deletions that are under way.
 */
export function holdStore<T>(db: Database, work: () => Promise<T>): Promise<T> {
  return withProcessLock(db, 'storeHold', work);
}
