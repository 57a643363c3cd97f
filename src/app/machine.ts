import { availableParallelism, totalmem } from 'node:os';

/** An encode of several rungs keeps about four cores busy. */
const CORES_PER_ENCODE = 4;
/** The rest is for this process, for reading files, and for whoever else is there. */
const MEMORY_SHARE = 2 / 3;

/** How many films this machine encodes at once with profit. */
export function ownConcurrency(): number {
  return Math.max(1, Math.floor(availableParallelism() / CORES_PER_ENCODE));
}

/** What encodes may take together, of the machine's memory or of the limit that its control group sets. */
export function ownMemoryBytes(): number {
  // 0 and absurdly much both say that there is no limit.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(limit, totalmem()) * MEMORY_SHARE);
}
