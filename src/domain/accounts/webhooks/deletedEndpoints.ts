import { execute, type NoParams, type Sql, statement } from '../../../db/sql.js';

const BATCH = 5_000;

const FORGET = statement<NoParams, { removed: number | null }>(
  'webhook-forget-log',
  `select forget_webhook_log(${BATCH}) as removed`,
);

/**
 * Deletes the deliveries and attempts of endpoints that were deleted more than an hour ago, in batches.
 *
 * @returns how many rows
 */
export async function forgetDeletedEndpoints(sql: Sql, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const [row] = await execute(sql, FORGET);
    if (row!.removed === null) return count;
    count += row!.removed;
  }
}
