import { createHash } from 'node:crypto';

import {
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';

import { AppError } from '../../errors.js';
import { checkKey } from './keys.js';
import { isMissingObject, s3Error } from './s3Client.js';
import { abort, complete } from './s3Upload.js';

/** Suffix of the key that holds the beginning of a part that is not full yet. */
const TAIL_SUFFIX = '.tail';

export interface SentPart {
  readonly number: number;
  readonly sizeBytes: number;
  readonly etag: string;
}

export interface BegunMultipart {
  readonly key: string;
  readonly id: string;
  readonly begunAt: Date;
}

/** Identifies the part that a tail begins: the one after `parts` parts of this multipart upload. */
export interface TailPlace {
  readonly key: string;
  readonly id: string;
  readonly parts: number;
}

/**
 * The bucket's multipart uploads, one request per step. They hold uploads that arrive over hours and through several
 * processes. Each may have a tail: a small object with the beginning of the next part.
 */
export class S3Multiparts {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
    private readonly prefix: string,
  ) {}

  async begin(key: string): Promise<string> {
    const { UploadId } = await this.client.send(new CreateMultipartUploadCommand(this.nameOf(key))).catch(rethrow);
    if (UploadId === undefined) throw new Error('the object store began an upload without a name');
    return UploadId;
  }

  /** Parts in order of their numbers; `null` if the upload was completed, aborted, or never begun. */
  async parts(key: string, id: string): Promise<SentPart[] | null> {
    const parts: SentPart[] = [];
    for (let PartNumberMarker: string | undefined; ;) {
      const ask = { ...this.nameOf(key), UploadId: id, PartNumberMarker };
      const page = await this.client.send(new ListPartsCommand(ask)).catch(nullIfGone);
      if (page === null) return null;
      for (const { PartNumber, Size, ETag } of page.Parts ?? []) {
        if (PartNumber === undefined || Size === undefined || ETag === undefined) continue;
        parts.push({ number: PartNumber, sizeBytes: Size, etag: ETag });
      }
      PartNumberMarker = page.NextPartNumberMarker;
      if (page.IsTruncated !== true || PartNumberMarker === undefined) return parts;
    }
  }

  /** Idempotent: sending a part again replaces it. */
  async send(key: string, id: string, number: number, bytes: Buffer): Promise<void> {
    const part = { ...this.nameOf(key), UploadId: id, PartNumber: number, Body: bytes };
    await this.client.send(new UploadPartCommand(part)).catch(rethrow);
  }

  /** Idempotent. */
  async complete(key: string, id: string, parts: readonly SentPart[]): Promise<void> {
    const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
    const listed = parts.map(({ number, etag }): CompletedPart => ({ PartNumber: number, ETag: etag }));
    await complete(this.client, { ...this.nameOf(key), UploadId: id }, listed, sizeBytes);
  }

  /** @throws SERVICE_UNAVAILABLE if parts might be left behind */
  async abort(key: string, id: string): Promise<void> {
    if (await abort(this.client, { ...this.nameOf(key), UploadId: id })) return;
    throw new AppError('SERVICE_UNAVAILABLE', 'The object store did not release the parts of an upload.');
  }

  /**
   * Multipart uploads below a prefix that were neither completed nor aborted.
   * @param after the last one of an earlier listing
   */
  async *list(prefix: string, after?: { readonly key: string; readonly id: string }): AsyncGenerator<BegunMultipart> {
    const start = after && { KeyMarker: this.prefix + after.key, UploadIdMarker: after.id };
    for (let marker: { KeyMarker?: string; UploadIdMarker?: string } = start ?? {}; ;) {
      const ask = { Bucket: this.bucket, Prefix: this.prefix + prefix, ...marker };
      const page = await this.client.send(new ListMultipartUploadsCommand(ask)).catch(rethrow);
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key === undefined || UploadId === undefined || Initiated === undefined) continue;
        yield { key: Key.slice(this.prefix.length), id: UploadId, begunAt: Initiated };
      }
      if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return;
      marker = { KeyMarker: page.NextKeyMarker };
      if (page.NextUploadIdMarker !== undefined) marker.UploadIdMarker = page.NextUploadIdMarker;
    }
  }

  /** A video without bytes has no parts. */
  async putEmpty(key: string): Promise<void> {
    await this.client.send(new PutObjectCommand({ ...this.nameOf(key), Body: Buffer.alloc(0) })).catch(rethrow);
  }

  async putTail(place: TailPlace, bytes: Buffer): Promise<void> {
    const tail = { ...this.tailOf(place.key), Body: bytes, Metadata: { of: markOf(place) } };
    await this.client.send(new PutObjectCommand(tail)).catch(rethrow);
  }

  /** Length of the tail; 0 if there is none, or if it begins another part. */
  async tailBytes(place: TailPlace): Promise<number> {
    const found = await this.client.send(new HeadObjectCommand(this.tailOf(place.key))).catch(nullIfMissing);
    return found?.Metadata?.['of'] === markOf(place) ? (found.ContentLength ?? 0) : 0;
  }

  /** Reads the tail into the beginning of `into`. @throws if it is not the one that `tailBytes` saw */
  async readTail(place: TailPlace, into: Buffer, sizeBytes: number): Promise<void> {
    const found = await this.client.send(new GetObjectCommand(this.tailOf(place.key))).catch(rethrow);
    const body = found.Body as AsyncIterable<Buffer> & { destroy(): void };
    if (found.Metadata?.['of'] !== markOf(place) || found.ContentLength !== sizeBytes) {
      body.destroy();
      throw new AppError('INVALID_STATE', 'The upload continued on another connection.');
    }
    let read = 0;
    for await (const chunk of body) read += chunk.copy(into, read);
    if (read !== sizeBytes) throw new AppError('SERVICE_UNAVAILABLE', 'The object store is not responding.');
  }

  async removeTail(key: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand(this.tailOf(key))).catch(nullIfMissing);
  }

  private tailOf(key: string): { Bucket: string; Key: string } {
    return this.nameOf(key + TAIL_SUFFIX);
  }

  private nameOf(key: string): { Bucket: string; Key: string } {
    checkKey(key);
    return { Bucket: this.bucket, Key: this.prefix + key };
  }
}

/** Hashed, because ids can be too long for metadata. */
function markOf({ id, parts }: TailPlace): string {
  return createHash('sha256').update(`${id}:${parts}`).digest('hex');
}

function nullIfGone(error: unknown): null {
  if (error instanceof Error && error.name === 'NoSuchUpload') return null;
  throw s3Error(error);
}

function nullIfMissing(error: unknown): null {
  if (isMissingObject(error)) return null;
  throw s3Error(error);
}

function rethrow(error: unknown): never {
  throw s3Error(error);
}
