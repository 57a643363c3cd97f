import type { ErrorRequestHandler, Request, RequestHandler } from 'express';

import { MintRefusal } from '../domain/playback/quota.js';
import type { PlaybackService } from '../domain/playback/playback.service.js';
import { AppError, toAppError } from '../errors.js';
import { type Headers, sendError } from './envelope.js';
import { MANIFEST, NO_STORE, rateLimit } from './headers.js';

const TOKEN_PATH = /^\/v1\/video\/[^/]*\/playback-token\/*$/;
const MANIFEST_PATH = /^\/v1\/video\/playback\/manifest\//;
/** A database that restarts is back by then. */
const RETRY_UNAVAILABLE_SECONDS = 2;

/** No such path. */
export const notFound: RequestHandler = () => {
  throw new AppError('NOT_FOUND', 'There is no such path.');
};

/** What a path does not do: 405 with `Allow`; OPTIONS is told the same. @param allow as in the header */
export function methodNotAllowed(allow: string): RequestHandler {
  return (req, res) => {
    if (req.method === 'OPTIONS') {
      res.writeHead(204, { Allow: allow, ...NO_STORE });
      res.end();
      return;
    }
    res.setHeader('Allow', allow);
    throw new AppError('METHOD_NOT_ALLOWED', `${req.method} is not allowed here.`);
  };
}

/** Answers whatever was thrown below /v1, in the envelope. Faults of our own are logged with their cause. */
export function errorHandler(playback: PlaybackService): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = isMalformedRequest(thrown) ? new AppError('NOT_FOUND', 'There is no such path.') : toAppError(thrown);
    if (error.wake) req.log.error({ err: thrown }, 'request failed');
    else if (error.status >= 500) req.log.warn({ err: thrown }, 'request refused');
    if (res.headersSent) {
      res.destroy();
      return;
    }
    sendError(res, error, headersOf(error, req, playback));
  };
}

function headersOf(error: AppError, req: Request, playback: PlaybackService): Headers {
  const path = req.baseUrl + req.path;
  const retryAfter = error instanceof MintRefusal ? error.retryAfterSeconds : retryAfterOf(error);
  return {
    ...(MANIFEST_PATH.test(path) ? MANIFEST : NO_STORE),
    ...(TOKEN_PATH.test(path)
      ? rateLimit((error instanceof MintRefusal && error.quota) || playback.unknownQuota())
      : {}),
    ...(retryAfter === null ? {} : { 'Retry-After': retryAfter }),
  };
}

function retryAfterOf(error: AppError): number | null {
  return error.code === 'SERVICE_UNAVAILABLE' ? RETRY_UNAVAILABLE_SECONDS : null;
}

/** The router refuses escapes it cannot decode by an error with a status. */
function isMalformedRequest(thrown: unknown): boolean {
  return thrown instanceof URIError && 'status' in thrown && thrown.status === 400;
}
