import type { Readable } from 'node:stream';

import { FileStore } from '@tus/file-store';
import { Upload } from '@tus/server';

import type { UploadService } from '../domain/videos/uploads.js';
import { AppError } from '../errors.js';
import { parseUploadKey } from './uploadKey.js';

/** A write that took longer has used up a noticeable part of the time until the upload counts as abandoned. */
const LONG_WRITE_MS = 60_000;

/**
 * The tus file store over our own rows: what an upload is and whether it still exists is asked of the database; the
 * package only writes the bytes. There are no `.info` files, and its own expiry, which forgets who finished, never runs.
 */
export class StagedFileStore extends FileStore {
  constructor(
    directory: string,
    private readonly uploads: UploadService,
  ) {
    super({ directory, configstore: NO_CONFIG });
    this.extensions = ['termination', 'expiration'];
  }

  override async getUpload(key: string): Promise<Upload> {
    const { accountId, uploadId } = parseUploadKey(key);
    const upload = await this.uploads.resume(accountId, uploadId);
    if (upload === null) throw new AppError('NOT_FOUND', 'There is no such upload.');
    return new Upload({ id: key, size: upload.sizeBytes, offset: upload.offsetBytes });
  }

  override async write(body: Readable, key: string, offset: number): Promise<number> {
    const ref = parseUploadKey(key);
    const startedAt = performance.now();
    await this.uploads.touch(ref);
    const newOffset = await super.write(body, key, offset);
    if (performance.now() - startedAt > LONG_WRITE_MS) await this.uploads.touch(ref);
    return newOffset;
  }

  override async remove(key: string): Promise<void> {
    await this.uploads.discard(parseUploadKey(key));
  }

  override deleteExpired(): Promise<number> {
    return Promise.reject(new Error('uploads expire by our own rows'));
  }
}

const NO_CONFIG = {
  get: () => Promise.resolve(undefined),
  set: () => Promise.resolve(),
  delete: () => Promise.resolve(),
};
