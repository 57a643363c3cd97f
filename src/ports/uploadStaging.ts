/** Names one upload. Both parts are ours: neither comes from a file name. */
export interface UploadRef {
  readonly accountId: string;
  readonly uploadId: string;
}

/** Where the bytes of unfinished uploads gather. Shared by every process that takes uploads. */
export interface UploadStaging {
  /** Makes the empty file; one that is there stays as it is. */
  create(ref: UploadRef): Promise<void>;
  /** Bytes that have arrived; `null` where there is no file. */
  sizeBytes(ref: UploadRef): Promise<number | null>;
  /** For handing the finished file over to the object store. */
  path(ref: UploadRef): string;
  /** Removing what is not there is fine. */
  remove(ref: UploadRef): Promise<void>;
  /** Files that nobody has written to for `idleSeconds`. */
  listIdle(idleSeconds: number): Promise<UploadRef[]>;
  /** How much more can gather here. */
  freeBytes(): Promise<number>;
}
