import { addAbortSignal, type Readable } from 'node:stream';

import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';

import { s3Error } from './s3Client.js';

/** Above the protocol's minimum (5 MiB), and small enough to hold a few in memory. */
export const PART_BYTES = 8 * 1024 * 1024;
export const MAX_PARTS = 10_000;
const PARTS_AT_ONCE = 3;
const ABORT_TRIES = 3;

/** Where an upload goes, in S3's own terms. */
export interface UploadTarget {
  readonly Bucket: string;
  readonly Key: string;
  readonly ContentType?: string | undefined;
  readonly CacheControl?: string | undefined;
}

const IMMUTABLE = 'private, max-age=31536000, immutable';
/** Types of objects that browsers fetch from the bucket directly. Nothing under such a key is ever overwritten. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  m4s: 'video/mp4',
  mp4: 'video/mp4',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  vtt: 'text/vtt; charset=utf-8',
};

/** Headers for browsers that fetch an object directly from the bucket. */
export function headersOf(key: string): Pick<UploadTarget, 'ContentType' | 'CacheControl'> {
  const type = MEDIA_TYPES[key.slice(key.lastIndexOf('.') + 1)];
  if (type === undefined) return {};
  return { ContentType: key.includes('/audio/') ? type.replace('video/', 'audio/') : type, CacheControl: IMMUTABLE };
}

/**
 * Uploads a stream: small ones in one request, larger ones in parts, a few at a time. Holds at most `PARTS_AT_ONCE + 1`
 * parts in memory. If it fails (by the source, the store or the signal), no parts are left behind, unless the store
 * itself does not respond: then workers sweep the leftovers.
 *
 * @param sizeBytes if known: very large objects need larger parts, and a stream of another length is refused
 * @returns the number of bytes
 */
export async function uploadStream(
  client: S3Client,
  target: UploadTarget,
  body: Readable,
  { sizeBytes, signal }: { sizeBytes?: number; signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const failed = new AbortController();
  const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  // Also releases a source that never sends anything.
  addAbortSignal(either, body);
  const parts = inParts(body, partBytesFor(sizeBytes ?? 0));
  try {
    const first = await parts.next();
    const second = first.done === true ? first : await parts.next();
    if (first.done === true || second.done === true) {
      const only = first.done === true ? Buffer.alloc(0) : first.value;
      requireLength(only.length, sizeBytes);
      await client.send(new PutObjectCommand({ ...target, Body: only }), { abortSignal: either }).catch(rethrow);
      return only.length;
    }
    const all = prepend([first.value, second.value], parts);
    return await uploadInParts(client, target, all, { failed, signal: either, expectedBytes: sizeBytes });
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : error;
  } finally {
    body.destroy();
  }
}

interface PartsOptions {
  /** Aborted here when a part fails. */
  readonly failed: AbortController;
  /** Aborted for any reason, including `failed`. */
  readonly signal: AbortSignal;
  readonly expectedBytes: number | undefined;
}

async function uploadInParts(
  client: S3Client,
  target: UploadTarget,
  parts: AsyncIterable<Buffer>,
  { failed, signal, expectedBytes }: PartsOptions,
): Promise<number> {
  const { Bucket, Key } = target;
  const { UploadId } = await client
    .send(new CreateMultipartUploadCommand(target), { abortSignal: signal })
    .catch(rethrow);
  const upload = { Bucket, Key, UploadId };
  const done: CompletedPart[] = [];
  const running = new Set<Promise<void>>();
  let sizeBytes = 0;
  let failure: unknown;

  const send = async (PartNumber: number, Body: Buffer): Promise<void> => {
    try {
      const part = new UploadPartCommand({ ...upload, PartNumber, Body });
      const { ETag } = await client.send(part, { abortSignal: signal });
      done.push({ PartNumber, ETag });
    } catch (error) {
      // Parts that are aborted after the first failure say nothing about its cause.
      if (!failed.signal.aborted) failure ??= s3Error(error);
      failed.abort();
    }
  };

  try {
    let partNumber = 0;
    for await (const part of parts) {
      partNumber += 1;
      if (partNumber > MAX_PARTS) throw new Error(`more than ${MAX_PARTS} parts of ${part.length} bytes`);
      sizeBytes += part.length;
      const sending: Promise<void> = send(partNumber, part).finally(() => running.delete(sending));
      running.add(sending);
      if (running.size >= PARTS_AT_ONCE) await Promise.race(running);
      signal.throwIfAborted();
    }
    await Promise.all(running);
    signal.throwIfAborted();
    requireLength(sizeBytes, expectedBytes);
    done.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
    await complete(client, upload, done, sizeBytes);
    return sizeBytes;
  } catch (error) {
    failure ??= error;
    // A part that is still being sent could arrive after the abort and be left behind.
    failed.abort();
    await Promise.all(running);
    await abort(client, upload);
    throw failure;
  }
}

/** A multipart upload, in S3's own terms. */
export interface MultipartUpload {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

/** If asked again after a lost response, the server may no longer know the upload because it is complete. */
export async function complete(
  client: S3Client,
  upload: MultipartUpload,
  parts: CompletedPart[],
  sizeBytes: number,
): Promise<void> {
  try {
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'NoSuchUpload') throw s3Error(error);
    const { Bucket, Key } = upload;
    const found = await client.send(new HeadObjectCommand({ Bucket, Key })).catch(() => null);
    if (found?.ContentLength !== sizeBytes) throw s3Error(error);
  }
}

/** Returns whether the upload is gone; one that does not exist counts as gone. */
export async function abort(client: S3Client, upload: MultipartUpload): Promise<boolean> {
  for (let tries = 1; tries <= ABORT_TRIES; tries += 1) {
    const gone = await client.send(new AbortMultipartUploadCommand(upload)).then(
      () => true,
      (error: unknown) => error instanceof Error && error.name === 'NoSuchUpload',
    );
    if (gone) return true;
  }
  return false;
}

/** Checked before anything becomes visible. */
function requireLength(sizeBytes: number, expectedBytes = sizeBytes): void {
  if (sizeBytes !== expectedBytes) {
    throw new Error(`the source was to have ${expectedBytes} bytes, and had ${sizeBytes}`);
  }
}

/** Parts have one size, except the last: some servers require it. */
export function partBytesFor(sizeBytes: number, leastBytes = PART_BYTES): number {
  return Math.max(leastBytes, Math.ceil(sizeBytes / MAX_PARTS));
}

async function* inParts(body: Readable, partBytes: number): AsyncGenerator<Buffer, undefined> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer | string>) {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    while (length + rest.length >= partBytes) {
      const taken = partBytes - length;
      yield Buffer.concat([...pieces, rest.subarray(0, taken)], partBytes);
      rest = rest.subarray(taken);
      pieces = [];
      length = 0;
    }
    if (rest.length > 0) pieces.push(rest);
    length += rest.length;
  }
  if (length > 0) yield Buffer.concat(pieces, length);
}

async function* prepend(first: readonly Buffer[], rest: AsyncGenerator<Buffer, undefined>): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}

function rethrow(error: unknown): never {
  throw s3Error(error);
}
