import { chmod, mkdtemp, realpath, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

import { stopOrphan } from '../../src/db/embedded/orphan.js';

/** A data directory that the database's own user can pass through. */
export async function makeDataDir(
  name = 'dhara-service-',
  parent = tmpdir(),
): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(parent, name));
  await chmod(path, 0o755);
  return { path, remove: () => removeDataDir(path) };
}

const SHARED_MEMORY = '/dev/shm';
const ROOM_BYTES = 6 * 1024 ** 3;

/**
 * Where a database lies fastest that nobody needs afterwards: in memory, where there is enough. Tests make and drop a
 * thousand databases of 400 files each, and ext4 looks through all inodes freed in the last minute for each new file:
 * that was half of all processor time.
 */
export async function fastestFolder(): Promise<string> {
  const { type, bavail, bsize } = await statfs(SHARED_MEMORY).catch(() => ({ type: 0, bavail: 0, bsize: 0 }));
  const TMPFS = 0x01021994;
  return type === TMPFS && bavail * bsize > ROOM_BYTES && freemem() > ROOM_BYTES ? SHARED_MEMORY : tmpdir();
}

/**
 * Removes a data directory once its PostgreSQL is gone: that of a service killed with -9 writes for a moment longer, and
 * a file it makes in a folder that is just being emptied would fail the removal.
 */
export async function removeDataDir(path: string): Promise<void> {
  // Of a data directory with an awkward path, the database lives elsewhere.
  const home = await realpath(join(path, 'postgres')).catch(() => null);
  if (home !== null) await stopOrphan(join(home, 'cluster'), { info: () => undefined });
  // The postmaster's children may outlive it by a moment.
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
