import type { Readable } from 'node:stream';

import type { ObjectStore } from '../../ports/objectStore.js';
import type { OpenUpload, StagedBytes, UploadRef, UploadStaging } from '../../ports/uploadStaging.js';

/** New uploads go to `main`. Uploads that are already in `other`, from before the service moved, are finished there. */
export class EitherStaging implements UploadStaging {
  constructor(
    private readonly main: UploadStaging,
    private readonly other: UploadStaging,
  ) {}

  async create(upload: OpenUpload): Promise<void> {
    await (await this.placeOf(upload)).create(upload);
  }

  async sizeBytes(ref: UploadRef): Promise<number | null> {
    return (await this.other.sizeBytes(ref)) ?? this.main.sizeBytes(ref);
  }

  async write(upload: OpenUpload, offset: number, body: Readable): Promise<number> {
    return (await this.placeOf(upload)).write(upload, offset, body);
  }

  async handOver(upload: OpenUpload, key: string, store: ObjectStore): Promise<void> {
    await (await this.placeOf(upload)).handOver(upload, key, store);
  }

  async remove(bytes: StagedBytes): Promise<void> {
    await this.main.remove(bytes);
    await this.other.remove(bytes);
  }

  async *listIdle(idleSeconds: number): AsyncGenerator<StagedBytes> {
    yield* this.main.listIdle(idleSeconds);
    yield* this.other.listIdle(idleSeconds);
  }

  freeBytes(): Promise<number> {
    return this.main.freeBytes();
  }

  private async placeOf(ref: UploadRef): Promise<UploadStaging> {
    return (await this.other.sizeBytes(ref)) === null ? this.main : this.other;
  }
}
