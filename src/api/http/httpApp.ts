import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import express, { type NextFunction, type Request, type RequestHandler, type Response, type Router } from 'express';
import helmet from 'helmet';

import { AppError, errorBody, toAppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import { IDENTITY_PATH } from '../../ports/identity.js';
import { inRequest } from '../../tracing.js';
import type { AtOnce, ReadyResponse } from '../delivery/atOnce.js';
import type { Reports } from '../delivery/reports.js';
import { answerNotFound } from './apiPaths.js';
import { createDashboardRouter } from './dashboardFiles.js';
import { createHealthRouter } from './health.js';
import { HttpMetrics } from './metrics.js';
import { createPlayerRouter } from './playerFiles.js';
import { requestContext, RequestLines } from './requestContext.js';
import { boundIdentity, boundRefusals } from './strangers.js';

export interface HttpAppOptions {
  readonly logger: Logger;
  /** Counts requests. Default: metrics that nobody reads. */
  readonly metrics?: HttpMetrics;
  readonly publicUrl: string;
  /** Other origins from which pages fetch media. */
  readonly mediaOrigins?: readonly string[];
  /** Number of proxies in front whose `X-Forwarded-*` headers are trusted. */
  readonly trustProxies: number;
  /** Throws if the service cannot do its work. */
  readonly checkReady: () => Promise<void>;
  /** Each router answers its own paths in its own format, including errors. */
  readonly rest: Router;
  readonly webhooks?: Router;
  /** The pay page of the payment sandbox, if there is one. */
  readonly sandbox?: Router | null;
  /** Other origins that our forms may be posted to: pay pages. */
  readonly formTargets?: readonly string[];
  /** Below `/media`. `atOnce` and `reports` answer the requests that need no middleware. */
  readonly delivery: { readonly router: Router; readonly atOnce?: AtOnce; readonly reports?: Reports | null };
  /** Comes before what browsers change by other ways than GraphQL. */
  readonly markWrites?: RequestHandler;
  readonly uploads: Router;
  /** The account's logo. */
  readonly branding?: Router;
  /** Downloads of statements and receipts. */
  readonly documents?: Router;
  /** Switches off emails by the links in them. */
  readonly unsubscribe?: Router;
  readonly graphql: Router;
  readonly identity: RequestHandler;
  readonly dashboardDir: string;
  readonly playerDir: string;
}

const MEDIA_PATH = '/media';
/** Paths where every request is signed or comes from a signed-in user. */
const CLOSED_TO_STRANGERS = ['/uploads', '/branding', '/documents', '/sandbox', '/unsubscribe'];

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
  // The busiest paths come first, because every request pays for all middleware before its path.
  app.use(options.rest);
  app.use(CLOSED_TO_STRANGERS, boundRefusals());
  // Counted separately: refusals of others behind the same proxy must not block a provider's webhooks.
  app.use('/webhooks', boundRefusals());
  if (options.webhooks) app.use('/webhooks', options.webhooks);
  app.use(MEDIA_PATH, options.delivery.router);
  app.use(createHealthRouter({ check: options.checkReady }));
  if (options.markWrites) app.use(['/uploads', '/branding'], options.markWrites);
  app.use('/uploads', options.uploads);
  if (options.branding) app.use('/branding', options.branding);
  if (options.documents) app.use('/documents', options.documents);
  // Before `pageSecurity`, which forbids frames and other origins.
  app.use(createPlayerRouter(options.playerDir));
  app.use(pageSecurity(options.publicUrl, options.mediaOrigins ?? [], options.formTargets ?? []));
  if (options.sandbox) app.use('/sandbox', options.sandbox);
  if (options.unsubscribe) app.use('/unsubscribe', options.unsubscribe);
  app.use(IDENTITY_PATH, boundIdentity(), options.identity);
  app.use(options.graphql);
  app.use(createDashboardRouter(options.dashboardDir));
  app.use(answerNotFound);
  app.use(lastResort);
  const handle: RequestListener = (req, res) => {
    const startedAtMs = performance.now();
    const { atOnce, reports } = options.delivery;
    const ready = reports?.answer(req) ?? atOnce?.answer(req) ?? null;
    const go = (response: ReadyResponse | null): void => {
      if (response) sendReady(req, res, response, lines, startedAtMs);
      else app(req, res);
    };
    if (ready instanceof Promise) void ready.then(go);
    else go(ready);
  };
  return (req, res) => {
    const { traceparent } = req.headers;
    inRequest(typeof traceparent === 'string' ? traceparent : undefined, () => handle(req, res));
  };
}

function sendReady(
  req: IncomingMessage,
  res: ServerResponse,
  ready: ReadyResponse,
  lines: RequestLines,
  startedAtMs: number,
): void {
  const about = { route: MEDIA_PATH + ready.route, path: ready.path };
  ready.send(req, res, ['X-Request-Id', lines.begin(req, res, () => about, startedAtMs)]);
}

/** What pages may load and do: only our own scripts, none inline. */
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
        // The component library positions elements with style attributes, which cannot reveal secrets.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        // hls.js gives each caption track an empty `data:` source.
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
    // Other hosts below the domain may not be ours.
    strictTransportSecurity: secure && { includeSubDomains: false },
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
  });
}

function lastResort(thrown: unknown, req: Request, res: Response, _next: NextFunction): void {
  // body-parser, send and the router set a status for the client's mistakes.
  const status = clientFault(thrown);
  const error = status === null ? toAppError(thrown) : new AppError('INVALID_INPUT', 'Bad request.');
  const shown = status ?? error.status;
  if (shown >= 500) req.log.error({ err: thrown }, 'request failed');
  if (res.headersSent) res.destroy();
  else if (shown === 404) answerNotFound(req, res);
  else res.status(shown).json(errorBody(error, shown));
}

function clientFault(thrown: unknown): number | null {
  const status = thrown instanceof Error && 'status' in thrown ? thrown.status : null;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}
