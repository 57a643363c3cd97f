import { createWriteStream } from 'node:fs';
import { mkdir, open, opendir, rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { ObjectStore } from '../../ports/objectStore.js';
import type { StagedBytes, UploadRef, UploadStaging } from '../../ports/uploadStaging.js';
import { errorCode, FOLDER_MODE } from './durable.js';
import { checkKey } from './keys.js';

const NAME = /^([0-9a-f-]{36})\.([0-9a-f]{1,100})$/;

/** Unfinished uploads as files. On the file system of the object store, finishing an upload is a rename. */
export class DiskUploadStaging implements UploadStaging {
  private constructor(readonly dir: string) {}

  static async open(options: { dir: string }): Promise<DiskUploadStaging> {
    const dir = resolve(options.dir);
    await mkdir(dir, { recursive: true, mode: FOLDER_MODE });
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

  async write(ref: UploadRef, offset: number, body: Readable): Promise<number> {
    const file = createWriteStream(this.path(ref), { flags: 'r+', start: offset });
    await pipeline(body, file);
    return offset + file.bytesWritten;
  }

  async handOver(ref: UploadRef, key: string, store: ObjectStore): Promise<void> {
    await store.putFile(key, this.path(ref));
  }

  async remove(bytes: StagedBytes): Promise<void> {
    if (bytes.multipart === undefined) await rm(this.path(bytes), { force: true });
  }

  async *listIdle(idleSeconds: number): AsyncGenerator<StagedBytes> {
    for await (const { name } of await opendir(this.dir)) {
      const match = NAME.exec(name);
      const facts = match === null ? null : await stat(join(this.dir, name)).catch(() => null);
      if (match === null || facts === null || Date.now() - facts.mtimeMs < idleSeconds * 1000) continue;
      yield { accountId: match[1] ?? '', uploadId: match[2] ?? '' };
    }
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.dir);
    return bavail * bsize;
  }
}
