import { randomUUID } from 'node:crypto';

import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';

import type { Logger } from '../../logger.js';
import type { HttpMetrics } from './metrics.js';
import { redactPath } from './redactPath.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The caller's own `X-Request-Id` when it is a sane one, else ours. On every response and log line. */
    id: string;
    readonly log: Logger;
  }
}

const SANE_REQUEST_ID = /^[\w.:-]{8,128}$/;

/** Gives every request its id and logger, and writes one line and one measurement when it is over. */
export function requestContext(logger: Logger, metrics: HttpMetrics): RequestHandler {
  // The line is made of fixed fields, its path redacted already: looking through it again would cost more than it.
  const lines = logger.child({ scope: 'request' }, { redact: [] });

  return (req: Request & Partial<WithLogger>, res: Response, next: NextFunction) => {
    const startedAt = performance.now();
    const given = req.headers['x-request-id'];
    req.id = typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
    req[ROOT] = logger;
    res.setHeader('X-Request-Id', req.id);

    res.on('close', () => {
      const durationMs = performance.now() - startedAt;
      const route = req.route as { path?: string } | undefined;
      metrics.observe(req.method, `${req.baseUrl}${route?.path ?? ''}`, res.statusCode, durationMs);
      const line = {
        requestId: req.id,
        method: req.method,
        path: redactPath(req.originalUrl),
        status: res.statusCode,
        durationMs: Math.round(durationMs * 10) / 10,
        aborted: res.writableFinished ? undefined : true,
      };
      if (res.statusCode >= 500) lines.warn(line, 'request');
      else lines.info(line, 'request');
    });
    next();
  };
}

const ROOT = Symbol('logger');
const CHILD = Symbol('child logger');

interface WithLogger {
  id: string;
  [ROOT]: Logger;
  [CHILD]?: Logger;
}

/**
 * Most requests log nothing but their one line: the child logger is made when it is first used. The getter is on the
 * prototype, once: one on each request would turn it into a slow object, which doubled the cost of all that follows.
 */
Object.defineProperty(express.request, 'log', {
  configurable: true,
  get(this: WithLogger): Logger {
    this[CHILD] ??= this[ROOT].child({ scope: 'request', requestId: this.id });
    return this[CHILD];
  },
});
