import type { IncomingMessage, ServerResponse, IncomingHttpHeaders } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import type { Request, Response } from 'express';

import { AppError } from '../../errors.js';
import { entityTag, gzipped, isGzipped } from './compression.js';
import type { CachedObject, ObjectCache } from './objectCache.js';
import { parseRange } from '../../domain/shared/byteRange.js';
import type { TextBody } from './textBody.js';

export interface Representation {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Sent compressed to clients that accept gzip. */
  readonly isText?: true;
}

/**
 * Sends an object of the store, or the requested part of it. These keys are never overwritten, so the metadata of
 * `head` is still true for the bytes that follow.
 *
 * @throws NOT_FOUND
 */
export async function sendObject(
  req: Request,
  res: Response,
  objects: ObjectCache,
  key: string,
  as: Representation,
): Promise<void> {
  // Most players request the whole object without conditions. Then one request to the store is enough, which may be
  // far away.
  const found = objects.holdKept(key) ?? (isPlain(req) ? await objects.read(key) : null);
  if (found && 'bytes' in found && !isHeldUntilClose(res, objects, found)) return;
  const info = found?.info ?? (isPlain(req) ? null : await objects.store.head(key));
  if (info === null) throw notFound();
  const isCompressed = isGzipped(req, res, as);
  const validators = { etag: entityTag(info.etag, { isCompressed }), modifiedAt: info.modifiedAt };
  res.setHeader('Accept-Ranges', 'bytes');
  if (answeredByHeaders(req, res, validators, as)) return;
  if (isCompressed) {
    res.setHeader('Content-Encoding', 'gzip');
    if (req.method === 'HEAD') res.end();
    else if (found && 'bytes' in found) await sendCompressed(res, found);
    else await send(req, res, found ?? (await objects.store.get(key)), createGzip());
    return;
  }

  const fits = req.method === 'GET' && rangeStillFits(req.headers, validators);
  const range = parseRange(fits ? req.headers.range : undefined, info.sizeBytes);
  if (range === 'unsatisfiable') {
    refuseRange(res, info.sizeBytes);
    return;
  }
  const part = range === 'whole' ? { start: 0, end: info.sizeBytes - 1 } : range;
  res.setHeader('Content-Length', part.end - part.start + 1);
  if (range !== 'whole') {
    res.status(206).setHeader('Content-Range', `bytes ${part.start}-${part.end}/${info.sizeBytes}`);
  }
  if (req.method === 'HEAD') {
    res.end();
  } else if (found && 'bytes' in found) {
    res.end(range === 'whole' ? found.bytes : found.bytes.subarray(part.start, part.end + 1));
  } else {
    await send(req, res, found ?? (await objects.store.get(key, range === 'whole' ? undefined : range)));
  }
}

/** Holds the object until the response closes. @returns false if it has closed already */
export function isHeldUntilClose(res: ServerResponse, objects: ObjectCache, object: CachedObject): boolean {
  if (res.closed) objects.release(object);
  else res.on('close', () => objects.release(object));
  return !res.closed;
}

async function sendCompressed(res: Response, object: CachedObject): Promise<void> {
  const bytes = (object.compressed ??= await gzipped(object.bytes));
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}

/**
 * Streams the object at the reader's speed. `Connections` cuts a reader that takes nothing for a while, which closes
 * the file. A paused player resumes with a range request.
 *
 * @throws NOT_FOUND if the object is gone by now
 */
export async function send(
  req: IncomingMessage,
  res: ServerResponse,
  object: { body: Readable } | null,
  through?: Transform,
): Promise<void> {
  if (object === null) throw notFound();
  const flow = through ? pipeline(object.body, through, res) : pipeline(object.body, res);
  await flow
    .catch((error: unknown) => {
      if (!res.writableFinished && !req.destroyed && !isPrematureClose(error)) throw error;
    })
    // If the response closed before it began, `pipeline` does not close the body.
    .finally(() => object.body.destroy());
}

function isPlain({ method, headers }: Request): boolean {
  return (
    method === 'GET' &&
    headers.range === undefined &&
    headers['if-none-match'] === undefined &&
    headers['if-modified-since'] === undefined
  );
}

/** Sends a generated text. Its entity tag is its hash. */
export async function sendText(req: Request, res: Response, body: TextBody, as: Representation): Promise<void> {
  const isCompressed = isGzipped(req, res, as);
  const validators = { etag: entityTag(body.hash, { isCompressed }), modifiedAt: null };
  if (answeredByHeaders(req, res, validators, as)) return;
  const bytes = isCompressed ? await body.compressed() : body.bytes;
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  res.setHeader('Content-Length', bytes.length);
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

/** Sends bytes that no cache may store. */
export function sendSecret(req: Request, res: Response, bytes: Buffer): void {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Type', 'application/octet-stream');
  res.setHeader('Content-Length', bytes.length);
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

/** Sets the headers of the representation. Sends 304 and returns true if the client has it already. */
function answeredByHeaders(req: Request, res: Response, validators: Validators, as: Representation): boolean {
  res.setHeader('ETag', validators.etag);
  res.setHeader('Cache-Control', as.cacheControl);
  if (validators.modifiedAt !== null) res.setHeader('Last-Modified', validators.modifiedAt.toUTCString());
  if (isNotModified(req.headers, validators)) {
    res.status(304).end();
    return true;
  }
  res.setHeader('Content-Type', as.contentType);
  return false;
}

function refuseRange(res: Response, sizeBytes: number): void {
  res.removeHeader('Content-Type');
  res.setHeader('Cache-Control', 'no-store');
  res.status(416).setHeader('Content-Range', `bytes */${sizeBytes}`).end();
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'File not found.');
}

/** True if the viewer closed the tab or seeked elsewhere. */
function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** The validators of a response: its strong entity tag, in quotes, and its modification time. */
interface Validators {
  readonly etag: string;
  readonly modifiedAt: Date | null;
}

/** True if the client has this already. If `If-None-Match` is sent, it alone decides (RFC 9110, 13.2.2). */
function isNotModified(headers: IncomingHttpHeaders, current: Validators): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === current.etag);
  }
  const since = headers['if-modified-since'];
  if (since === undefined || current.modifiedAt === null) return false;
  const time = Date.parse(since);
  return !Number.isNaN(time) && wholeSeconds(current.modifiedAt.getTime()) <= time;
}

/** True if a part may be sent: there is no `If-Range`, or it names exactly this version. */
function rangeStillFits(headers: IncomingHttpHeaders, current: Validators): boolean {
  const condition = headers['if-range'];
  // A date proves nothing, since two versions can have the same second. Such a client gets the whole object.
  return condition === undefined || condition.toString().trim() === current.etag;
}

function wholeSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000;
}
