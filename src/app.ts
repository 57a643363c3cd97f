import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { PostgresEvents } from './adapters/events/postgresEvents.js';
import { createIdentity } from './adapters/identity/createIdentity.js';
import { FolderMailer } from './adapters/mail/folder.js';
import { SmtpMailer } from './adapters/mail/smtp.js';
import { PgBossQueue } from './adapters/queue/pgBossQueue.js';
import { DiskObjectStore } from './adapters/store/disk.js';
import { DiskUploadStaging } from './adapters/store/diskStaging.js';
import { createFfmpegTranscoder } from './adapters/transcode/ffmpegTranscoder.js';
import { ConfigError, type Config } from './config.js';
import { PostgresDatabase } from './db/database.js';
import { pendingMigrations } from './db/migrate.js';
import { createDeliveryRouter } from './delivery/router.js';
import { AccountService } from './domain/accounts/account.service.js';
import { KeyService } from './domain/keys/keys.service.js';
import { deriveKey } from './domain/playback/masterKey.js';
import { PlaybackService } from './domain/playback/playback.service.js';
import { AttemptService } from './domain/processing/attempt.service.js';
import { LeftoversService } from './domain/processing/leftovers.service.js';
import { MeasureService } from './domain/processing/measure.service.js';
import { ProcessingService } from './domain/processing/processing.service.js';
import { QuoteService } from './domain/processing/quote.service.js';
import { SupportService } from './domain/support/support.service.js';
import { PublishedMedia } from './domain/videos/publishedMedia.js';
import { UploadService } from './domain/videos/uploads.js';
import { VideoService } from './domain/videos/video.service.js';
import { VideoPartsService } from './domain/videos/videoParts.js';
import { WalletService } from './domain/wallet/wallet.service.js';
import { createGraphqlRouter } from './graphql/router.js';
import { createHttpApp } from './http/httpApp.js';
import { listen } from './http/server.js';
import type { Logger } from './logger.js';
import type { Mailer } from './ports/mailer.js';
import { rateLimit } from './rest/headers.js';
import { createRestRouter } from './rest/router.js';
import { createUploadRouter } from './uploads/router.js';
import { createWorker } from './worker/createWorker.js';

/** Where the build puts it: beside the compiled service. */
const DASHBOARD_DIR = fileURLToPath(new URL('../dist/dashboard', import.meta.url));
const SECONDS_PER_HOUR = 3600;
/** Of the ten seconds that a stop may take; the rest is for handing jobs back. */
const REQUEST_GRACE_MS = 5000;

export type Role = 'all' | 'api' | 'worker' | 'admin';

export interface AppOptions {
  readonly role: Role;
  readonly config: Config;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  /** PostgreSQL, as the role that owns nothing. */
  readonly runtimeUrl: string;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

/** The service, constructed. `start` brings up what the role serves; `stop` ends it. */
export interface App extends Services {
  readonly publicUrl: string;
  start(): Promise<void>;
  /** Drains requests, hands jobs back and closes every connection; under ten seconds. */
  stop(): Promise<void>;
}

type End = () => Promise<void>;

/** The composition root: every service and adapter is made here, and nowhere else. */
export async function createApp(options: AppOptions): Promise<App> {
  const { role, publicUrl } = options;
  const services = await createServices(options);
  const faces: End[] = [];
  const foundations: End[] = [
    () => services.db.close(),
    () => services.identity.close(),
    async () => services.playback.close(),
  ];
  return {
    ...services,
    publicUrl,
    async start() {
      if (role === 'admin') return;
      await services.queue.start();
      foundations.push(() => services.queue.stop());
      if (role !== 'api') faces.push(await startWorker(options, services));
      if (role !== 'worker') faces.push(await startApi(options, services));
    },
    async stop() {
      // Requests drain while jobs are handed back: one after the other would take longer than a stop may.
      await Promise.all(faces.splice(0).map((end) => end()));
      for (const end of foundations.splice(0).toReversed()) await end();
    },
  };
}

type Services = Awaited<ReturnType<typeof createServices>>;

async function createServices({ role, config, masterKey, runtimeUrl, publicUrl, logger }: AppOptions) {
  const dataDir = resolve(config.DATA_DIR);
  const db = await PostgresDatabase.connect({
    url: runtimeUrl,
    maxConnections: config.DATABASE_POOL_SIZE,
    log: (message) => logger.warn(message),
  });
  const store = await DiskObjectStore.open({ dir: join(dataDir, 'store') });
  const staging = await DiskUploadStaging.open({ dir: join(dataDir, 'uploads') });
  const queue = new PgBossQueue({ url: runtimeUrl, logger, works: role === 'all' || role === 'worker' });
  const playback = await PlaybackService.open({
    db,
    masterKey,
    publicUrl,
    onError: (error) => logger.warn({ err: error }, 'signing keys could not be reloaded'),
  });
  const uploads = new UploadService({
    db,
    store,
    staging,
    jobs: queue,
    maxSizeBytes: config.MAX_UPLOAD_BYTES,
    expiresInSeconds: config.UPLOAD_EXPIRY_HOURS * SECONDS_PER_HOUR,
  });
  const attempts = new AttemptService(db);
  const measures = new MeasureService(db);
  const wallet = new WalletService(db);
  const demoSecret = deriveKey(masterKey, 'demo');
  const keys = new KeyService({ db, mode: config.NODE_ENV === 'production' ? 'live' : 'test' });
  const accounts = new AccountService({ db });
  return {
    dataDir,
    demoSecret,
    db,
    store,
    staging,
    queue,
    playback,
    uploads,
    attempts,
    measures,
    wallet,
    keys,
    accounts,
    leftovers: new LeftoversService({ db, store, queue, attempts, measures }),
    processing: new ProcessingService({ db, queue, quotes: new QuoteService(db) }),
    videos: new VideoService({ db, queue, uploads }),
    videoParts: new VideoPartsService(db),
    support: new SupportService({ db, accounts, keys, wallet }),
    identity: createIdentity({
      runtimeUrl,
      secret: deriveKey(masterKey, 'identity').toString('hex'),
      publicUrl,
      mailer: createMailer(config, dataDir, logger),
      logger,
    }),
  };
}

function createMailer(config: Config, dataDir: string, logger: Logger): Mailer {
  const from = config.MAIL_FROM;
  if (config.SMTP_URL) return new SmtpMailer({ url: config.SMTP_URL, from });
  return new FolderMailer({ folder: join(dataDir, 'mail'), from, logger });
}

/** Takes jobs. Returns what ends it. @throws ConfigError in production where ffmpeg cannot be shut away. */
async function startWorker({ config, logger }: AppOptions, services: Services): Promise<End> {
  const transcoder = await createFfmpegTranscoder({ ffmpegPath: config.FFMPEG_PATH, searchPath: config.PATH });
  const sandbox = transcoder.describeSandbox();
  if (sandbox === 'none' && config.NODE_ENV === 'production') {
    throw new ConfigError('ffmpeg cannot be cut off from the network on this machine. Install bubblewrap.');
  }
  logger.info({ scope: 'job', sandbox }, 'ffmpeg sandbox');
  const worker = createWorker({
    ...services,
    jobs: services.queue,
    transcoder,
    logger,
    workDir: join(services.dataDir, 'work'),
    concurrency: config.WORKER_CONCURRENCY,
  });
  await worker.start();
  return () => worker.stop();
}

/** Serves dashboard, GraphQL, /v1, uploads and media. Resolves once it listens, to what ends it. */
async function startApi(
  { config, masterKey, runtimeUrl, publicUrl, logger }: AppOptions,
  services: Services,
): Promise<End> {
  const { db, store, identity, playback, uploads, staging } = services;
  const viewerOf = identity.viewerOf.bind(identity);
  const events = new PostgresEvents({ url: runtimeUrl, logger });
  events.start();
  const graphql = await createGraphqlRouter({
    services: { ...services, events },
    viewerOf,
    logger,
    production: config.NODE_ENV === 'production',
    ...(config.GRAPHQL_INTROSPECTION === undefined ? {} : { introspection: config.GRAPHQL_INTROSPECTION }),
  });
  const grantKey = deriveKey(masterKey, 'playback-grant');
  const http = createHttpApp({
    logger,
    publicUrl,
    trustProxies: config.TRUST_PROXY,
    checkReady: async () => {
      const pending = await pendingMigrations(db.sql);
      if (pending.length > 0) throw new Error(`migrations are missing: ${pending.join(', ')}`);
      await store.check();
    },
    identity,
    graphql: graphql.router,
    rest: createRestRouter({ db, playback, publicUrl, cursorKey: deriveKey(masterKey, 'list-cursor') }),
    uploads: createUploadRouter({ uploads, viewerOf, dir: staging.dir, publicUrl, logger }),
    delivery: createDeliveryRouter({ media: new PublishedMedia(db.sql), store, grantKey, logger }),
    dashboardDir: DASHBOARD_DIR,
  });
  const server = await listen(http, config.HOST, config.PORT, {
    logger,
    headers: () => rateLimit(playback.unknownQuota()),
  });
  return async () => {
    // Open streams would hold the drain up.
    await graphql.stop();
    await server.stop(REQUEST_GRACE_MS);
    await events.stop();
  };
}
