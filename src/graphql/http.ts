import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { GraphQLFormattedError } from 'graphql';

import { toAppError } from '../errors.js';
import { errorView } from './errors.js';

/**
 * Bytes of a request body: a caption file of a megabyte, as JSON spells it. What an operation may cost is bounded apart
 * from this, by its tokens and its complexity.
 */
export const BODY_LIMIT = 2_000_000;

/** Operations are never in an address: those are logged, cached, and sent along with links. */
export const postOnly: RequestHandler = (req, res, next) => {
  if (req.method === 'POST') {
    next();
    return;
  }
  res.setHeader('Allow', 'POST');
  sendErrors(res, 405, [complaint('METHOD_NOT_ALLOWED', 405, 'GraphQL is asked with POST.')]);
};

/** What a page of another site can send without asking first (forms, plain text) is not even read. */
export const jsonOnly: RequestHandler = (req, res, next) => {
  if (/^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? '')) {
    next();
    return;
  }
  sendErrors(res, 415, [complaint('UNSUPPORTED_MEDIA_TYPE', 415, 'Send application/json.')]);
};

/** A body that is too large or no JSON: in GraphQL's shape, like everything from here. */
export const bodyErrors: ErrorRequestHandler = (error: unknown, req, res, next) => {
  if (res.headersSent) {
    next(error);
    return;
  }
  const status = error instanceof Error && 'status' in error ? error.status : 500;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const tooLarge = status === 413;
    sendErrors(res, status, [
      complaint(
        tooLarge ? 'PAYLOAD_TOO_LARGE' : 'BAD_REQUEST',
        status,
        tooLarge ? `A request body has at most ${BODY_LIMIT} bytes.` : 'The request body is not readable JSON.',
      ),
    ]);
    return;
  }
  req.log.error({ err: error }, 'graphql request failed');
  sendErrors(res, toAppError(error).status, [errorView(error)]);
};

export function sendErrors(res: Response, status: number, errors: readonly GraphQLFormattedError[]): void {
  res.status(status).setHeader('Cache-Control', 'no-store').json({ errors });
}

function complaint(code: string, status: number, message: string): GraphQLFormattedError {
  return { message, extensions: { code, status } };
}
