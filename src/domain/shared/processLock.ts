import type { Database, Sql, Statement } from '../../db/sql.js';

/** Advisory locks of the whole database: any numbers, as long as they differ. Its set-up has 7,140,911 and 7,140,912. */
const PROCESS_LOCKS = {
  seals: 7_140_913,
  storeMove: 7_140_914,
  alerts: 7_140_915,
  signingKeys: 7_140_916,
} as const;

export type ProcessLock = keyof typeof PROCESS_LOCKS;

/** The session waits, and then says nothing for as long as the work takes: it must not be ended for that. */
const NO_TIMEOUTS: Statement = {
  name: 'process-lock-timeouts',
  text: `select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
};

const LOCK: Statement = { name: 'process-lock', text: 'select pg_advisory_xact_lock($1)' };
const TRY_LOCK: Statement = { name: 'process-try-lock', text: 'select pg_try_advisory_xact_lock($1) as taken' };

/** Until the end of the transaction, which waits for whoever has it. */
export async function takeProcessLock(sql: Sql, lock: ProcessLock): Promise<void> {
  await sql.query(LOCK, [PROCESS_LOCKS[lock]]);
}

/**
 * One at a time, of all processes. A transaction that reads nothing holds the lock, and dies with its process; `work`
 * uses transactions of its own.
 */
export function withProcessLock<T>(db: Database, lock: ProcessLock, work: () => Promise<T>): Promise<T> {
  return db.transaction(async ({ sql }) => {
    await sql.query(NO_TIMEOUTS);
    await takeProcessLock(sql, lock);
    return work();
  });
}

/** The same, but `null` at once where somebody else is at it. */
export function ifProcessLockIsFree<T>(db: Database, lock: ProcessLock, work: () => Promise<T>): Promise<T | null> {
  return db.transaction(async ({ sql }) => {
    await sql.query(NO_TIMEOUTS);
    const [row] = await sql.query<{ taken: boolean }>(TRY_LOCK, [PROCESS_LOCKS[lock]]);
    return row?.taken ? work() : null;
  });
}
