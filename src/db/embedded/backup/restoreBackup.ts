import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { lstat, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { createGunzip } from 'node:zlib';

import type { Logger } from 'pino';

import { installedPackage } from '../binaries.js';
import { EmbeddedPostgresError } from '../errors.js';
import { openHome } from '../home.js';
import { stopOrphan } from '../orphan.js';
import { runAs } from '../run.js';
import { finishRestore, MASTER_KEY_FILE, RESTORING } from './finishRestore.js';
import { syncFolder } from './files.js';
import { BACKUP_FORMAT, CLUSTER, MANIFEST, MASTER_KEY, PASSWORDS, type Manifest } from './manifest.js';
import { damaged, tarHeader, TarReader } from './tar.js';

export interface RestoreOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Whether to replace an existing database or a different master key. */
  readonly replace: boolean;
  readonly log: Pick<Logger, 'info'>;
  readonly onProgress?: (doneBytes: number) => void;
}

/**
 * Restores the database of a backup, replacing the existing one if there is one.
 *
 * Unpacks and verifies everything beside the old database, then swaps the two by renames. If it is interrupted
 * anywhere, the next start finds either the old or the new database, complete. The caller must hold the lock of the
 * data directory.
 *
 * @returns when the backup was taken
 * @throws EmbeddedPostgresError with a one-line message
 */
export async function restoreBackup(options: RestoreOptions): Promise<{ takenAt: Date }> {
  const dataDir = resolve(options.dataDir);
  await dropDangling(join(dataDir, 'postgres'));
  const home = await openHome(dataDir);
  await stopOrphan(home.clusterDir, options.log);
  await finishRestore(home, dataDir);
  if (existsSync(home.clusterDir) && !options.replace) {
    throw new EmbeddedPostgresError(
      `${dataDir} already has a database. Add --replace to replace it with the backup’s.`,
    );
  }
  const unpackedDir = home.clusterDir + RESTORING;
  try {
    const manifest = await unpack(options, unpackedDir);
    await refuseOtherVersion(unpackedDir);
    await refuseOtherKey(unpackedDir, dataDir, options.replace);
    const { user } = home;
    if (user) await runAs(undefined, 'chown', ['-R', `${user.uid}:${user.gid}`, unpackedDir]);
    // One call syncs thousands of files.
    await runAs(undefined, 'sync', ['-f', unpackedDir]);
    if (existsSync(home.clusterDir)) await rename(home.clusterDir, `${home.clusterDir}.replaced`);
    await rename(unpackedDir, home.clusterDir);
    await syncFolder(home.dir);
    await finishRestore(home, dataDir);
    return { takenAt: new Date(manifest.takenAt) };
  } catch (error) {
    await rm(unpackedDir, { recursive: true, force: true });
    await finishRestore(home, dataDir);
    throw error;
  }
}

/** @throws EmbeddedPostgresError unless the backup is complete and unchanged */
async function unpack({ file, onProgress }: RestoreOptions, dir: string): Promise<Manifest> {
  await mkdir(dir, { mode: 0o700 });
  const input = createReadStream(file);
  const unzipped = (await isCompressed(file)) ? createGunzip() : new PassThrough();
  input.on('error', (error) => unzipped.destroy(error));
  input.pipe(unzipped);
  const digest = createHash('sha256');
  let doneBytes = 0;
  try {
    for await (const entry of new TarReader(unzipped as AsyncIterable<Buffer>).entries()) {
      if (entry.name === MANIFEST) return await provedManifest(entry.bytes(), digest.digest('hex'));
      digest.update(tarHeader(entry));
      const path = pathOf(dir, entry.name);
      if (entry.name.endsWith('/')) {
        await mkdir(path, { recursive: true, mode: 0o700 });
        continue;
      }
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const out = await open(path, 'wx', 0o600);
      try {
        for await (const chunk of entry.bytes()) {
          digest.update(chunk);
          await out.writeFile(chunk);
          doneBytes += chunk.length;
        }
      } finally {
        await out.close();
      }
      onProgress?.(doneBytes);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith('Z_')) throw damaged('it cannot be decompressed');
    throw error;
  } finally {
    input.destroy();
    unzipped.destroy();
  }
  throw damaged('its end is missing');
}

/** A plain archive begins with the name of its first folder. Whatever else is not compressed is refused as damaged. */
async function isCompressed(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(CLUSTER.length), 0, CLUSTER.length, 0);
    return buffer.toString('latin1') !== CLUSTER;
  } finally {
    await file.close();
  }
}

async function provedManifest(bytes: AsyncIterable<Buffer>, sha256: string): Promise<Manifest> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(Buffer.from(chunk));
  const manifest = JSON.parse(Buffer.concat(chunks).toString()) as Manifest;
  if (manifest.format !== BACKUP_FORMAT) throw damaged('another release of Dhara wrote it');
  if (manifest.sha256 !== sha256) throw damaged('its checksum does not match');
  return manifest;
}

/** Files that do not belong to the cluster wait inside its folder. They take effect with the same single rename. */
function pathOf(dir: string, name: string): string {
  if (name.startsWith(`${CLUSTER}/`)) return join(dir, name.slice(CLUSTER.length + 1));
  if (name === PASSWORDS || name === MASTER_KEY) return join(dir, name);
  throw damaged('it is not in the form that `dhara backup` writes');
}

async function refuseOtherVersion(unpackedDir: string): Promise<void> {
  const wrote = (await readFile(join(unpackedDir, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  const { version } = await installedPackage();
  if (version.split('.')[0] === wrote) return;
  throw new EmbeddedPostgresError(
    `The backup is of PostgreSQL ${wrote || 'unknown'}, and this is PostgreSQL ${version}: restore it with the release of Dhara that wrote it.`,
  );
}

async function refuseOtherKey(unpackedDir: string, dataDir: string, replace: boolean): Promise<void> {
  const theirs = await readFile(join(unpackedDir, MASTER_KEY), 'utf8').catch(() => null);
  const ours = await readFile(join(dataDir, MASTER_KEY_FILE), 'utf8').catch(() => null);
  if (replace || theirs === null || ours === null || theirs.trim() === ours.trim()) return;
  throw new EmbeddedPostgresError(
    `${join(dataDir, MASTER_KEY_FILE)} is not the backup’s. Add --replace to keep it as ${MASTER_KEY_FILE}.replaced.`,
  );
}

/** Removes a link to a database home that no longer exists: restoring a backup may create a new one. */
async function dropDangling(place: string): Promise<void> {
  const found = await lstat(place).catch(() => null);
  if (!found?.isSymbolicLink()) return;
  await realpath(place).catch(() => rm(place));
}
