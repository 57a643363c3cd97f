import { type Database, execute, type Sql, statement } from '../../db/sql.js';

/** Advisory locks of the whole database: any numbers, as long as they differ. Its set-up has 7,140,911 and 7,140,912. */
const PROCESS_LOCKS = {
  seals: 7_140_913,
  storeMove: 7_140_914,
  alerts: 7_140_915,
  signingKeys: 7_140_916,
} as const;

export type ProcessLock = keyof typeof PROCESS_LOCKS;

/** The session waits, and then says nothing for as long as the work takes: it must not be ended for that. */
const NO_TIMEOUTS = statement(
  'process-lock-timeouts',
  `select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
);

const LOCK = statement<{ key: number }>('process-lock', 'select pg_advisory_xact_lock(:key)');
const TRY_LOCK = statement<{ key: number }, { taken: boolean }>(
  'process-try-lock',
  'select pg_try_advisory_xact_lock(:key) as taken',
);

/** Until the end of the transaction, which waits for whoever has it. */
export async function takeProcessLock(sql: Sql, lock: ProcessLock): Promise<void> {
  await execute(sql, LOCK, { key: PROCESS_LOCKS[lock] });
}

/**
 * One at a time, of all processes. A transaction that reads nothing holds the lock, and dies with its process; `work`
 * uses transactions of its own.
 */
export function withProcessLock<T>(db: Database, lock: ProcessLock, work: () => Promise<T>): Promise<T> {
  return db.transaction(async ({ sql }) => {
    await execute(sql, NO_TIMEOUTS);
    await takeProcessLock(sql, lock);
    return work();
  });
}

/** The same, but `null` at once where somebody else is at it. */
export function ifProcessLockIsFree<T>(db: Database, lock: ProcessLock, work: () => Promise<T>): Promise<T | null> {
  return db.transaction(async ({ sql }) => {
    await execute(sql, NO_TIMEOUTS);
    const [row] = await execute(sql, TRY_LOCK, { key: PROCESS_LOCKS[lock] });
    return row?.taken ? work() : null;
  });
}
