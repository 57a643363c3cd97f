import { randomUUID } from 'node:crypto';

import type { NextFunction, Request, RequestHandler, Response } from 'express';

import type { Logger } from '../logger.js';
import type { HttpMetrics } from './metrics.js';
import { redactPath } from './redactPath.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The caller's own `X-Request-Id` when it is a sane one, else ours. On every response and log line. */
    id: string;
    log: Logger;
  }
}

const SANE_REQUEST_ID = /^[\w.:-]{8,128}$/;

/** Gives every request its id and logger, and writes one line and one measurement when it is over. */
export function requestContext(logger: Logger, metrics: HttpMetrics): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const startedAt = performance.now();
    const given = req.headers['x-request-id'];
    req.id = typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
    res.setHeader('X-Request-Id', req.id);
    lazyLogger(req, logger);

    res.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const route = req.route as { path?: string } | undefined;
      metrics.observe(req.method, `${req.baseUrl}${route?.path ?? ''}`, res.statusCode, durationMs);
      const line = {
        scope: 'request',
        requestId: req.id,
        method: req.method,
        path: redactPath(req.originalUrl),
        status: res.statusCode,
        durationMs: Math.round(durationMs * 10) / 10,
        ...(res.writableFinished ? {} : { aborted: true }),
      };
      if (res.statusCode >= 500) logger.warn(line, 'request');
      else logger.info(line, 'request');
    });
    next();
  };
}

/** Most requests log nothing but their one line: the child logger is made when it is first used. */
function lazyLogger(req: Request, logger: Logger): void {
  let child: Logger | undefined;
  Object.defineProperty(req, 'log', {
    configurable: true,
    get: () => (child ??= logger.child({ scope: 'request', requestId: req.id })),
  });
}
