import { copyFile, lstat, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { SEALS_FILE } from '../../adapters/seals/fileSealArchive.js';
import { DiskObjectStore } from '../../adapters/store/disk.js';
import type { App } from '../../app.js';
import { ConfigError, sealsDirOf, type Config } from '../../config/config.js';
import { backupEmbedded } from '../../db/embedded/backup/index.js';
import { mirrorObjects } from '../../domain/media/objects/moveObjects.js';
import { recordBackup } from '../../domain/operations/backups/backup.sql.js';
import { readBackupFacts } from '../../domain/operations/backups/backupFacts.js';
import { holdStore, ifProcessLockIsFree } from '../../domain/shared/processLock.js';
import { masterKeyIdOf } from '../../domain/shared/secrets/keyring.js';
import { BackupError, type BackupRepository, type SavedFiles, type Snapshot } from '../../ports/backupRepository.js';
import type { DatabaseUrls } from '../databaseAccess.js';
import { ignoreMissing, sha256Of } from './folders.js';
import {
  DUMPED_DATABASE,
  EMBEDDED_DATABASE,
  MANIFEST,
  MIRROR,
  SEALS,
  STAGED,
  STORE,
  writeManifest,
} from './manifest.js';
import { dumpOwnDatabase } from './ownDatabase.js';

export interface TakenSnapshot extends Snapshot, SavedFiles {
  readonly facts: Awaited<ReturnType<typeof readBackupFacts>>;
}

export interface SnapshotOptions {
  readonly app: Pick<App, 'db' | 'store' | 'stores' | 'masterKeys'>;
  readonly config: Config;
  readonly database: DatabaseUrls;
  readonly repository: BackupRepository;
  /** Deletes snapshots older than this many days afterwards. */
  readonly keepDays: number | null;
}

/**
 * Saves the database, the store and the seals as one snapshot. Nothing is deleted from the store from before the copy
 * of the database until the end, so the store has every object that the database names.
 *
 * @throws BackupError
 */
export async function takeSnapshot(options: SnapshotOptions): Promise<TakenSnapshot> {
  const { app, config, repository, keepDays } = options;
  const folder = resolve(config.DATA_DIR);
  const taken = await ifProcessLockIsFree(app.db, 'backup', async () => {
    await repository.forgetUnfinished();
    const staged = join(folder, STAGED);
    await rm(staged, { recursive: true, force: true });
    await mkdir(staged, { recursive: true, mode: 0o700 });
    try {
      const saved = await whileHeld(app.db, async () => {
        const manifest = await stageDatabase(options, folder);
        await copyFile(join(sealsDirOf(config), SEALS_FILE), join(folder, SEALS)).catch(ignoreMissing);
        await stageObjects(options, folder, manifest.store);
        const paths = [STAGED, join(manifest.store, 'objects')];
        return { facts: manifest.facts, ...(await repository.save(folder, paths)) };
      });
      const snapshot = await repository.complete(saved.unfinishedId);
      await recordBackup(app.db.sql, snapshot.id);
      if (keepDays !== null) await repository.prune(keepDays);
      return { ...saved, ...snapshot };
    } finally {
      await rm(staged, { recursive: true, force: true });
    }
  });
  if (taken === null) throw new BackupError('BACKUP_RUNNING', 'Another backup is running.');
  return taken;
}

/** @throws BackupError if the database ended the hold before `work` was done */
async function whileHeld<T>(db: App['db'], work: () => Promise<T>): Promise<T> {
  let isDone = false;
  try {
    return await holdStore(db, async () => {
      const result = await work();
      isDone = true;
      return result;
    });
  } catch (error) {
    if (!isDone) throw error;
    const message = 'The database ended the session that held the store, so there is no backup. Try again.';
    throw new BackupError('DATABASE_FAILED', message, { cause: error });
  }
}

/** Copies the database to a file, and says in the manifest what that file is. */
async function stageDatabase({ app, config, database }: SnapshotOptions, folder: string) {
  const facts = await readBackupFacts(app.db.sql);
  const takenAt = new Date().toISOString();
  const isOwn = config.DATABASE_URL !== undefined;
  const file = join(folder, isOwn ? DUMPED_DATABASE : EMBEDDED_DATABASE);
  await diskMayBeFull(folder, async () => {
    if (isOwn) await dumpOwnDatabase(config, file);
    else await backupEmbedded(folder, database.migrationUrl, { file, plain: true });
  });
  const onlyDisk = app.stores.kinds.every((kind) => kind === 'disk');
  const manifest = {
    takenAt,
    database: isOwn ? ('dump' as const) : ('embedded' as const),
    databaseBytes: (await stat(file)).size,
    databaseSha256: await sha256Of(file),
    store: onlyDisk ? STORE : MIRROR,
    masterKeyId: masterKeyIdOf(app.masterKeys.current),
    facts,
  } as const;
  await writeFile(join(folder, MANIFEST), writeManifest(manifest), { mode: 0o600 });
  return manifest;
}

/** Files of the disk store are saved where they are. A bucket is copied to the disk first: only what is new. */
async function stageObjects({ app }: SnapshotOptions, folder: string, place: string): Promise<void> {
  if (place === MIRROR) {
    const mirror = await DiskObjectStore.open({ dir: join(folder, MIRROR) });
    await mirror.removeLeftovers();
    await diskMayBeFull(folder, () => mirrorObjects(app.store, mirror));
  }
  await refuseLink(join(folder, place, 'objects'));
}

async function diskMayBeFull(folder: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    const message = `The disk of ${folder} is full: a backup makes a copy of the database there, and of a bucket.`;
    throw new BackupError('DISK_FULL', message, { cause: error });
  }
}

/** Of a link, only the link would be saved. */
async function refuseLink(path: string): Promise<void> {
  if (!(await lstat(path)).isSymbolicLink()) return;
  throw new ConfigError(`${path} is a link, which a backup does not follow. Mount the folder there instead.`);
}
