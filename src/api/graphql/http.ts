import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { GraphQLFormattedError } from 'graphql';

import { AppError } from '../../errors.js';
import { errorViews, isAlarming } from './errors.js';

/** Refuses operations in addresses, because addresses are logged, cached, and sent along with links. */
export const postOnly: RequestHandler = (req, res, next) => {
  if (req.method === 'POST') {
    next();
    return;
  }
  res.setHeader('Allow', 'POST');
  sendErrors(res, 405, [complaint('METHOD_NOT_ALLOWED', 405, 'GraphQL is asked with POST.')]);
};

/** Refuses bodies that another site's page can send without a preflight (forms, plain text), before reading them. */
export const jsonOnly: RequestHandler = (req, res, next) => {
  if (/^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? '')) {
    next();
    return;
  }
  sendErrors(res, 415, [complaint('UNSUPPORTED_MEDIA_TYPE', 415, 'Send application/json.')]);
};

/** Reports an unreadable body in GraphQL's format, like every error here. */
export const bodyErrors: ErrorRequestHandler = (error: unknown, req, res, next) => {
  if (res.headersSent) {
    next(error);
    return;
  }
  const status = error instanceof Error && 'status' in error ? error.status : 500;
  if (status === 413) {
    const limit = error instanceof Error && 'limit' in error ? error.limit : null;
    // Ignore the rest of the body.
    res.setHeader('Connection', 'close');
    sendErrors(res, 413, [complaint('PAYLOAD_TOO_LARGE', 413, `This request body may have ${String(limit)} bytes.`)]);
  } else if (status === 415) {
    sendErrors(res, 415, [complaint('UNSUPPORTED_MEDIA_TYPE', 415, 'Send the request body without compression.')]);
  } else if (typeof status === 'number' && status >= 400 && status < 500) {
    sendErrors(res, status, [complaint('BAD_REQUEST', status, 'The request body cannot be read.')]);
  } else {
    sendThrown(req, res, error);
  }
};

/** Responds to an error that was thrown before an operation ran. */
export function sendThrown(req: Request, res: Response, error: unknown): void {
  if (isAlarming(error)) req.log.error({ err: error }, 'graphql request failed');
  const retryAfter = error instanceof AppError ? error.details['retryAfterSeconds'] : undefined;
  if (retryAfter !== undefined) res.setHeader('Retry-After', retryAfter);
  const views = errorViews([error], req.id);
  const status = views[0]?.extensions?.['status'];
  sendErrors(res, typeof status === 'number' ? status : 400, views);
}

export function sendErrors(res: Response, status: number, errors: readonly GraphQLFormattedError[]): void {
  res.status(status).setHeader('Cache-Control', 'no-store').json({ errors });
}

function complaint(code: string, status: number, message: string): GraphQLFormattedError {
  return { message, extensions: { code, status } };
}
