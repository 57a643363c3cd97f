import { inBatches } from './inBatches.js';

/** How many rows without a partition one call deletes of each table, as `keep_parts` in the database has it. */
const PART_BATCH = 10_000;

/**
 * Calls `keep` until nothing is left to do: it makes and drops partitions, and deletes one batch of expired rows that have
 * none.
 *
 * @param keep returns how many partitions and rows it made, dropped or deleted
 */
export function keepParts(keep: () => Promise<number>, signal?: AbortSignal): Promise<number> {
  return inBatches(PART_BATCH, keep, signal);
}
