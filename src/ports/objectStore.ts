import type { Readable } from 'node:stream';

export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  /** Changes whenever the content changes. Without quotes. */
  readonly etag: string;
  readonly modifiedAt: Date;
}

export interface StreamedObject {
  readonly info: ObjectInfo;
  readonly body: Readable;
}

/** Inclusive byte positions, as in RFC 9110 section 14. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What a killed process left behind: half-written, half-deleted or lent files. */
export interface Leftover {
  /** A name by which staff can find it. */
  readonly name: string;
  readonly touchedAt: Date;
}

/**
 * Stores sources and streams. Keys are slash-separated segments of `[A-Za-z0-9._-]` that never start with a dot;
 * anything else is refused before it reaches the store.
 */
export interface ObjectStore {
  /**
   * Stores the whole object or nothing: a reader never sees half an object. Returns its size. If `sizeBytes` is known,
   * the store can choose parts that fit objects of any size.
   */
  put(
    key: string,
    body: Readable,
    options?: { signal?: AbortSignal; sizeBytes?: number },
  ): Promise<{ sizeBytes: number }>;
  /** Moves or copies in a local file, which then belongs to the store. Uses a cheap rename if possible. */
  putFile(key: string, path: string): Promise<{ sizeBytes: number }>;
  /** Returns `null` if the object does not exist. */
  head(key: string): Promise<ObjectInfo | null>;
  /** Returns `null` if the object does not exist. */
  get(key: string, range?: ByteRange): Promise<StreamedObject | null>;
  /**
   * Reads the whole object into memory from `allocate`, or streams it if `allocate` returns null. Returns `null` if the
   * object does not exist. Throws if the object ends early.
   */
  read(
    key: string,
    allocate: (sizeBytes: number) => Buffer | null,
  ): Promise<StreamedObject | { readonly info: ObjectInfo; readonly bytes: Buffer } | null>;
  /**
   * Lends a path that can be read while `use` runs, for programs that need a file.
   *
   * @throws SERVICE_UNAVAILABLE if `use` found the file gone, because this process was suspended for hours
   */
  withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T>;
  /** Whether `withLocalFile` lends a copy, which takes space on this machine. */
  readonly lendsCopies: boolean;
  /** In key order. Streamed, never all at once. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Deleting an object that does not exist is not an error. */
  delete(key: string): Promise<void>;
  deletePrefix(prefix: string): Promise<void>;
  /** Leftovers that nobody has touched for hours. Those in local files are found only on their own machine. */
  listLeftovers(): AsyncIterable<Leftover>;
  /** @returns how many were removed */
  removeLeftovers(): Promise<number>;
  /** Resolves if the store is writable and has free space; throws otherwise. */
  check(): Promise<void>;
  /** How much more can be stored; `Infinity` if unknown. */
  freeBytes(): Promise<number>;
}
