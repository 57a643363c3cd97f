import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import express, { type NextFunction, type Request, type RequestHandler, type Response, type Router } from 'express';
import helmet from 'helmet';

import { toAppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { AtOnce, ReadyAnswer } from '../delivery/atOnce.js';
import { answerNotFound } from './apiPaths.js';
import { createDashboardRouter } from './dashboardFiles.js';
import { createHealthRouter } from './health.js';
import { HttpMetrics } from './metrics.js';
import { createPlayerRouter } from './playerFiles.js';
import { requestContext, RequestLines } from './requestContext.js';
import { boundIdentity, boundRefusals } from './strangers.js';

export interface HttpAppOptions {
  readonly logger: Logger;
  /** Where requests are counted (default: nowhere that anybody sees). */
  readonly metrics?: HttpMetrics;
  readonly publicUrl: string;
  /** Where else pages fetch media from. */
  readonly mediaOrigins?: readonly string[];
  /** Proxies in front whose `X-Forwarded-*` is believed. */
  readonly trustProxies: number;
  /** Throws where the service cannot do its work. */
  readonly checkReady: () => Promise<void>;
  /** Each answers its own paths, in its own format, errors included. */
  readonly rest: Router;
  readonly webhooks?: Router;
  /** The pay page of the payment sandbox, where there is one. */
  readonly sandbox?: Router | null;
  /** Origins beside our own that our forms may be posted to: pay pages. */
  readonly formTargets?: readonly string[];
  /** Below `/media`, and what of it needs none of the rest. */
  readonly delivery: { readonly router: Router; readonly atOnce?: AtOnce };
  readonly uploads: Router;
  /** The account's logo. */
  readonly branding?: Router;
  /** Statements and receipts to be downloaded. */
  readonly documents?: Router;
  readonly graphql: Router;
  readonly identity: { readonly requestsPath: string; readonly handler: RequestHandler };
  readonly dashboardDir: string;
  readonly playerDir: string;
}

const MEDIA_PATH = '/media';
/** Where every request is signed, or of somebody who is signed in. */
const CLOSED_TO_STRANGERS = ['/uploads', '/branding', '/documents', '/sandbox'];

/** Everything one port serves. */
export function createHttpApp(options: HttpAppOptions): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', options.trustProxies);
  app.set('query parser', 'simple');
  // One spelling per path: metrics count by it.
  app.enable('case sensitive routing');

  const lines = new RequestLines(options.logger, options.metrics ?? new HttpMetrics());
  app.use(requestContext(options.logger, lines));
  // The paths that carry the load come first: what they pass through is paid for by every request.
  app.use(options.rest);
  app.use(CLOSED_TO_STRANGERS, boundRefusals());
  // A count of its own: what others behind one proxy are refused must not keep a provider from telling of a payment.
  app.use('/webhooks', boundRefusals());
  if (options.webhooks) app.use('/webhooks', options.webhooks);
  app.use(MEDIA_PATH, options.delivery.router);
  app.use(createHealthRouter({ check: options.checkReady }));
  app.use('/uploads', options.uploads);
  if (options.branding) app.use('/branding', options.branding);
  if (options.documents) app.use('/documents', options.documents);
  // Before what forbids frames and foreign pages.
  app.use(createPlayerRouter(options.playerDir));
  app.use(pageSecurity(options.publicUrl, options.mediaOrigins ?? [], options.formTargets ?? []));
  if (options.sandbox) app.use('/sandbox', options.sandbox);
  app.use(options.identity.requestsPath, boundIdentity(), options.identity.handler);
  app.use(options.graphql);
  app.use(createDashboardRouter(options.dashboardDir));
  app.use(answerNotFound);
  app.use(lastResort);
  return (req, res) => {
    const startedAtMs = performance.now();
    const ready = options.delivery.atOnce?.answer(req) ?? null;
    const go = (answer: ReadyAnswer | null): void => {
      if (answer) sendReady(req, res, answer, lines, startedAtMs);
      else app(req, res);
    };
    if (ready instanceof Promise) void ready.then(go);
    else go(ready);
  };
}

function sendReady(
  req: IncomingMessage,
  res: ServerResponse,
  ready: ReadyAnswer,
  lines: RequestLines,
  startedAtMs: number,
): void {
  const about = { route: MEDIA_PATH + ready.route, path: ready.path };
  ready.send(req, res, ['X-Request-Id', lines.begin(req, res, () => about, startedAtMs)]);
}

/** What pages may load and do: our own scripts only, none inline. */
function pageSecurity(
  publicUrl: string,
  mediaOrigins: readonly string[],
  formTargets: readonly string[],
): RequestHandler {
  const secure = publicUrl.startsWith('https:');
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // The component library positions things by style attributes; no secret can be read through those.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        // hls.js gives each track of captions an empty `data:` source.
        mediaSrc: ["'self'", 'blob:', 'data:', ...mediaOrigins],
        connectSrc: ["'self'", ...mediaOrigins],
        workerSrc: ["'self'", 'blob:'],
        fontSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'", ...formTargets],
        frameAncestors: ["'none'"],
        ...(secure ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    xFrameOptions: { action: 'deny' },
    // Other hosts below the domain are not ours to decide about.
    strictTransportSecurity: secure && { includeSubDomains: false },
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
  });
}

function lastResort(thrown: unknown, req: Request, res: Response, _next: NextFunction): void {
  // body-parser, send and the router say what the client did wrong by a status of their own.
  const status = clientFault(thrown);
  const { code, message } = status === null ? toAppError(thrown) : { code: 'INVALID_INPUT', message: 'Bad request.' };
  const shown = status ?? toAppError(thrown).status;
  if (shown >= 500) req.log.error({ err: thrown }, 'request failed');
  if (res.headersSent) res.destroy();
  else if (shown === 404) answerNotFound(req, res);
  else res.status(shown).json({ success: false, error: { code, message, status: shown } });
}

function clientFault(thrown: unknown): number | null {
  const status = thrown instanceof Error && 'status' in thrown ? thrown.status : null;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}
