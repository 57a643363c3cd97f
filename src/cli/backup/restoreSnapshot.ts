import { existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { SEALS_FILE } from '../../adapters/seals/fileSealArchive.js';
import { ConfigError, previousMasterKeysOf, sealsDirOf, type Config } from '../../config/config.js';
import { restoreBackup } from '../../db/embedded/backup/index.js';
import { writeSecret } from '../../db/embedded/cluster.js';
import { acquireDataDirLock } from '../../db/embedded/index.js';
import { runAs } from '../../db/embedded/run.js';
import { migrations } from '../../db/migrations/index.js';
import { masterKeyIdOf } from '../../domain/shared/secrets/keyring.js';
import type { Logger } from '../../logger.js';
import { BackupError, type BackupRepository, type Snapshot } from '../../ports/backupRepository.js';
import { loadMasterKey } from '../masterKey.js';
import { ignoreMissing, isEmptyFolder, RESTORING, sha256Of } from './folders.js';
import { EMBEDDED_DATABASE, MANIFEST, OBJECTS, readManifest, SEALS, STAGED, type BackupManifest } from './manifest.js';

/** One snapshot by its id, or the newest that is not after a time. */
export type WantedSnapshot = { readonly id: string } | { readonly notAfter: Date | null };

export interface RestoreOptions {
  readonly config: Config;
  readonly repository: BackupRepository;
  readonly wanted: WantedSnapshot;
  readonly logger: Logger;
}

export interface RestoredSnapshot {
  readonly snapshot: Snapshot;
  readonly manifest: BackupManifest;
}

/**
 * Restores a snapshot into an empty DATA_DIR. From the first write to the last, a file says so: then nothing starts
 * there, and the next restore begins again.
 *
 * @throws BackupError if anything is wrong; nothing was written if it is found before the first write
 */
export async function restoreSnapshot(options: RestoreOptions): Promise<RestoredSnapshot> {
  const { config, repository, wanted } = options;
  if (config.DATABASE_URL) throw new ConfigError('DATABASE_URL names your own database: see docs/backups.md.');
  const folder = resolve(config.DATA_DIR);
  const snapshot = chosen(await repository.snapshots(), wanted);
  const manifest = readManifest(await repository.read(snapshot.id, MANIFEST));
  refuseNewerRelease(manifest);
  await refuseOtherKey(config, manifest);
  const lock = await acquireDataDirLock(folder);
  try {
    if (!existsSync(join(folder, RESTORING))) await refuseUsed(folder);
    // The database is on the disk twice until it is unpacked.
    await refuseSmallDisk(folder, (await repository.sizeBytes(snapshot.id)) + manifest.databaseBytes);
    await writeSecret(join(folder, RESTORING), `${JSON.stringify({ snapshot: snapshot.id })}\n`);
    for (const left of [STAGED, OBJECTS]) await rm(join(folder, left), { recursive: true, force: true });
    await repository.restore(snapshot.id, folder);
    await placeDatabase(options, folder, manifest);
    await placeSeals(config, folder);
    await rm(join(folder, STAGED), { recursive: true });
    // One call syncs all files of the store.
    await runAs(undefined, 'sync', ['-f', folder]);
    await rm(join(folder, RESTORING));
    return { snapshot, manifest };
  } finally {
    await lock.release();
  }
}

function chosen(snapshots: readonly Snapshot[], wanted: WantedSnapshot): Snapshot {
  const matching =
    'id' in wanted
      ? snapshots.filter(({ id }) => id.startsWith(wanted.id))
      : snapshots.filter(({ takenAt }) => wanted.notAfter === null || takenAt <= wanted.notAfter).slice(-1);
  const [snapshot, another] = matching;
  if (snapshot && !another) return snapshot;
  const what = 'id' in wanted ? `has the id ${wanted.id}` : `is as old as ${wanted.notAfter?.toISOString()}`;
  const found =
    snapshots.length === 0
      ? 'The repository has no complete backup.'
      : `${another ? 'More than one' : 'No'} backup ${what}. The repository has ${listOf(snapshots)}.`;
  throw new BackupError('BACKUP_NOT_FOUND', found);
}

function listOf(snapshots: readonly Snapshot[]): string {
  const shown = snapshots.slice(-5).map(({ id, takenAt }) => `${id.slice(0, 8)} of ${takenAt.toISOString()}`);
  return `${shown.join(', ')}${snapshots.length > shown.length ? ` and ${snapshots.length - shown.length} older` : ''}`;
}

/** This release cannot undo the migrations of a later one. */
function refuseNewerRelease({ facts }: BackupManifest): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = facts.migrations.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const message = `The backup is of a later release of Dhara (with ${unknown.at(-1)}). Restore it with that release.`;
  throw new BackupError('WRONG_RELEASE', message);
}

async function refuseOtherKey(config: Config, { masterKeyId }: BackupManifest): Promise<void> {
  const keyFile = join(config.DATA_DIR, 'master.key');
  const where = `Set MASTER_KEY, or put the file master.key that you kept into ${config.DATA_DIR}.`;
  if (!config.MASTER_KEY && !existsSync(keyFile)) {
    throw new BackupError('WRONG_MASTER_KEY', `The master key is missing: a backup does not have it. ${where}`);
  }
  const keys = [await loadMasterKey(config), ...previousMasterKeysOf(config)];
  if (keys.some((key) => masterKeyIdOf(key) === masterKeyId)) return;
  throw new BackupError('WRONG_MASTER_KEY', `The backup was made under another master key. ${where}`);
}

/** A restore never replaces anything. @throws BackupError */
async function refuseUsed(folder: string): Promise<void> {
  const isThere = await lstat(join(folder, 'postgres')).catch(ignoreMissing);
  const used = isThere ? ['postgres'] : [];
  for (const name of [OBJECTS, 'uploads']) if (!(await isEmptyFolder(join(folder, name)))) used.push(name);
  if (used.length === 0) return;
  const message = `${folder} is not empty: it has ${used.join(' and ')}. Restore into another DATA_DIR, or move these away.`;
  throw new BackupError('NOT_EMPTY', message);
}

async function refuseSmallDisk(folder: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize > neededBytes) return;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  const message = `The restore needs ${megabytes(neededBytes)}, and the disk of ${folder} has ${megabytes(bavail * bsize)}.`;
  throw new BackupError('DISK_FULL', message);
}

async function placeDatabase({ logger }: RestoreOptions, folder: string, manifest: BackupManifest): Promise<void> {
  const file = join(folder, EMBEDDED_DATABASE);
  if ((await stat(file)).size !== manifest.databaseBytes || (await sha256Of(file)) !== manifest.databaseSha256) {
    throw new BackupError('REPOSITORY_DAMAGED', 'The database in the backup is not the one that was saved.');
  }
  await restoreBackup({ dataDir: folder, file, replace: true, log: logger });
}

/** Seals that were kept outside are the better witness: they stay. */
async function placeSeals(config: Config, folder: string): Promise<void> {
  const dir = sealsDirOf(config);
  if (existsSync(join(dir, SEALS_FILE))) return;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await copyFile(join(folder, SEALS), join(dir, SEALS_FILE)).catch(ignoreMissing);
}
