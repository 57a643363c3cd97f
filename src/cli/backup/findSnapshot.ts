import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ConfigError, previousMasterKeysOf, type Config } from '../../config/config.js';
import { migrations } from '../../db/migrations/index.js';
import { REPLACED } from '../../db/migrations/replaced.js';
import { masterKeyIdOf } from '../../domain/shared/secrets/keyring.js';
import { BackupError, type BackupRepository, type Snapshot } from '../../ports/backupRepository.js';
import { loadMasterKey } from '../masterKey.js';
import { MANIFEST, readManifest, type BackupManifest } from './manifest.js';

/** One snapshot by its id, or the newest that is not after a time. */
export type WantedSnapshot = { readonly id: string } | { readonly notAfter: Date | null };

export interface FoundSnapshot {
  readonly snapshot: Snapshot;
  readonly manifest: BackupManifest;
}

/**
 * Finds the snapshot, and makes sure that this release can restore it with these settings. Writes nothing.
 *
 * @throws BackupError
 * @throws ConfigError if it is of the other kind of database
 */
export async function findSnapshot(
  config: Config,
  repository: BackupRepository,
  wanted: WantedSnapshot,
): Promise<FoundSnapshot> {
  const snapshot = chosenOf(await repository.snapshots(), wanted);
  const manifest = readManifest(await repository.read(snapshot.id, MANIFEST));
  refuseNewerRelease(manifest.facts);
  refuseOtherDatabase(config, manifest);
  await refuseOtherKey(config, manifest);
  return { snapshot, manifest };
}

/** @throws BackupError that lists what there is */
export function chosenOf(snapshots: readonly Snapshot[], wanted: WantedSnapshot): Snapshot {
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

/**
 * This release cannot undo the migrations of a later one.
 *
 * @throws BackupError
 */
export function refuseNewerRelease(facts: Pick<BackupManifest['facts'], 'migrations'>): void {
  const known = new Set([...REPLACED, ...migrations.map(({ name }) => name)]);
  const unknown = facts.migrations.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const message = `The backup is of a later release of Dhara (with ${unknown.at(-1)}). Restore it with that release.`;
  throw new BackupError('WRONG_RELEASE', message);
}

function refuseOtherDatabase(config: Config, { database }: BackupManifest): void {
  const isOwn = config.DATABASE_URL !== undefined;
  if (isOwn === (database === 'dump')) return;
  throw new ConfigError(
    isOwn
      ? 'The backup is of an embedded database, which is restored only without DATABASE_URL.'
      : 'The backup is of a database of your own: set DATABASE_URL to an empty one.',
  );
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
