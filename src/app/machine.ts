import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

/** An encode of several renditions keeps about four cores busy. */
const CORES_PER_ENCODE = 4;
/** The rest is for this process, the file cache, and other programs. */
const MEMORY_SHARE = 2 / 3;

/** How many videos this machine can usefully encode at once. */
export function ownConcurrency(): number {
  return Math.max(1, Math.floor(availableParallelism() / CORES_PER_ENCODE));
}

/** Memory that all encodes together may use, out of the machine's memory or its control group's limit. */
export function ownMemoryBytes(): number {
  // 0 and absurdly large values both mean that there is no limit.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(limit, totalmem()) * MEMORY_SHARE);
}

const MOST_CONNECTIONS = 10_000;
/** The rest is for files, since each response may have one open. */
const FILES_SHARE = 1 / 2;

/** How many connections this process may hold, given its limit of open files. */
export function ownMaxConnections(): number {
  return Math.min(MOST_CONNECTIONS, Math.floor(openFilesLimit() * FILES_SHARE));
}

/** Node raises the limit to the allowed maximum. It is read on Linux only. */
function openFilesLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
