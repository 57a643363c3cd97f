import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';

import type { Logger } from '../../logger.js';
import { requestEnd } from '../../tracing.js';
import type { HttpMetrics } from './metrics.js';
import { redactPath } from './redactPath.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The caller's `X-Request-Id` if it is well-formed, otherwise ours. On every response and log line. */
    id: string;
    readonly log: Logger;
  }
}

const SANE_REQUEST_ID = /^[\w.:-]{8,128}$/;

/** Writes one log line and one measurement when a request ends. */
export class RequestLines {
  private readonly lines: Logger;
  /** Bytes of each connection that are counted. */
  private readonly counted = new WeakMap<Socket, number>();

  constructor(
    logger: Logger,
    private readonly metrics: HttpMetrics,
  ) {
    // The line has fixed fields and its path is redacted already. Redacting again would cost more than the line.
    this.lines = logger.child({ scope: 'request' }, { redact: [] });
  }

  /**
   * Starts to measure a request.
   *
   * @param about called when the request ends; returns its route, and its path without secrets
   * @returns its id: the caller's if it is well-formed
   */
  begin(
    req: IncomingMessage,
    res: ServerResponse,
    about: () => { route: string; path: string },
    startedAtMs = performance.now(),
  ): string {
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID();
    const method = req.method ?? '';
    const endTrace = requestEnd();
    res.on('close', () => {
      const durationMs = performance.now() - startedAtMs;
      const { route, path } = about();
      const status = res.statusCode;
      this.metrics.observe(method, route, status, durationMs, this.newlySent(req));
      const aborted = res.writableFinished ? undefined : true;
      const line = { requestId, method, path, status, durationMs: Math.round(durationMs * 10) / 10, aborted };
      if (endTrace === null) this.write(line);
      else endTrace(`${method} ${route}`, attributesOf(method, route, line), status >= 500, () => this.write(line));
    });
    return requestId;
  }

  /**
   * What the connection has sent since a request on it ended: headers included, TLS not. Exact in sum; only requests
   * that overlap on one connection may share it unevenly.
   */
  private newlySent({ socket }: IncomingMessage): number {
    const sent = socket.bytesWritten;
    const bytes = sent - (this.counted.get(socket) ?? 0);
    this.counted.set(socket, sent);
    return bytes;
  }

  private write(line: { readonly status: number }): void {
    if (line.status >= 500) this.lines.warn(line, 'request');
    else this.lines.info(line, 'request');
  }
}

function attributesOf(method: string, route: string, { requestId, status }: { requestId: string; status: number }) {
  const http = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status };
  return { ...http, 'dhara.request.id': requestId };
}

/** Gives every request its id, its logger and its log line. */
export function requestContext(logger: Logger, lines: RequestLines): RequestHandler {
  return (req: Request & Partial<WithLogger>, res: Response, next: NextFunction) => {
    req.id = lines.begin(req, res, () => {
      const route = req.route as { path?: string } | undefined;
      return { route: `${req.baseUrl}${route?.path ?? ''}`, path: redactPath(req.originalUrl) };
    });
    req[ROOT] = logger;
    res.setHeader('X-Request-Id', req.id);
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
 * Most requests log only their one line, so the child logger is created on first use. The getter is on the prototype: a
 * getter on each request would make it a slow object, which doubled the cost of everything that follows.
 */
Object.defineProperty(express.request, 'log', {
  configurable: true,
  get(this: WithLogger): Logger {
    this[CHILD] ??= this[ROOT].child({ scope: 'request', requestId: this.id });
    return this[CHILD];
  },
});
