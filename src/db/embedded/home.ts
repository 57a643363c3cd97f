import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, realpath, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { SYSTEM_HOME } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';
import { canReach, runAs } from './run.js';
import { databaseUser } from './systemUser.js';
import type { SystemUser } from './systemUser.js';

/** Where the database is, and which user it runs as (undefined: the user of this process). */
export interface PostgresHome {
  /** Holds the passwords. The database user may enter it, but not read it. */
  readonly dir: string;
  /** PostgreSQL's own data directory, owned by the database user. */
  readonly clusterDir: string;
  readonly user: SystemUser | undefined;
}

/**
 * Finds the home of the database below `dataDir`, or creates one.
 *
 * The home is `<dataDir>/postgres`. If root keeps `dataDir` below a directory that the database user cannot enter (such
 * as `/root`), it is a link to a separate home below /var/lib/dhara.
 */
export async function openHome(dataDir: string): Promise<PostgresHome> {
  const isRoot = process.getuid?.() === 0;
  const place = join(dataDir, 'postgres');
  const existingDir = await followPlace(place);
  const ownerUid = existingDir === undefined ? undefined : await ownerOf(join(existingDir, 'cluster'));
  const user = isRoot ? await databaseUser(ownerUid) : undefined;

  const dir = existingDir ?? (await createHome(dataDir, place, user));
  const clusterDir = join(dir, 'cluster');
  if (!(await canReach(user, dir))) {
    throw new EmbeddedPostgresError(
      `The database user ${user?.name ?? ''} cannot enter ${dir}: make its parent directories enterable (chmod o+x), or set DATA_DIR elsewhere.`,
    );
  }
  if (ownerUid !== undefined) await takeOwnership(clusterDir, ownerUid, user);
  return { dir, clusterDir, user };
}

async function followPlace(place: string): Promise<string | undefined> {
  const found = await lstat(place).catch(() => undefined);
  if (!found) return undefined;
  try {
    return await realpath(place);
  } catch (cause) {
    // Starting over here would silently separate the videos on disk from their database.
    throw new EmbeddedPostgresError(
      `${place} points to a database that is gone: restore it, or delete the data directory to start over.`,
      { cause },
    );
  }
}

async function createHome(dataDir: string, place: string, user: SystemUser | undefined): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  if (!user) return makeDirectory(place, 0o700);

  const mode = (await stat(dataDir)).mode;
  await chmod(dataDir, mode | 0o011);
  if (await canReach(user, dataDir)) return makeDirectory(place, 0o711);

  await makeDirectory(SYSTEM_HOME, 0o755);
  const dir = join(SYSTEM_HOME, `postgres-${randomBytes(6).toString('hex')}`);
  await makeDirectory(dir, 0o711);
  await symlink(dir, place);
  return dir;
}

async function makeDirectory(dir: string, mode: number): Promise<string> {
  await mkdir(dir, { recursive: true });
  // chmod separately: the umask restricts mkdir's mode.
  await chmod(dir, mode);
  return dir;
}

async function ownerOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.uid;
}

/** In another container, the owner of the same data directory may have no user name. */
async function takeOwnership(clusterDir: string, ownerUid: number, user: SystemUser | undefined): Promise<void> {
  const wantedUid = user ? user.uid : process.getuid?.();
  if (ownerUid === wantedUid) return;
  if (!user) {
    throw new EmbeddedPostgresError(
      `${clusterDir} belongs to another user (uid ${ownerUid}): start Dhara as that user or as root, or set DATA_DIR elsewhere.`,
    );
  }
  await runAs(undefined, 'chown', ['-R', `${user.uid}:${user.gid}`, clusterDir]);
}
