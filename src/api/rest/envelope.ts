import type { Response } from 'express';

import type { AppError } from '../../errors.js';
import type { Pagination } from './schemas/envelope.js';

export type Headers = Readonly<Record<string, string | number>>;

/** 200 with `data`. */
export function sendData(res: Response, data: object, headers: Headers): void {
  sendJson(res, 200, { success: true, data }, headers);
}

/** 200 with one page of a list. */
export function sendPage(res: Response, data: readonly object[], pagination: Pagination, headers: Headers): void {
  sendJson(res, 200, { success: true, data, pagination }, headers);
}

/** The error, with its status. */
export function sendError(res: Response, { code, message, status }: AppError, headers: Headers): void {
  sendJson(res, status, { success: false, error: { code, message, status } }, headers);
}

/** In one write: Express's own `json` would hash every body for an ETag that nobody compares. */
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
