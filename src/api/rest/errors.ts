import type { ErrorRequestHandler, Request, RequestHandler } from 'express';

import { MintRefusal, type QuotaState } from '../../domain/playback/quota.js';
import type { PlaybackService } from '../../domain/playback/playback.service.js';
import { AppError, toAppError } from '../../errors.js';
import { apiKeyOf, keyHint } from './apiKey.js';
import { type Headers, sendError } from './envelope.js';
import { MANIFEST, NO_STORE, rateLimit } from './headers.js';
import { quotaFor } from './quotaFor.js';

const TOKEN_PATH = /^\/v1\/video\/[^/]*\/playback-token\/*$/;
const MANIFEST_PATH = /^\/v1\/video\/playback\/manifest\//;
/** A restarting database is usually back by then. */
const RETRY_UNAVAILABLE_SECONDS = 2;

/** Answers paths that do not exist. */
export const notFound: RequestHandler = () => {
  throw noSuchEndpoint();
};

/**
 * Refuses other methods of a path with 405 and `Allow`. OPTIONS gets the same `Allow`. @param allow as in the header
 */
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

/** Turns everything thrown below /v1 into an error envelope. Logs our own faults with their cause. */
export function errorHandler(playback: PlaybackService): ErrorRequestHandler {
  // Express recognizes error handlers by their four parameters.
  return async (thrown: unknown, req, res, _next) => {
    const error = isMalformedRequest(thrown) ? noSuchEndpoint() : withHint(toAppError(thrown), req);
    if (error.wake) req.log.error({ err: thrown }, 'request failed');
    else if (error.status >= 500) req.log.warn({ err: thrown }, 'request refused');
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const headers = await headersOf(error, req, playback);
    sendError(res, error, headers);
  };
}

function noSuchEndpoint(): AppError {
  return new AppError('NOT_FOUND', 'Endpoint not found.');
}

/** Adds to a 401 how to fix it, if the request shows it. */
function withHint(error: AppError, req: Request): AppError {
  const hint = error.code === 'INVALID_API_KEY' ? keyHint(req) : null;
  return hint === null ? error : new AppError('INVALID_API_KEY', hint);
}

async function headersOf(error: AppError, req: Request, playback: PlaybackService): Promise<Headers> {
  const path = req.baseUrl + req.path;
  const retryAfter = error instanceof MintRefusal ? error.retryAfterSeconds : retryAfterOf(error);
  const quota = TOKEN_PATH.test(path) ? await quotaOf(error, req, playback) : null;
  return {
    ...(MANIFEST_PATH.test(path) ? MANIFEST : NO_STORE),
    ...(quota && rateLimit(quota)),
    ...(retryAfter === null ? {} : { 'Retry-After': retryAfter }),
  };
}

/** Refusals of the mint carry the quota. While the database is unavailable, the last quota this process saw is used. */
function quotaOf(error: AppError, req: Request, playback: PlaybackService): QuotaState | Promise<QuotaState> {
  if (error instanceof MintRefusal) return error.quota ?? playback.unknownQuota();
  if (error.code === 'SERVICE_UNAVAILABLE') return playback.lastKnownQuota(apiKeyOf(req));
  return quotaFor(playback, apiKeyOf(req));
}

function retryAfterOf(error: AppError): number | null {
  return error.code === 'SERVICE_UNAVAILABLE' ? RETRY_UNAVAILABLE_SECONDS : null;
}

/** True for the error, with a status, that the router throws for escapes it cannot decode. */
function isMalformedRequest(thrown: unknown): boolean {
  return thrown instanceof URIError && 'status' in thrown && thrown.status === 400;
}
