import { chmod, mkdtemp, realpath, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

import { stopOrphan } from '../../src/db/embedded/orphan.js';

/** A data directory that the user of the database can traverse. */
export async function makeDataDir(
  name = 'dhara-service-',
  parent = tmpdir(),
): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(parent, name));
  await chmod(path, 0o755);
  return { path, remove: () => removeDataDir(path) };
}

const SHARED_MEMORY = '/dev/shm';
const NEEDED_BYTES = 6 * 1024 ** 3;

/**
 * The fastest folder for a temporary database: in memory, if there is enough. Tests create and drop a thousand
 * databases of 400 files each, and for each new file ext4 searches all inodes freed within the last minute, which took
 * half of all processor time.
 */
export async function fastestFolder(): Promise<string> {
  const { type, bavail, bsize } = await statfs(SHARED_MEMORY).catch(() => ({ type: 0, bavail: 0, bsize: 0 }));
  const TMPFS = 0x01021994;
  return type === TMPFS && bavail * bsize > NEEDED_BYTES && freemem() > NEEDED_BYTES ? SHARED_MEMORY : tmpdir();
}

/**
 * Removes a data directory once its PostgreSQL is gone. The PostgreSQL of a service killed with -9 still writes for a
 * moment, and a new file in a folder that is being emptied would fail the removal.
 */
export async function removeDataDir(path: string): Promise<void> {
  // If the path of a data directory is awkward, its database is elsewhere.
  const home = await realpath(join(path, 'postgres')).catch(() => null);
  if (home !== null) await stopOrphan(join(home, 'cluster'), { info: () => undefined });
  // The postmaster's children may outlive it by a moment.
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
