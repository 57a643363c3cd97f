import { hash } from 'node:crypto';

import type { Request, Response } from 'express';

import { type AppError, errorBody } from '../../errors.js';

export type Headers = Readonly<Record<string, string | number>>;

/** Sends 200 with `data`. */
export function sendData(res: Response, data: object, headers: Headers): void {
  sendJson(res, 200, { success: true, data }, headers);
}

/** A body with its entity tag. */
export interface Body {
  readonly bytes: Buffer;
  /** As in the `ETag` header, including the quotes. */
  readonly etag: string;
}

export function bodyOf(body: object): Body {
  // Encoded once, for its hash, its length and the wire.
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, etag: `"${hash('sha1', bytes, 'base64url')}"` };
}

/** Sends 200 with the body, or 304 to a caller who has it already (RFC 9110, section 13.1.2). */
export function sendBody(req: Request, res: Response, { bytes, etag }: Body, headers: Headers): void {
  if (hasIt(req.headers['if-none-match'], etag)) {
    res.writeHead(304, { ETag: etag, ...headers });
    res.end();
    return;
  }
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes.length,
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
    ...headers,
  });
  res.end(bytes);
}

function hasIt(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((given) => {
    const tag = given.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}

/** Sends the error with its status. */
export function sendError(res: Response, error: AppError, headers: Headers): void {
  sendJson(res, error.status, errorBody(error), headers);
}

/** In one write, without the ETag that Express's own `json` would make of it. */
export function sendJson(res: Response, status: number, body: object, headers: Headers): void {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  res.end(text);
}
