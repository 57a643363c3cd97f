import type pg from 'pg';

/**
 * How many statements of a database wait for a lock.
 *
 * @param connection not within a transaction, which would see the same activity until its end
 * @param like a pattern of their text
 */
export async function statementsWaiting(connection: pg.Pool | pg.Client, like = '%'): Promise<number> {
  const { rows } = await connection.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
    [like],
  );
  return rows[0]!.waiting;
}
