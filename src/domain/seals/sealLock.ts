import type { Database, Statement } from '../../db/sql.js';

/** Any number; no other advisory lock has it. */
const SEAL_LOCK = 7_140_913;

const PATIENCE: Statement = {
  name: 'seal-lock-patience',
  text: `select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
};

const LOCK: Statement = { name: 'seal-lock', text: `select pg_advisory_xact_lock(${SEAL_LOCK})` };
const TRY_LOCK: Statement = {
  name: 'seal-try-lock',
  text: `select pg_try_advisory_xact_lock(${SEAL_LOCK}) as taken`,
};

/**
 * One at a time, of all processes: who seals, and who compares the seals with the archive (a block is in the database
 * a moment before its head is in the archive). A transaction that reads nothing holds the lock, and dies with its
 * process; `work` uses transactions of its own.
 */
export function withSealLock<T>(db: Database, work: () => Promise<T>): Promise<T> {
  return db.transaction(async ({ sql }) => {
    await sql.query(PATIENCE);
    await sql.query(LOCK);
    return work();
  });
}

/** The same, but `null` at once where somebody else is at it. */
export function ifSealLockIsFree<T>(db: Database, work: () => Promise<T>): Promise<T | null> {
  return db.transaction(async ({ sql }) => {
    await sql.query(PATIENCE);
    const [row] = await sql.query<{ taken: boolean }>(TRY_LOCK);
    return row?.taken ? work() : null;
  });
}
