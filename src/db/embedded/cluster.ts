import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { syncFolder } from './backup/files.js';
import type { PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';
import type { PostgresHome } from './home.js';
import { runAs } from './run.js';

/** Sets up the database and is not used afterwards. */
export const SUPERUSER_ROLE = 'postgres';
/**
 * Runs the migrations and owns the database and everything in it. Neither this role nor the functions it owns are
 * superuser.
 */
export const OWNER_ROLE = 'dhara_owner';
/** The role of the running service. It owns nothing; the migrations grant it what it needs. */
export const RUNTIME_ROLE = 'dhara_app';
export const DATABASE = 'dhara';

/** Passwords of the three roles, hexadecimal. */
export interface ClusterPasswords {
  /** Password of the superuser, who also ran the migrations in earlier releases. */
  readonly migration: string;
  readonly owner: string;
  readonly runtime: string;
}

/**
 * Creates the cluster unless it exists, and returns its passwords.
 *
 * Every step is repeatable. Passwords are on disk before anything uses them, and a cluster gets its name only when it
 * is complete. So the next start simply repeats a first start that was killed.
 */
export async function ensureCluster(home: PostgresHome, binaries: PostgresBinaries): Promise<ClusterPasswords> {
  const passwords = await ensurePasswords(home);
  if (existsSync(home.clusterDir)) return passwords;

  const partialDir = `${home.clusterDir}.partial`;
  const passwordFile = join(home.dir, 'initdb-password');
  await rm(partialDir, { recursive: true, force: true });
  try {
    await writeSecret(passwordFile, passwords.migration);
    if (home.user) await chown(passwordFile, home.user.uid, home.user.gid);
    await makeOwnedDirectory(partialDir, home);
    await runAs(home.user, binaries.initdb, [
      `--pgdata=${partialDir}`,
      `--username=${SUPERUSER_ROLE}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // PostgreSQL's own C.UTF-8 sorts the same on every machine, whatever its libc.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ]);
    await rename(partialDir, home.clusterDir);
  } catch (cause) {
    throw new EmbeddedPostgresError(`PostgreSQL could not be set up: ${reasonOf(cause)}`, {
      cause,
    });
  } finally {
    await rm(passwordFile, { force: true });
  }
  return passwords;
}

async function ensurePasswords(home: PostgresHome): Promise<ClusterPasswords> {
  const path = join(home.dir, 'passwords.json');
  if (existsSync(path)) {
    const known = JSON.parse(await readFile(path, 'utf8')) as Partial<ClusterPasswords>;
    // Directories of earlier releases have no password for the owner.
    const passwords = { owner: newPassword(), ...known } as ClusterPasswords;
    if (!known.owner) await writeSecret(path, JSON.stringify(passwords));
    return passwords;
  }
  if (existsSync(home.clusterDir)) {
    throw new EmbeddedPostgresError(`${path} is gone, and with it the way into the database beside it: restore it.`);
  }
  const passwords = { migration: newPassword(), owner: newPassword(), runtime: newPassword() };
  await writeSecret(path, JSON.stringify(passwords));
  return passwords;
}

function newPassword(): string {
  return randomBytes(24).toString('hex');
}

/** Resolves when the secret is on disk, readable only by its owner. */
export async function writeSecret(path: string, text: string): Promise<void> {
  const partialPath = `${path}.partial`;
  await rm(partialPath, { force: true });
  const file = await open(partialPath, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partialPath, path);
  await syncFolder(dirname(path));
}

/** initdb accepts an empty directory, but cannot create one below a home that it may only enter. */
async function makeOwnedDirectory(dir: string, home: PostgresHome): Promise<void> {
  await mkdir(dir, { mode: 0o700 });
  if (home.user) await chown(dir, home.user.uid, home.user.gid);
}

/** The last line of initdb's output says what is wrong. */
function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr?.trim().split('\n').at(-1) || message).trim();
}
