/** One file of an archive. */
export interface ArchiveEntry {
  readonly path: string;
  readonly sizeBytes: number;
  /** To be read before the next entry. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Writes an archive, one entry after the other. */
export interface ArchiveWriter {
  add(entry: ArchiveEntry): Promise<void>;
  /** Resolves when everything so far is with the output. An archive that is cut off here can be continued. */
  flush(): Promise<void>;
  /** Ends the archive. */
  end(): Promise<void>;
}

/** Reads an archive once, from its beginning to its end. @throws MoveError for what is no archive, or is cut off */
export interface ArchiveReader {
  entries(): AsyncIterable<ArchiveEntry>;
}

/** Lines on disk, for what does not fit into memory. */
export interface Scratch {
  append(name: string, lines: readonly string[]): Promise<void>;
  /** In order. None, if nothing was appended. */
  lines(name: string): AsyncIterable<string>;
}

export type MoveErrorCode =
  | 'ACCOUNT_IN_DEBT'
  | 'ACCOUNT_NOT_MOVABLE'
  | 'ALREADY_IMPORTED'
  | 'ARCHIVE_DAMAGED'
  | 'ARCHIVE_REFUSED'
  | 'ARCHIVE_UNREADABLE'
  | 'ARCHIVE_UNTRUSTED'
  | 'ARCHIVE_VERSION'
  | 'IMPORT_RUNNING'
  | 'OBJECT_MISSING'
  | 'PASSPHRASE_MISSING'
  | 'STORE_FULL'
  | 'TAKEN'
  | 'WRONG_PASSPHRASE';

/** An account cannot be moved. The message is for the person at the terminal, and contains no secrets. */
export class MoveError extends Error {
  override readonly name = 'MoveError';

  constructor(
    readonly code: MoveErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
