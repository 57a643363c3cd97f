import type { Readable } from 'node:stream';

import { AppError } from '../../errors.js';
import type { ObjectStore } from '../../ports/objectStore.js';
import {
  sourceKeyOf,
  type MultipartRow,
  type MultipartRows,
  type OpenUpload,
  type StagedBytes,
  type UploadRef,
  type UploadStaging,
} from '../../ports/uploadStaging.js';
import type { ByteBudget } from './byteBudget.js';
import { writeParts } from './partWriter.js';
import { StoreRefusedError } from './refused.js';
import type { S3Multiparts, SentPart } from './s3Multiparts.js';
import { MAX_PARTS, partBytesFor } from './s3Upload.js';

/** Each incoming upload holds two parts in memory. */
const MAX_PART_BYTES = 64 * 1024 * 1024;
/** A process that sends a whole object in one go has this long; until then its parts may still be wanted. */
const LEFTOVER_AGE_SECONDS = 24 * 3600;
/** How many one listing looks at. The next listing begins where it ended. */
const MAX_LISTED = 10_000;
/** A try is lost if another process begins the same upload at the same moment. */
const BEGIN_TRIES = 3;
const KEY = /^sources\/([0-9a-f-]{36})\/[0-9a-f-]{36}\/([0-9a-f]{40})$/;

/** An upload as the bucket has it. */
interface Multipart {
  readonly key: string;
  readonly id: string;
  readonly partBytes: number;
  readonly sizeBytes: number;
  /** Consecutive parts from the first; parts after a gap are sent again. */
  readonly parts: readonly SentPart[];
  readonly tailBytes: number;
}

export interface S3StagingOptions {
  readonly rows: MultipartRows;
  readonly multiparts: S3Multiparts;
  /** The memory that all uploads of this process may hold. */
  readonly budget: ByteBudget;
  /** Part size of all but the longest videos, which need larger parts. S3's minimum is 5 MiB. */
  readonly partBytes?: number | undefined;
  /** Multipart uploads that belong to no open upload are leftovers after this long. Default one day. */
  readonly leftoverAgeSeconds?: number;
  /** Default 10,000. */
  readonly maxListed?: number;
}

/**
 * Uploads that collect in the bucket itself, as parts of the final object. No video is stored on a local disk.
 *
 * The row names the multipart upload and the length of its parts; the bucket knows which parts have arrived. So any
 * process that resumes sends the same bytes under the same numbers, and a suspended writer that wakes up writes nothing
 * that is not there already. Bytes that do not fill a part are stored beside it as its tail.
 */
export class S3UploadStaging implements UploadStaging {
  /** Where the last listing ended, unless it reached the end. */
  private listedUpTo: { readonly key: string; readonly id: string } | undefined;

  constructor(private readonly options: S3StagingOptions) {}

  async create(upload: OpenUpload): Promise<void> {
    if (upload.sizeBytes === 0) await this.options.multiparts.putEmpty(sourceKeyOf(upload));
  }

  async sizeBytes(ref: UploadRef): Promise<number | null> {
    const row = await this.options.rows.find(ref);
    const multipart = row === null ? null : await this.look(ref, row);
    return multipart === null ? null : offsetOf(multipart);
  }

  async write(upload: OpenUpload, offset: number, body: Readable): Promise<number> {
    const { multiparts, budget } = this.options;
    const multipart = await this.begun(upload);
    if (offsetOf(multipart) !== offset) throw new AppError('INVALID_STATE', 'Upload offset does not match.');
    const { key, id, sizeBytes, partBytes, tailBytes } = multipart;
    const start = { parts: multipart.parts.length, tailBytes };
    const sink = {
      sizeBytes,
      partBytes,
      start,
      readTail: (into: Buffer) => multiparts.readTail({ key, id, parts: start.parts }, into, tailBytes),
      send: (number: number, bytes: Buffer) => multiparts.send(key, id, number, bytes),
      keepTail: (parts: number, bytes: Buffer) => multiparts.putTail({ key, id, parts }, bytes),
    };
    return writeParts(body, sink, budget);
  }

  /** Removes the tail first: nobody would look for it once the parts are an object. */
  async handOver(upload: OpenUpload, key: string, _store: ObjectStore): Promise<void> {
    const row = await this.options.rows.find(upload);
    const multipart = row === null ? null : await this.look(upload, row);
    if (multipart === null || offsetOf(multipart) !== upload.sizeBytes) {
      throw new AppError('NOT_FOUND', 'The parts of this upload are missing.');
    }
    await this.options.multiparts.removeTail(key);
    await this.options.multiparts.complete(key, multipart.id, multipart.parts);
  }

  async remove(bytes: StagedBytes): Promise<void> {
    const { multiparts } = this.options;
    if (bytes.multipart !== undefined) {
      await multiparts.abort(bytes.multipart.key, bytes.multipart.id);
      return;
    }
    const row = await this.options.rows.find(bytes);
    if (row === null || row.multipart === null) return;
    const key = sourceKeyOf({ ...bytes, videoId: row.videoId });
    await multiparts.abort(key, row.multipart.id);
    await multiparts.removeTail(key);
  }

  /** The right to list them is useful, but not required: a rule of the bucket can abort old ones. */
  async *listIdle(): AsyncGenerator<StagedBytes> {
    const before = Date.now() - (this.options.leftoverAgeSeconds ?? LEFTOVER_AGE_SECONDS) * 1000;
    const { multiparts, maxListed = MAX_LISTED } = this.options;
    let listed = 0;
    try {
      for await (const { key, id, begunAt } of multiparts.list('sources/', this.listedUpTo)) {
        this.listedUpTo = { key, id };
        const match = KEY.exec(key);
        if (match !== null && begunAt.getTime() <= before) {
          yield { accountId: match[1] ?? '', uploadId: match[2] ?? '', multipart: { key, id } };
        }
        listed += 1;
        if (listed === maxListed) return;
      }
      this.listedUpTo = undefined;
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
    }
  }

  /** A bucket has no limit, but the parts of one object do. */
  freeBytes(): Promise<number> {
    return Promise.resolve(MAX_PARTS * MAX_PART_BYTES);
  }

  private async begun(upload: OpenUpload): Promise<Multipart> {
    const { rows, multiparts } = this.options;
    const key = sourceKeyOf(upload);
    for (let tries = 1; tries <= BEGIN_TRIES; tries += 1) {
      const row = await this.options.rows.find(upload);
      if (row === null) throw new AppError('NOT_FOUND', 'Upload not found.');
      const multipart = await this.look(upload, row);
      if (multipart !== null) return multipart;
      const id = await multiparts.begin(key);
      const partBytes = partBytesFor(upload.sizeBytes, this.options.partBytes);
      const isOurs = await rows.begin(upload, id, partBytes, row.multipart?.id ?? null);
      if (!isOurs) await multiparts.abort(key, id);
    }
    throw new AppError('UPLOAD_BUSY', 'Another connection is sending this file.');
  }

  /** `null` if none was begun, or the bucket no longer has it: a rule of the bucket may abort old ones. */
  private async look(ref: UploadRef, row: MultipartRow): Promise<Multipart | null> {
    if (row.multipart === null) return null;
    const { multiparts } = this.options;
    const key = sourceKeyOf({ ...ref, videoId: row.videoId });
    const { sizeBytes } = row;
    const { id, partBytes } = row.multipart;
    const all = await multiparts.parts(key, id);
    if (all === null) return null;
    const gap = all.findIndex(
      (part, n) => part.number !== n + 1 || part.sizeBytes !== Math.min(partBytes, sizeBytes - n * partBytes),
    );
    const parts = gap === -1 ? all : all.slice(0, gap);
    const isWhole = parts.length * partBytes >= sizeBytes;
    const tailBytes = isWhole ? 0 : await multiparts.tailBytes({ key, id, parts: parts.length });
    return { key, id, partBytes, sizeBytes, parts, tailBytes };
  }
}

function offsetOf({ parts, partBytes, sizeBytes, tailBytes }: Multipart): number {
  return Math.min(parts.length * partBytes, sizeBytes) + tailBytes;
}
