import type { Readable } from 'node:stream';

import type { ObjectStore } from './objectStore.js';

/** Identifies one upload. We choose both parts; neither comes from a file name. */
export interface UploadRef {
  readonly accountId: string;
  readonly uploadId: string;
}

/** An upload that may still receive bytes. */
export interface OpenUpload extends UploadRef {
  readonly videoId: string;
  /** As promised at creation; more is never accepted. */
  readonly sizeBytes: number;
}

/** Stored bytes of an upload, whether or not the upload still needs them. */
export interface StagedBytes extends UploadRef {
  /** The multipart upload in a bucket; one upload can leave several. Absent for a file. */
  readonly multipart?: { readonly key: string; readonly id: string };
}

/** The object that the upload becomes. */
export function sourceKeyOf({ accountId, videoId, uploadId }: UploadRef & { videoId: string }): string {
  return `sources/${accountId}/${videoId}/${uploadId}`;
}

/** Stores the bytes of unfinished uploads. Shared by every process that accepts uploads. */
export interface UploadStaging {
  /** Prepares space to write to. Keeps bytes that have already arrived. */
  create(upload: OpenUpload): Promise<void>;
  /** The number of bytes that have arrived; `null` if there is nothing here. */
  sizeBytes(ref: UploadRef): Promise<number | null>;
  /**
   * Appends bytes at `offset`, which is the current end of the upload. The caller must ensure that nobody else writes.
   * However the body ends, the bytes received so far are kept.
   *
   * @returns the new end of the upload
   */
  write(upload: OpenUpload, offset: number, body: Readable): Promise<number>;
  /** Turns everything that has arrived into the object `key` of `store`. */
  handOver(upload: OpenUpload, key: string, store: ObjectStore): Promise<void>;
  /** Removing something that does not exist is not an error. */
  remove(bytes: StagedBytes): Promise<void>;
  /** Uploads that nobody has written to for `idleSeconds`, or for longer if a writer may be that slow. */
  listIdle(idleSeconds: number): AsyncIterable<StagedBytes>;
  /** How many more bytes fit here. */
  freeBytes(): Promise<number>;
}

/** The multipart upload in the bucket that collects an unfinished upload, according to its row. */
export interface MultipartRow {
  readonly videoId: string;
  readonly sizeBytes: number;
  readonly multipart: { readonly id: string; readonly partBytes: number } | null;
}

export interface MultipartRows {
  /** Returns `null` if the upload is finished or gone. */
  find(upload: UploadRef): Promise<MultipartRow | null>;
  /** Replaces `insteadOf` only. @returns whether it did: of two concurrent callers, one does */
  begin(upload: UploadRef, id: string, partBytes: number, insteadOf: string | null): Promise<boolean>;
}
