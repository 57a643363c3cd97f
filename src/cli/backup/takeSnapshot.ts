import { copyFile, lstat, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { SEALS_FILE } from '../../adapters/seals/fileSealArchive.js';
import type { App } from '../../app.js';
import { ConfigError, sealsDirOf, type Config } from '../../config/config.js';
import { backupEmbedded } from '../../db/embedded/backup/index.js';
import { readBackupFacts } from '../../domain/operations/backups/backupFacts.js';
import { holdStore, ifProcessLockIsFree } from '../../domain/shared/processLock.js';
import { masterKeyIdOf } from '../../domain/shared/secrets/keyring.js';
import { BackupError, type BackupRepository, type SavedFiles, type Snapshot } from '../../ports/backupRepository.js';
import { ignoreMissing, sha256Of } from './folders.js';
import { EMBEDDED_DATABASE, MANIFEST, OBJECTS, SEALS, STAGED, writeManifest } from './manifest.js';

export interface TakenSnapshot extends Snapshot, SavedFiles {
  readonly facts: Awaited<ReturnType<typeof readBackupFacts>>;
}

export interface SnapshotOptions {
  readonly app: Pick<App, 'db' | 'stores' | 'masterKeys'>;
  readonly config: Config;
  /** Any address of the embedded database. */
  readonly databaseUrl: string;
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
  if (app.stores.kinds.some((kind) => kind !== 'disk')) {
    throw new ConfigError('Videos are in a bucket. See docs/backups.md for how to back up a bucket.');
  }
  const folder = resolve(config.DATA_DIR);
  const taken = await ifProcessLockIsFree(app.db, 'backup', async () => {
    await repository.forgetUnfinished();
    await refuseLink(join(folder, OBJECTS));
    const staged = join(folder, STAGED);
    await rm(staged, { recursive: true, force: true });
    await mkdir(staged, { mode: 0o700 });
    try {
      const saved = await holdStore(app.db, async () => {
        const facts = await stage(options, folder);
        return { facts, ...(await repository.save(folder, [STAGED, OBJECTS])) };
      });
      // Only now: had the database ended the hold, this would not be reached.
      const snapshot = await repository.complete(saved.unfinishedId);
      if (keepDays !== null) await repository.prune(keepDays);
      return { ...saved, ...snapshot };
    } finally {
      await rm(staged, { recursive: true, force: true });
    }
  });
  if (taken === null) throw new BackupError('BACKUP_RUNNING', 'Another backup is running.');
  return taken;
}

/** Writes what is neither a file of the store nor outside of the snapshot. */
async function stage({ app, config, databaseUrl }: SnapshotOptions, folder: string) {
  const facts = await readBackupFacts(app.db.sql);
  const takenAt = new Date().toISOString();
  const database = join(folder, EMBEDDED_DATABASE);
  try {
    await backupEmbedded(folder, databaseUrl, { file: database, plain: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    const message = `The disk of ${folder} is full: a copy of the database is made there first.`;
    throw new BackupError('DISK_FULL', message, { cause: error });
  }
  await copyFile(join(sealsDirOf(config), SEALS_FILE), join(folder, SEALS)).catch(ignoreMissing);
  const manifest = {
    takenAt,
    database: 'embedded' as const,
    databaseBytes: (await stat(database)).size,
    databaseSha256: await sha256Of(database),
    masterKeyId: masterKeyIdOf(app.masterKeys.current),
    facts,
  };
  await writeFile(join(folder, MANIFEST), writeManifest(manifest), { mode: 0o600 });
  return facts;
}

/** Of a link, only the link would be saved. */
async function refuseLink(path: string): Promise<void> {
  if (!(await lstat(path)).isSymbolicLink()) return;
  throw new ConfigError(`${path} is a link, which a backup does not follow. Mount the folder there instead.`);
}
