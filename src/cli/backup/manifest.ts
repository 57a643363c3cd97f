import type { BackupFacts } from '../../domain/operations/backups/backupFacts.js';
import { BackupError } from '../../ports/backupRepository.js';

/** Below DATA_DIR, while a backup is made or restored; and in the snapshot. */
export const STAGED = 'backup';
export const MANIFEST = `${STAGED}/manifest.json`;
/** The embedded database, in the form that `dhara backup --to FILE` writes, uncompressed. */
export const EMBEDDED_DATABASE = `${STAGED}/database.tar`;
/** Your own database, as pg_dump writes it. */
export const DUMPED_DATABASE = `${STAGED}/database.dump`;
export const SEALS = `${STAGED}/ledger-seals.jsonl`;
/** Sources and streams: the folder of the disk store, and of the copy of a bucket. Each has its files in `objects`. */
export const STORE = 'store';
export const MIRROR = 'mirror';

const FORMAT = 1;

export interface BackupManifest {
  readonly format: number;
  /** Every change committed before this moment is in the backup. */
  readonly takenAt: string;
  readonly database: 'embedded' | 'dump';
  /** Where the objects are. */
  readonly store: typeof STORE | typeof MIRROR;
  readonly databaseBytes: number;
  /** SHA-256 of the file with the database. */
  readonly databaseSha256: string;
  /** Names the master key that opens the secrets, which is not in the backup. Reveals nothing about it. */
  readonly masterKeyId: string;
  readonly facts: BackupFacts;
}

export function writeManifest(manifest: Omit<BackupManifest, 'format'>): string {
  return `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`;
}

/** @throws BackupError if another release of Dhara, or something else, wrote it */
export function readManifest(text: string): BackupManifest {
  let manifest: Partial<BackupManifest> = {};
  try {
    manifest = JSON.parse(text) as Partial<BackupManifest>;
  } catch {
    // Not ours, as below.
  }
  if (manifest.format === FORMAT) return manifest as BackupManifest;
  throw new BackupError('WRONG_RELEASE', 'Another release of Dhara wrote this backup. Restore it with that release.');
}
