import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { UploadRef, UploadStaging } from '../../ports/uploadStaging.js';
import { errorCode } from './durable.js';
import { checkKey } from './keys.js';

/** Unfinished uploads as files. On the file system of the object store, finishing one is a rename. */
export class DiskUploadStaging implements UploadStaging {
  private constructor(readonly dir: string) {}

  static async open(options: { dir: string }): Promise<DiskUploadStaging> {
    const dir = resolve(options.dir);
    await mkdir(dir, { recursive: true });
    return new DiskUploadStaging(dir);
  }

  async create(ref: UploadRef): Promise<void> {
    await (await open(this.path(ref), 'a')).close();
  }

  async sizeBytes(ref: UploadRef): Promise<number | null> {
    try {
      return (await stat(this.path(ref))).size;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }

  path(ref: UploadRef): string {
    const name = `${ref.accountId}.${ref.uploadId}`;
    checkKey(name);
    return join(this.dir, name);
  }

  async remove(ref: UploadRef): Promise<void> {
    await rm(this.path(ref), { force: true });
  }
}
