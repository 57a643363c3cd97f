import type { Readable } from 'node:stream';

import type { ObjectStore } from './objectStore.js';

/** Names one upload. Both parts are ours: neither comes from a file name. */
export interface UploadRef {
  readonly accountId: string;
  readonly uploadId: string;
}

/** An upload that may still receive bytes. */
export interface OpenUpload extends UploadRef {
  readonly videoId: string;
  /** As it was promised; never more is taken. */
  readonly sizeBytes: number;
}

/** Bytes that lie somewhere in the name of an upload, whether or not it still wants them. */
export interface StagedBytes extends UploadRef {
  /** Which multipart upload of a bucket: one upload can leave several. Absent for a file. */
  readonly multipart?: { readonly key: string; readonly id: string };
}

/** The object that an upload becomes. */
export function sourceKeyOf({ accountId, videoId, uploadId }: UploadRef & { videoId: string }): string {
  return `sources/${accountId}/${videoId}/${uploadId}`;
}

/** Where the bytes of unfinished uploads gather. Shared by every process that takes uploads. */
export interface UploadStaging {
  /** Makes room to write to; what has arrived stays as it is. */
  create(upload: OpenUpload): Promise<void>;
  /** Bytes that have arrived; `null` where nothing lies here. */
  sizeBytes(ref: UploadRef): Promise<number | null>;
  /**
   * Takes bytes from `offset` on, which is where the upload stands. The caller sees to it that nobody else does. However
   * the body ends, what came before is kept.
   *
   * @returns where the upload stands now.
   */
  write(upload: OpenUpload, offset: number, body: Readable): Promise<number>;
  /** Makes all that has arrived the object `key` of `store`. */
  handOver(upload: OpenUpload, key: string, store: ObjectStore): Promise<void>;
  /** Removing what is not there is fine. */
  remove(bytes: StagedBytes): Promise<void>;
  /** What nobody has written to for `idleSeconds`, or for longer where a writer may be that slow. */
  listIdle(idleSeconds: number): AsyncIterable<StagedBytes>;
  /** How much more can gather here. */
  freeBytes(): Promise<number>;
}

/** Which multipart upload of the bucket an unfinished upload gathers in, as its row says. */
export interface MultipartRow {
  readonly videoId: string;
  readonly sizeBytes: number;
  readonly multipart: { readonly id: string; readonly partBytes: number } | null;
}

export interface MultipartRows {
  /** `null` where the upload is finished, or gone. */
  find(upload: UploadRef): Promise<MultipartRow | null>;
  /** Only in the place of the one that was looked at. @returns whether it took its place: of two beginners, one does. */
  begin(upload: UploadRef, id: string, partBytes: number, insteadOf: string | null): Promise<boolean>;
}
