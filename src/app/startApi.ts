import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';

import { PostgresEvents } from '../adapters/events/postgresEvents.js';
import { PdfWriter } from '../adapters/pdf/pdfWriter.js';
import { pendingMigrations } from '../db/pendingMigrations.js';
import { createDelivery } from '../api/delivery/router.js';
import { ObjectCache } from '../api/delivery/objectCache.js';
import { mediaOrigins, segmentSource } from '../api/delivery/segmentSource.js';
import { createUnsubscribeRouter } from '../api/unsubscribe/router.js';
import { createDocumentRouter } from '../api/documents/router.js';
import { deriveKey } from '../domain/shared/secrets/masterKey.js';
import { PublishedMedia } from '../domain/media/library/publishedMedia.js';
import { viewerByTokenOrSession } from '../api/graphql/bearer.js';
import { createGraphqlRouter, type GraphqlDeps } from '../api/graphql/router.js';
import { createIdentityRouter } from '../api/identity/router.js';
import { createHttpApp } from '../api/http/httpApp.js';
import type { Viewer } from '../domain/accounts/viewer.js';
import { watchTokens } from '../api/http/countedMetrics.js';
import type { HttpMetrics } from '../api/http/metrics.js';
import { listen } from '../api/http/server.js';
import { rateLimit } from '../api/rest/headers.js';
import { createRestRouter } from '../api/rest/router.js';
import { createSandboxRouter } from '../api/sandbox/router.js';
import { createBrandingRouter } from '../api/uploads/brandingRouter.js';
import { createUploadRouter } from '../api/uploads/router.js';
import { createWebhookRouter } from '../api/webhooks/router.js';
import { annotate } from '../tracing.js';
import { ownMaxConnections } from './machine.js';
import { openPort } from './openPort.js';
import type { AppOptions, End } from './options.js';
import { openReplicaReads, type ReplicaReads } from './replicaReads.js';
import type { Services } from './services.js';
import { viewerInMode } from './viewerInMode.js';
import { identityOutsideViews, outsideViews, viewerInView } from './viewerInView.js';

/** The build puts them beside the compiled service. */
const DASHBOARD_DIR = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));
const PLAYER_DIR = fileURLToPath(new URL('../../dist/player', import.meta.url));
/** Share of the ten seconds that a stop may take. The rest is for handing jobs back. */
const REQUEST_GRACE_MS = 5000;
const BYTES_PER_MB = 1024 * 1024;

/** Serves dashboard, GraphQL, /v1, uploads and media. Resolves once it listens, with a function that stops it. */
export async function startApi(options: AppOptions, services: Services, metrics: HttpMetrics): Promise<End> {
  const { config, masterKey, runtimeUrl, publicUrl, logger } = options;
  const { db, store, mediaKeys, identity, playback, uploads, posters, grantKey } = services;
  const { payments, paymentInbox } = services;
  const inMode = <Req extends IncomingMessage>(by: (req: Req) => Promise<Viewer | null>) =>
    viewerInMode(viewerInView(by, services.ownerViews), services.testMode);
  const sessionOf = (req: IncomingMessage): Promise<Viewer | null> => identity.viewerOf(req);
  const viewerOf = inMode(sessionOf);
  const ownViewerOf = outsideViews(viewerOf);
  const media = new PublishedMedia(db.sql, { ownHost: services.ownHost });
  const objects = new ObjectCache(store, config.SEGMENT_CACHE_MB * BYTES_PER_MB);
  metrics.watchCache(() => objects.stats);
  watchTokens(metrics.registry, () => playback.stats);
  metrics.watchViews(() => ({ ...services.views.stats, droppedLines: services.viewLines?.dropped ?? 0 }));
  const replica = await openReplicaReads(options, services, metrics);
  const events = new PostgresEvents({
    url: runtimeUrl,
    logger,
    onEvent: (event) => {
      if (event.kind === 'video') media.changed(event.accountId, event.videoId);
      replica?.yourWrites.changed(event.accountId);
    },
    onListening: () => replica?.yourWrites.missed(),
  });
  events.start();
  const countOperation = metrics.watchOperations();
  const graphql = await createGraphqlRouter({
    services: { ...services, events },
    viewerOf: inMode(
      viewerByTokenOrSession(
        (req) => identity.viewerOf(req),
        (token) => services.accessTokens.viewerOf(token),
      ),
    ),
    logger,
    onOperation: (field, outcome, durationMs) => {
      countOperation(field, outcome, durationMs);
      annotate({ 'graphql.field': field });
    },
    ...(replica && { replica: replicaFor(replica) }),
    production: config.NODE_ENV === 'production',
    ...(config.GRAPHQL_INTROSPECTION === undefined ? {} : { introspection: config.GRAPHQL_INTROSPECTION }),
  });
  const segments = segmentSource(services.stores.links, {
    cdnUrl: config.CDN_URL,
    presigned: config.SEGMENT_DELIVERY === 'presigned',
  });
  const http = createHttpApp({
    logger,
    metrics,
    publicUrl,
    mediaOrigins: mediaOrigins(segments),
    trustProxies: config.TRUST_PROXY,
    checkReady: async () => {
      const pending = await pendingMigrations(db.sql);
      if (pending.length > 0) throw new Error(`migrations are missing: ${pending.join(', ')}`);
      await store.check();
    },
    identity: identityOutsideViews(
      createIdentityRouter({ identity, publicUrl, logger }),
      viewerInView(sessionOf, services.ownerViews),
    ),
    graphql: graphql.router,
    rest: createRestRouter({
      db,
      playback,
      publicUrl,
      cursorKey: deriveKey(masterKey, 'list-cursor'),
      countryHeader: config.COUNTRY_HEADER ?? null,
    }),
    webhooks: createWebhookRouter({ providers: payments.providers, inbox: paymentInbox, publicUrl, logger }),
    sandbox: payments.sandbox && createSandboxRouter({ sandbox: payments.sandbox.pages, logger }),
    formTargets: payments.providers.get('razorpay')?.sandbox === false ? ['https://api.razorpay.com'] : [],
    documents: createDocumentRouter({ ...services, writer: new PdfWriter(), viewerOf: ownViewerOf, logger }),
    unsubscribe: createUnsubscribeRouter({ ...services, logger }),
    branding: createBrandingRouter({ brands: services.brands, viewerOf, publicUrl, logger }),
    ...(replica && { markWrites: replica.yourWrites.markWrites }),
    uploads: createUploadRouter({ uploads, posters, viewerOf: ownViewerOf, publicUrl, logger }),
    delivery: createDelivery({
      media,
      store,
      objects,
      mediaKeys,
      segments,
      isAccelerated: config.SEGMENT_DELIVERY === 'accel',
      grantKey,
      previousGrantKeys: services.previousGrantKeys,
      views: services.views,
      movedClocks: services.movedClocks,
      trustProxies: config.TRUST_PROXY,
      logger,
    }),
    dashboardDir: DASHBOARD_DIR,
    playerDir: PLAYER_DIR,
  });
  // The first entity manager reads all entities, which no request should wait for.
  db.em();
  const listening = listen(http, config.HOST, config.PORT, {
    malformed: { logger, headers: () => rateLimit(playback.unknownQuota()) },
    connections: {
      maxConnections: config.MAX_CONNECTIONS ?? ownMaxConnections(),
      maxPerAddress: config.TRUST_PROXY > 0 ? null : config.MAX_CONNECTIONS_PER_ADDRESS,
    },
  });
  const server = await openPort({ setting: 'PORT', host: config.HOST, port: config.PORT }, listening);
  services.views.start();
  services.firstTokens.start();
  payments.sandbox?.sender.start(`http://${loopbackOf(config.HOST)}:${server.port}`);
  return async () => {
    await payments.sandbox?.sender.stop();
    // Open streams would delay the drain.
    await graphql.stop();
    await server.stop(REQUEST_GRACE_MS);
    await Promise.all([services.views.stop(), services.firstTokens.stop()]);
    await services.viewLines?.close();
    await paymentInbox.stop();
    await events.stop();
    await replica?.close();
  };
}

/** Programs have no cookie to carry the position of their writes, so they read from the primary. */
function replicaFor({ yourWrites, reads, keptAway }: ReplicaReads): NonNullable<GraphqlDeps['replica']> {
  return {
    readsFor: (viewer, req) => {
      if (viewer.accessToken !== null) return null;
      if (yourWrites.mayRead(viewer.accountId, req)) return reads;
      keptAway();
      return null;
    },
    wrote: (viewer, res) => {
      yourWrites.changed(viewer.accountId);
      yourWrites.wrote(res);
    },
  };
}

/** The host at which a service that listens on `host` reaches itself. */
function loopbackOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
