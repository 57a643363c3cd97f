import type { Readable } from 'node:stream';

export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  /** Changes whenever the content does. Without quotes. */
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

/** What a killed process left: half-written, half-deleted, or lent to it. */
export interface Leftover {
  /** As staff can find it. */
  readonly name: string;
  readonly touchedAt: Date;
}

/**
 * Where videos lie. Keys are slash-separated segments of `[A-Za-z0-9._-]`, never starting with a dot; anything else is
 * refused before it touches the store.
 */
export interface ObjectStore {
  /**
   * Whole or not at all: a reader never sees half an object. Returns its size. `sizeBytes`, where it is known, lets a
   * store take objects of any size in parts that fit.
   */
  put(
    key: string,
    body: Readable,
    options?: { signal?: AbortSignal; sizeBytes?: number },
  ): Promise<{ sizeBytes: number }>;
  /** Moves or copies a local file in; the file is the store's afterwards. A cheap rename where the store can. */
  putFile(key: string, path: string): Promise<{ sizeBytes: number }>;
  /** `null` where there is no such object. */
  head(key: string): Promise<ObjectInfo | null>;
  /** `null` where there is no such object. */
  get(key: string, range?: ByteRange): Promise<StreamedObject | null>;
  /**
   * The whole object in memory that `allocate` gives, or streamed where it gives none; `null` where there is no such
   * object. Throws where it ends before its end.
   */
  read(
    key: string,
    allocate: (sizeBytes: number) => Buffer | null,
  ): Promise<StreamedObject | { readonly info: ObjectInfo; readonly bytes: Buffer } | null>;
  /**
   * A path that can be read for as long as `use` runs, for programs that need a file.
   *
   * @throws SERVICE_UNAVAILABLE where `use` missed the file, since this process stood still for hours.
   */
  withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T>;
  /** Whether `withLocalFile` lends a copy, which takes up room on this machine. */
  readonly lendsCopies: boolean;
  /** In key order; streamed, never all at once. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Deleting what is not there is fine. */
  delete(key: string): Promise<void>;
  deletePrefix(prefix: string): Promise<void>;
  /** What nobody has touched for hours; on this machine, as far as it is on one. */
  listLeftovers(): AsyncIterable<Leftover>;
  /** @returns how many. */
  removeLeftovers(): Promise<number>;
  /** Resolves where the store can be written to and has room; throws otherwise. */
  check(): Promise<void>;
  /** How much more can be stored; `Infinity` where nothing tells. */
  freeBytes(): Promise<number>;
}
