import type { Readable } from 'node:stream';

import { DataStore, Upload } from '@tus/server';

import type { UploadService } from '../../domain/media/uploads/uploads.js';
import { AppError } from '../../errors.js';
import { parseUploadKey } from './uploadKey.js';

/**
 * A tus store over our own rows: the service knows what an upload is, whether it still exists, and where its bytes are.
 * This class creates and expires nothing.
 */
export class StagedStore extends DataStore {
  override extensions = ['termination', 'expiration'];

  constructor(private readonly uploads: UploadService) {
    super();
  }

  override async getUpload(key: string): Promise<Upload> {
    const { accountId, uploadId } = parseUploadKey(key);
    const upload = await this.uploads.resume(accountId, uploadId);
    if (upload === null) throw new AppError('NOT_FOUND', 'Upload not found.');
    return new Upload({ id: key, size: upload.sizeBytes, offset: upload.offsetBytes });
  }

  override write(body: Readable, key: string, offset: number): Promise<number> {
    return this.uploads.receive(parseUploadKey(key), offset, body);
  }

  override async remove(key: string): Promise<void> {
    await this.uploads.discard(parseUploadKey(key));
  }

  override deleteExpired(): Promise<number> {
    return Promise.reject(new Error('uploads expire by our own rows'));
  }
}
