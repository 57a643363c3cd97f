import type { Sql } from '../../../src/db/sql.js';

/**
 * How many deadlocks PostgreSQL has ended in this database so far. A deadlock that is retried, or whose error nobody
 * sees, still counts: PostgreSQL waits a second before it looks for one, and reports it when its transaction has ended.
 */
export async function deadlocks(sql: Sql): Promise<string> {
  // A backend's counters become visible with a delay, unless it is told to flush.
  await sql.query({ name: 'deadlocks-flush', text: 'select pg_stat_force_next_flush()' });
  const [row] = await sql.query<{ deadlocks: string }>({
    name: 'deadlocks-count',
    text: 'select deadlocks from pg_stat_database where datname = current_database()',
  });
  return row!.deadlocks;
}
