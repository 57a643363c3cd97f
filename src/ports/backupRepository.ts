/** A complete backup in the repository. */
export interface Snapshot {
  readonly id: string;
  readonly takenAt: Date;
}

export interface SavedFiles {
  readonly files: number;
  readonly bytes: number;
  /** What the repository did not have yet, before compression. */
  readonly addedBytes: number;
}

/**
 * Keeps backups of files, encrypted, on another machine or disk. A snapshot counts only once it is complete: `save`
 * writes it, and `complete` makes it count. So a backup that was killed, or that failed a check, is never restored.
 */
export interface BackupRepository {
  /** Creates the repository. @throws BackupError if it exists already */
  create(): Promise<void>;
  /** Complete snapshots, oldest first. @throws BackupError if the repository cannot be opened */
  snapshots(): Promise<readonly Snapshot[]>;
  /** Saves files and folders below `folder`, as a snapshot that does not count yet. @returns its id */
  save(folder: string, paths: readonly string[]): Promise<SavedFiles & { readonly unfinishedId: string }>;
  complete(unfinishedId: string): Promise<Snapshot>;
  /** Forgets snapshots that never became complete, and locks of processes that ended. */
  forgetUnfinished(): Promise<void>;
  /** Deletes snapshots that are more than `days` older than the newest, and the bytes that only they have. */
  prune(days: number): Promise<void>;
  /** One small file of a snapshot. */
  read(id: string, path: string): Promise<string>;
  /** How many bytes its files take. */
  sizeBytes(id: string): Promise<number>;
  /** Writes all files of a snapshot below `folder`, which others may not use meanwhile. */
  restore(id: string, folder: string): Promise<void>;
}

export type BackupErrorCode =
  | 'BACKUP_RUNNING'
  | 'BACKUP_TOOL_MISSING'
  | 'BACKUP_NOT_FOUND'
  | 'DATABASE_FAILED'
  | 'DISK_FULL'
  | 'FILES_UNREADABLE'
  | 'NOT_EMPTY'
  | 'REPOSITORY_DAMAGED'
  | 'REPOSITORY_FAILED'
  | 'REPOSITORY_LOCKED'
  | 'REPOSITORY_MISSING'
  | 'WRONG_MASTER_KEY'
  | 'WRONG_PASSWORD'
  | 'WRONG_RELEASE';

/** A backup or a restore cannot be done. The message is for the person at the terminal, and contains no secrets. */
export class BackupError extends Error {
  override readonly name = 'BackupError';

  constructor(
    readonly code: BackupErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
