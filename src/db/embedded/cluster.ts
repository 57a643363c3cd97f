import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';

import type { PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';
import type { PostgresHome } from './home.js';
import { runAs } from './run.js';

/** The superuser. It runs the migrations and owns the schema. */
export const MIGRATION_ROLE = 'postgres';
/** The role of the running service. It owns nothing; the migrations grant it what it needs. */
export const RUNTIME_ROLE = 'dhara_app';
export const DATABASE = 'dhara';

/** Passwords of the two roles, hexadecimal, made on the first start. */
export interface ClusterPasswords {
  readonly migration: string;
  readonly runtime: string;
}

/**
 * Creates the cluster unless it is there, and returns its passwords.
 *
 * Every step is repeatable: passwords are on disk before anything uses them, and a cluster gets its
 * name only when it is whole, so a first start killed anywhere is simply done again.
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
      `--username=${MIGRATION_ROLE}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // PostgreSQL's own C.UTF-8: sorts alike on every machine, whatever its libc.
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

/** Creates the runtime role and the database unless they are there. */
export async function ensureRoleAndDatabase(superuserUrl: string, passwords: ClusterPasswords): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const found = await client.query<{ role: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = $1) as role,
              exists (select from pg_database where datname = $2) as database`,
      [RUNTIME_ROLE, DATABASE],
    );
    const [{ role, database } = { role: false, database: false }] = found.rows;
    // Statements of this kind take no parameters; names and password are ours and need no quoting.
    if (!role) await client.query(`create role ${RUNTIME_ROLE} login password '${passwords.runtime}'`);
    if (!database) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

async function ensurePasswords(home: PostgresHome): Promise<ClusterPasswords> {
  const path = join(home.dir, 'passwords.json');
  if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8')) as ClusterPasswords;
  if (existsSync(home.clusterDir)) {
    throw new EmbeddedPostgresError(`${path} is gone, and with it the way into the database beside it: restore it.`);
  }
  const passwords = { migration: newPassword(), runtime: newPassword() };
  await writeSecret(path, JSON.stringify(passwords));
  return passwords;
}

function newPassword(): string {
  return randomBytes(24).toString('hex');
}

/** On disk, and readable by its owner only, before this resolves. */
async function writeSecret(path: string, text: string): Promise<void> {
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
}

/** initdb accepts an empty directory, and cannot make one itself below a home it may only enter. */
async function makeOwnedDirectory(dir: string, home: PostgresHome): Promise<void> {
  await mkdir(dir, { mode: 0o700 });
  if (home.user) await chown(dir, home.user.uid, home.user.gid);
}

/** The last line that initdb wrote says what is wrong. */
function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr?.trim().split('\n').at(-1) || message).trim();
}
