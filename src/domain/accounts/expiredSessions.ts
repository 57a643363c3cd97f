import { execute, type NoParams, type Sql, statement } from '../../db/sql.js';

const BATCH = 5_000;

const FORGET = statement<NoParams, { removed: number }>(
  'account-forget-sessions',
  `
    with gone as (
      delete from auth.session where ctid = any (array(
        select ctid from auth.session where "expiresAt" < now() limit ${BATCH}))
      returning 1
    )
    select count(*)::int as removed from gone`,
);

/**
 * Deletes sessions that have expired, in batches. They name the network and the browser of somebody who may never sign in
 * again. @returns how many
 */
export async function forgetExpiredSessions(sql: Sql, signal?: AbortSignal): Promise<number> {
  for (let count = 0; ;) {
    signal?.throwIfAborted();
    const [row] = await execute(sql, FORGET);
    count += row!.removed;
    if (row!.removed < BATCH) return count;
  }
}
