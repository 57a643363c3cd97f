/**
 * Calls `change` until nothing is left to do.
 *
 * @param batch a call that changes fewer was the last one
 * @param change returns how many it changed
 * @returns how many all calls changed
 */
export async function inBatches(batch: number, change: () => Promise<number>, signal?: AbortSignal): Promise<number> {
  for (let total = 0; ;) {
    const changed = await change();
    total += changed;
    if (changed < batch) return total;
    signal?.throwIfAborted();
  }
}
