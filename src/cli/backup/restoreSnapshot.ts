import { existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { SEALS_FILE } from '../../adapters/seals/fileSealArchive.js';
import { DiskObjectStore } from '../../adapters/store/disk.js';
import { openStores } from '../../adapters/store/openStores.js';
import { sealsDirOf, type Config } from '../../config/config.js';
import { bucketOf, storesOf } from '../../config/storeSettings.js';
import { restoreBackup } from '../../db/embedded/backup/index.js';
import { writeSecret } from '../../db/embedded/cluster.js';
import { acquireDataDirLock } from '../../db/embedded/index.js';
import { runAs } from '../../db/embedded/run.js';
import { copyObjects } from '../../domain/media/objects/moveObjects.js';
import { isEmptyStore } from '../../domain/media/objects/storeWalk.js';
import type { Logger } from '../../logger.js';
import { BackupError, type BackupRepository } from '../../ports/backupRepository.js';
import type { ObjectStore } from '../../ports/objectStore.js';
import { findSnapshot, type FoundSnapshot, type WantedSnapshot } from './findSnapshot.js';
import { ignoreMissing, isEmptyFolder, RESTORING, sha256Of } from './folders.js';
import { DUMPED_DATABASE, EMBEDDED_DATABASE, MIRROR, SEALS, STAGED, STORE, type BackupManifest } from './manifest.js';
import { isEmptyDatabase, restoreOwnDatabase } from './ownDatabase.js';

export interface RestoreOptions {
  readonly config: Config;
  readonly repository: BackupRepository;
  readonly wanted: WantedSnapshot;
  readonly logger: Logger;
}

/** Where everything goes: the folder, and the bucket if videos are to be there. */
interface Target {
  readonly config: Config;
  readonly folder: string;
  readonly bucket: ObjectStore | null;
}

/**
 * Restores a snapshot into an empty DATA_DIR, and where they are set, an empty database and an empty bucket. From the
 * first write to the last, a file in DATA_DIR says so: then nothing starts there, and the next restore begins again.
 * The database is written last.
 *
 * @throws BackupError if anything is wrong; nothing was written if it is found before the first write
 */
export async function restoreSnapshot({ config, repository, wanted, logger }: RestoreOptions): Promise<FoundSnapshot> {
  const found = await findSnapshot(config, repository, wanted);
  const { snapshot, manifest } = found;
  const folder = resolve(config.DATA_DIR);
  const { kind } = storesOf(config);
  const bucket = kind === 's3' ? await openStores({ dataDir: folder, kind, bucket: bucketOf(config) }) : null;
  const target = { config, folder, bucket: bucket?.store ?? null };
  const lock = await acquireDataDirLock(folder);
  try {
    const begun = await begunIn(folder);
    if (begun === null) await refuseUsed(target);
    const hasDatabase = await refuseOtherContents(target, begun === snapshot.id);
    // The database is on the disk twice until it is in its place.
    await refuseSmallDisk(folder, (await repository.sizeBytes(snapshot.id)) + manifest.databaseBytes);
    await writeSecret(join(folder, RESTORING), `${JSON.stringify({ snapshot: snapshot.id })}\n`);
    for (const left of [STAGED, join(STORE, 'objects'), MIRROR])
      await rm(join(folder, left), { recursive: true, force: true });
    await repository.restore(snapshot.id, folder);
    await placeObjects(target, manifest);
    if (!hasDatabase) await placeDatabase(target, manifest, logger);
    await placeSeals(target);
    await rm(join(folder, STAGED), { recursive: true });
    // One call syncs all files of the store.
    await runAs(undefined, 'sync', ['-f', folder]);
    await rm(join(folder, RESTORING));
    return found;
  } finally {
    bucket?.close();
    await lock.release();
  }
}

/** The snapshot whose restore has begun here. */
async function begunIn(folder: string): Promise<string | null> {
  if (!existsSync(join(folder, RESTORING))) return null;
  return (JSON.parse(await readFile(join(folder, RESTORING), 'utf8')) as { snapshot: string }).snapshot;
}

/** A restore never replaces anything. @throws BackupError */
async function refuseUsed({ folder, bucket }: Target): Promise<void> {
  const isThere = await lstat(join(folder, 'postgres')).catch(ignoreMissing);
  const used = isThere ? ['postgres'] : [];
  for (const name of [join(STORE, 'objects'), MIRROR, 'uploads']) {
    if (!(await isEmptyFolder(join(folder, name)))) used.push(name);
  }
  if (used.length > 0) {
    const what = `${folder} is not empty: it has ${used.join(' and ')}.`;
    throw new BackupError('NOT_EMPTY', `${what} Restore into another DATA_DIR, or move these away.`);
  }
  if (bucket !== null && !(await isEmptyStore(bucket))) {
    throw new BackupError('NOT_EMPTY', 'The bucket is not empty. Restore into another S3_BUCKET or S3_PREFIX.');
  }
}

/**
 * A database of one's own is restored in one transaction. If the same restore was killed after it, the database is
 * complete. @returns whether it is
 *
 * @throws BackupError if the database is not empty otherwise
 */
async function refuseOtherContents({ config }: Target, isSameRestore: boolean): Promise<boolean> {
  if (config.DATABASE_URL === undefined || (await isEmptyDatabase(config))) return false;
  if (isSameRestore) return true;
  throw new BackupError('NOT_EMPTY', 'The database of DATABASE_URL is not empty. Restore into an empty one.');
}

async function refuseSmallDisk(folder: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize > neededBytes) return;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  const message = `The restore needs ${megabytes(neededBytes)}, and the disk of ${folder} has ${megabytes(bavail * bsize)}.`;
  throw new BackupError('DISK_FULL', message);
}

/** Moves the objects to where the settings want them, wherever they were when they were saved. */
async function placeObjects({ folder, bucket }: Target, { store: saved }: BackupManifest): Promise<void> {
  if (bucket === null) {
    if (saved === STORE) return;
    await mkdir(join(folder, STORE), { recursive: true });
    await rename(join(folder, saved, 'objects'), join(folder, STORE, 'objects'));
  } else {
    const local = await DiskObjectStore.open({ dir: join(folder, saved) });
    const { wrong } = await copyObjects(local, bucket, { deleteMoved: false, onProgress: () => undefined });
    if (wrong.length > 0) throw new BackupError('NOT_EMPTY', `The bucket has another ${wrong[0]}.`);
  }
  await rm(join(folder, saved), { recursive: true });
}

async function placeDatabase({ config, folder }: Target, manifest: BackupManifest, log: Logger): Promise<void> {
  const isOwn = manifest.database === 'dump';
  const file = join(folder, isOwn ? DUMPED_DATABASE : EMBEDDED_DATABASE);
  if ((await stat(file)).size !== manifest.databaseBytes || (await sha256Of(file)) !== manifest.databaseSha256) {
    throw new BackupError('REPOSITORY_DAMAGED', 'The database in the backup is not the one that was saved.');
  }
  if (isOwn) await restoreOwnDatabase(config, file);
  else await restoreBackup({ dataDir: folder, file, replace: true, log });
}

/** Seals that were kept outside are the better witness: they stay. */
async function placeSeals({ config, folder }: Target): Promise<void> {
  const dir = sealsDirOf(config);
  if (existsSync(join(dir, SEALS_FILE))) return;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await copyFile(join(folder, SEALS), join(dir, SEALS_FILE)).catch(ignoreMissing);
}
