import { setTimeout as delay } from 'node:timers/promises';

import type { Request, RequestHandler, Response } from 'express';
import { execute, type GraphQLSchema } from 'graphql';

import type { Viewer } from '../../domain/accounts/viewer.js';
import { AppError, toAppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import { type Admission, payerOf } from './admission.js';
import { createContext } from './context.js';
import { EXECUTION } from './documentLimits.js';
import { errorViews } from './errors.js';
import { EventStream } from './eventStream.js';
import { sendErrors } from './http.js';
import { OpenStreams, type StreamBounds } from './openStreams.js';
import { logAlarming } from './operationPolicy.js';
import type { GraphqlServices } from './services.js';
import { openSource, readSubscription, Refused, type SubscriptionRequest } from './subscription.js';

export interface StreamOptions extends StreamBounds {
  /** Comment lines keep proxies from closing a silent stream; each one also checks the session again. */
  readonly heartbeatMs: number;
  /** Minimum pause between two results of one stream, so that a busy account does not cause endless reads. */
  readonly pauseMs: number;
}

const DEFAULTS: StreamOptions = { heartbeatMs: 15_000, pauseMs: 100, maxPerAccount: 20, maxInProcess: 2_000 };

export interface StreamDeps {
  readonly schema: GraphQLSchema;
  readonly services: GraphqlServices;
  readonly viewerOf: (req: Request) => Promise<Viewer | null>;
  readonly logger: Logger;
  readonly production: boolean;
  readonly introspection: boolean;
  readonly admission: Pick<Admission, 'viewerOf' | 'chargeInTime'>;
  readonly streams?: Partial<StreamOptions>;
}

export interface Streams {
  readonly handler: RequestHandler;
  /** Ends every stream without `complete`, so that clients reconnect to another process. */
  stop(): void;
}

/**
 * POST /graphql/stream: one subscription per request, sent as server-sent events (the "distinct connections" mode of
 * the graphql-sse protocol): a `next` for each result, `complete` when nothing more will come.
 *
 * Each result is a separate execution, with the user of the session at that moment.
 */
export function createStreams(deps: StreamDeps): Streams {
  const options = { ...DEFAULTS, ...deps.streams };
  const open = new OpenStreams(options);

  const handler: RequestHandler = async (req, res) => {
    const going = new AbortController();
    res.once('close', () => going.abort());
    let leave: (() => void) | undefined;
    try {
      const viewer = deps.admission.viewerOf(req);
      if (viewer === null) throw notSignedIn();
      const subscription = readSubscription(deps.schema, req.body, deps);
      leave = open.enter(payerOf(viewer), going);
      const context = createContext(deps.services, { viewer, requestId: req.id, signal: going.signal });
      const events = await openSource(deps.schema, subscription, context);
      await serve(deps, options, { req, res, going, subscription, events, accountId: viewer.accountId });
    } catch (error) {
      refuse(deps.logger, error, req, res);
    } finally {
      going.abort();
      leave?.();
    }
  };
  return { handler, stop: () => open.close() };
}

interface Serving {
  readonly req: Request;
  readonly res: Response;
  readonly going: AbortController;
  readonly subscription: SubscriptionRequest;
  readonly events: AsyncIterable<unknown>;
  /** Whose events they are. */
  readonly accountId: string;
}

async function serve(deps: StreamDeps, options: StreamOptions, serving: Serving): Promise<void> {
  const { req, res, going, events } = serving;
  const stream = new EventStream(res, going.signal);
  const heartbeat = setInterval(() => {
    stream.heartbeat();
    // A silent stream must not outlive its session either.
    void signedIn(deps, req).catch(async (error: unknown) => {
      // A database that is briefly unreachable does not end a session.
      if (toAppError(error).code === 'UNAUTHENTICATED') await endFor(error, stream, going, req);
    });
  }, options.heartbeatMs);
  try {
    for await (const event of events) {
      const viewer = await signedIn(deps, req);
      // A view of another account has begun or ended in this session. The client opens a new stream.
      if (viewer.accountId !== serving.accountId) return;
      await deps.admission.chargeInTime(viewer, serving.subscription.complexity, going.signal);
      await stream.next(await resultOf(deps, serving, event, viewer));
      await delay(options.pauseMs, undefined, { signal: going.signal }).catch(() => undefined);
    }
    stream.complete();
  } catch (error) {
    await endFor(error, stream, going, req);
  } finally {
    clearInterval(heartbeat);
    stream.end();
  }
}

async function resultOf(deps: StreamDeps, { req, going, subscription }: Serving, event: unknown, viewer: Viewer) {
  const result = await execute({
    schema: deps.schema,
    document: subscription.document,
    operationName: subscription.operationName,
    variableValues: subscription.variables,
    rootValue: event,
    contextValue: createContext(deps.services, { viewer, requestId: req.id, signal: going.signal }),
    options: EXECUTION,
  });
  logAlarming(deps.logger, result.errors ?? [], req.id, subscription.operationName ?? null);
  return { data: result.data, ...(result.errors && { errors: errorViews(result.errors, req.id) }) };
}

/** An ended session ends the stream for good. Other errors only interrupt it, and the client reconnects. */
async function endFor(error: unknown, stream: EventStream, going: AbortController, req: Request): Promise<void> {
  const { code, wake } = toAppError(error);
  if (code === 'UNAUTHENTICATED') {
    await stream.next({ errors: errorViews([error], req.id) });
    stream.complete();
  } else if (wake) {
    req.log.error({ err: error }, 'live stream failed');
  } else if (!going.signal.aborted) {
    req.log.debug({ err: error }, 'live stream ended');
  }
  going.abort();
}

async function signedIn(deps: StreamDeps, req: Request): Promise<Viewer> {
  const viewer = await deps.viewerOf(req);
  if (viewer === null) throw notSignedIn();
  return viewer;
}

function notSignedIn(): AppError {
  return new AppError('UNAUTHENTICATED', 'Please sign in.');
}

/** Before the first event, the HTTP status can still report an error. */
function refuse(logger: Logger, error: unknown, req: Request, res: Response): void {
  const errors = error instanceof Refused ? error.errors : [error];
  if (error instanceof Refused) logAlarming(logger, error.errors, req.id, null);
  else if (toAppError(error).wake) req.log.error({ err: error }, 'live stream refused');
  const shown = errorViews(errors, req.id);
  const status = shown[0]?.extensions?.['status'];
  if (!res.headersSent) sendErrors(res, typeof status === 'number' ? status : 400, shown);
}
