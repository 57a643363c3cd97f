import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stopOrphan } from '../../src/db/embedded/orphan.js';

/** A data directory that the database's own user can pass through. */
export async function makeDataDir(name = 'dhara-service-'): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), name));
  await chmod(path, 0o755);
  return { path, remove: () => removeDataDir(path) };
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
