import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';

import type { ByteRange, Leftover, ObjectInfo, ObjectStore, StreamedObject } from '../../ports/objectStore.js';
import { checkKey, checkPrefix } from './keys.js';
import { StoreRefusedError } from './refused.js';
import { createS3Client, isMissingObject, s3Error, statusOf, type S3Access } from './s3Client.js';
import { download } from './s3Download.js';
import { S3Links } from './s3Links.js';
import { S3Multiparts, type BegunMultipart } from './s3Multiparts.js';
import { headersOf, uploadStream, type UploadTarget } from './s3Upload.js';
import { ScratchFolder } from './scratchFolder.js';

/** Longer than any put takes, even by a suspended process, and short enough that leftovers are gone within a day. */
const LEFTOVER_AGE_MS = 12 * 3600 * 1000;
/** Also the maximum of one deletion. */
const PAGE_SIZE = 1000;
const CHECK_WITHIN_MS = 5000;
/** Never listed, because no key of an object begins with a dot. */
const CHECK_KEY = '.check';

export interface S3ObjectStoreOptions extends S3Access {
  /** Begins every key in the bucket: empty, or plain names, each followed by a slash. */
  readonly prefix: string;
  /** Absolute. Holds objects while a program needs them as files. */
  readonly downloadDir: string;
  /** Objects per page of a listing, at most 1000. Default 1000. */
  readonly pageSize?: number;
  /** Parts of puts that began longer ago are leftovers. Default half a day. */
  readonly leftoverAgeMs?: number;
}

/** Objects in an S3 bucket, or in a bucket of any S3-compatible server. */
export class S3ObjectStore implements ObjectStore {
  readonly lendsCopies = true;

  private constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
    private readonly prefix: string,
    private readonly downloads: ScratchFolder,
    private readonly pageSize: number,
    private readonly leftoverAgeMs: number,
    /** Presigned addresses of this bucket's objects. */
    readonly links: S3Links,
    /** Uploads that arrive over many requests. */
    readonly multiparts: S3Multiparts,
  ) {}

  /**
   * Checks that the bucket exists and is writable.
   *
   * @throws StoreRefusedError with what is wrong; SERVICE_UNAVAILABLE if the server does not respond
   */
  static async open(options: S3ObjectStoreOptions): Promise<S3ObjectStore> {
    const { bucket, prefix, region, accessKeyId, secretAccessKey } = options;
    if (prefix !== '') checkPrefix(prefix);
    const client = createS3Client(options);
    const bucketUrl = bucketUrlOf(client, options);
    const links = new S3Links({ bucketUrl, region, accessKeyId, secretAccessKey, prefix });
    const downloads = await ScratchFolder.open(options.downloadDir);
    const multiparts = new S3Multiparts(client, bucket, prefix);
    const { pageSize = PAGE_SIZE, leftoverAgeMs = LEFTOVER_AGE_MS } = options;
    const store = new S3ObjectStore(client, bucket, prefix, downloads, pageSize, leftoverAgeMs, links, multiparts);
    try {
      await store.check();
    } catch (error) {
      client.destroy();
      throw error;
    }
    return store;
  }

  close(): void {
    this.client.destroy();
  }

  async put(
    key: string,
    body: Readable,
    options: { signal?: AbortSignal; sizeBytes?: number } = {},
  ): Promise<{ sizeBytes: number }> {
    return { sizeBytes: await uploadStream(this.client, this.target(key), body, options) };
  }

  async putFile(key: string, path: string): Promise<{ sizeBytes: number }> {
    const target = this.target(key);
    const { size: sizeBytes } = await stat(path);
    await uploadStream(this.client, target, createReadStream(path), { sizeBytes });
    await rm(path, { force: true });
    return { sizeBytes };
  }

  async head(key: string): Promise<ObjectInfo | null> {
    const name = this.nameOf(key);
    try {
      const found = await this.client.send(new HeadObjectCommand(name));
      return infoOf(key, found.ContentLength, found.ETag, found.LastModified);
    } catch (error) {
      if (isMissingObject(error)) return null;
      throw s3Error(error);
    }
  }

  async get(key: string, range?: ByteRange): Promise<StreamedObject | null> {
    const name = this.nameOf(key);
    if (range !== undefined && (range.start < 0 || range.start > range.end)) throw rangeError(range);
    const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    try {
      const found = await this.client.send(new GetObjectCommand({ ...name, ...part }));
      const sizeBytes = range === undefined ? found.ContentLength : Number(found.ContentRange?.split('/')[1]);
      const body = found.Body as IncomingMessage;
      return { info: infoOf(key, sizeBytes, found.ETag, found.LastModified), body };
    } catch (error) {
      if (isMissingObject(error)) return null;
      if (range !== undefined && statusOf(error) === 416) throw rangeError(range);
      throw s3Error(error);
    }
  }

  async read(key: string, allocate: (sizeBytes: number) => Buffer | null): ReturnType<ObjectStore['read']> {
    const found = await this.get(key);
    const bytes = found && allocate(found.info.sizeBytes);
    if (!bytes) return found;
    let length = 0;
    for await (const piece of found.body as AsyncIterable<Buffer>) length += piece.copy(bytes, length);
    if (length !== bytes.length) throw new Error(`An object of ${bytes.length} bytes ended after ${length}.`);
    return { info: found.info, bytes };
  }

  async withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T> {
    checkKey(key);
    return this.downloads.lend(async (path) => {
      await download(this, key, path);
      return use(path);
    });
  }

  async *list(prefix: string): AsyncIterable<ObjectInfo> {
    checkPrefix(prefix);
    for await (const page of this.pages(prefix)) yield* page;
  }

  async delete(key: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand(this.nameOf(key))).catch((error: unknown) => {
      if (!isMissingObject(error)) throw s3Error(error);
    });
  }

  async deletePrefix(prefix: string): Promise<void> {
    checkPrefix(prefix);
    for await (const page of this.pages(prefix)) {
      if (page.length === 0) continue;
      const Objects = page.map(({ key }) => ({ Key: this.prefix + key }));
      const Delete = { Objects, Quiet: true };
      const { Errors = [] } = await this.client
        .send(new DeleteObjectsCommand({ Bucket: this.bucket, Delete }))
        .catch(rethrow);
      const failed = Errors.find(({ Code }) => Code !== 'NoSuchKey');
      if (failed)
        throw new StoreRefusedError(`The object store refused to delete: ${failed.Code ?? 'no reason given'}.`);
    }
  }

  async *listLeftovers(): AsyncIterable<Leftover> {
    yield* this.downloads.leftovers();
    for await (const { key, begunAt } of this.idleMultiparts()) yield { name: `parts of ${key}`, touchedAt: begunAt };
  }

  async removeLeftovers(): Promise<number> {
    let removed = await this.downloads.removeLeftovers();
    for await (const { key, id } of this.idleMultiparts()) {
      // If one cannot be aborted, the ones after it still are.
      const isGone = await this.multiparts.abort(key, id).then(
        () => true,
        () => false,
      );
      if (isGone) removed += 1;
    }
    return removed;
  }

  async check(): Promise<void> {
    const signal = AbortSignal.timeout(CHECK_WITHIN_MS);
    const probe = { Bucket: this.bucket, Key: this.prefix + CHECK_KEY, Body: 'ok' };
    await this.client.send(new PutObjectCommand(probe), { abortSignal: signal }).catch(rethrow);
  }

  /** Buckets report no free space. */
  freeBytes(): Promise<number> {
    return Promise.resolve(Infinity);
  }

  private async *pages(prefix: string): AsyncGenerator<ObjectInfo[]> {
    for (let ContinuationToken: string | undefined; ;) {
      const ask = { Bucket: this.bucket, Prefix: this.prefix + prefix, MaxKeys: this.pageSize, ContinuationToken };
      const page = await this.client.send(new ListObjectsV2Command(ask)).catch(rethrow);
      yield (page.Contents ?? []).map(({ Key = '', Size, ETag, LastModified }) =>
        infoOf(Key.slice(this.prefix.length), Size, ETag, LastModified),
      );
      ContinuationToken = page.NextContinuationToken;
      if (page.IsTruncated !== true || ContinuationToken === undefined) return;
    }
  }

  /** The right to list multipart uploads is useful, but not required: a rule of the bucket can remove old ones too. */
  private async *idleMultiparts(): AsyncGenerator<BegunMultipart> {
    try {
      for await (const multipart of this.multiparts.list('')) {
        // Sources may take as long as their owners like; the database knows whether they are still wanted.
        if (multipart.key.startsWith('sources/')) continue;
        if (Date.now() - multipart.begunAt.getTime() > this.leftoverAgeMs) yield multipart;
      }
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
    }
  }

  private target(key: string): UploadTarget {
    return { ...this.nameOf(key), ...headersOf(key) };
  }

  private nameOf(key: string): { Bucket: string; Key: string } {
    checkKey(key);
    return { Bucket: this.bucket, Key: this.prefix + key };
  }
}

/** The address that the client itself would use. */
function bucketUrlOf(client: S3Client, { bucket, region, endpoint, forcePathStyle }: S3ObjectStoreOptions): string {
  const where = { Bucket: bucket, Region: region, ForcePathStyle: forcePathStyle };
  const { url } = client.config.endpointProvider({
    ...where,
    ...(endpoint === undefined ? {} : { Endpoint: endpoint }),
  });
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

/** Listings have times with fractions of a second, headers do not. Both are cut to whole seconds. */
function infoOf(
  key: string,
  size: number | undefined,
  etag: string | undefined,
  modified: Date | undefined,
): ObjectInfo {
  if (size === undefined || !Number.isFinite(size) || etag === undefined || modified === undefined) {
    throw new StoreRefusedError('The object store left out the size, the ETag or the date of an object.');
  }
  const modifiedAt = new Date(Math.floor(modified.getTime() / 1000) * 1000);
  return { key, sizeBytes: size, etag: etag.replaceAll('"', ''), modifiedAt };
}

function rangeError({ start, end }: ByteRange): RangeError {
  return new RangeError(`range ${start}-${end} is outside the object`);
}

function rethrow(error: unknown): never {
  throw s3Error(error);
}
