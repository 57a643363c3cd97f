import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

/** An encode of several renditions keeps about four cores busy. */
const CORES_PER_ENCODE = 4;
/** The rest is for this process, for reading files, and for whoever else is there. */
const MEMORY_SHARE = 2 / 3;

/** How many videos this machine encodes at once with profit. */
export function ownConcurrency(): number {
  return Math.max(1, Math.floor(availableParallelism() / CORES_PER_ENCODE));
}

/** What encodes may take together, of the machine's memory or of the limit that its control group sets. */
export function ownMemoryBytes(): number {
  // 0 and absurdly much both say that there is no limit.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(limit, totalmem()) * MEMORY_SHARE);
}

const MOST_CONNECTIONS = 10_000;
/** The rest is for files: each answer may have one open. */
const FILES_SHARE = 1 / 2;

/** How many connections this process may hold, of the files that it may open. */
export function ownMaxConnections(): number {
  return Math.min(MOST_CONNECTIONS, Math.floor(openFilesLimit() * FILES_SHARE));
}

/** Node raises it to the most that it may have. Elsewhere than on Linux it is not looked up. */
function openFilesLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
