import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import express from 'express';
import pg from 'pg';
import { pino } from 'pino';

import { PostgresEvents } from '../../../src/adapters/events/postgresEvents.js';
import { HttpWebhookSender } from '../../../src/adapters/webhooks/httpSender.js';
import { identityEvents } from '../../../src/domain/accounts/identityEvents.js';
import { createIdentityRouter } from '../../../src/api/identity/router.js';
import { IDENTITY_PATH } from '../../../src/ports/identity.js';
import { createIdentity } from '../../../src/adapters/identity/createIdentity.js';
import { FileSealArchive } from '../../../src/adapters/seals/fileSealArchive.js';
import { PgBossQueue } from '../../../src/adapters/queue/pgBossQueue.js';
import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { DiskUploadStaging } from '../../../src/adapters/store/diskStaging.js';
import { FfmpegPosterTools } from '../../../src/adapters/transcode/pictures/ffmpegPosterTools.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { AlertService } from '../../../src/domain/shared/alerts/alert.service.js';
import { AccountService } from '../../../src/domain/accounts/account.service.js';
import { BillingDetailsService } from '../../../src/domain/payments/billing/billingDetails.service.js';
import { InvoiceService } from '../../../src/domain/payments/billing/invoice.service.js';
import { AnalyticsService } from '../../../src/domain/playback/analytics/analytics.service.js';
import { FirstTokens } from '../../../src/domain/playback/activity/firstTokens.js';
import { VideoActivityService } from '../../../src/domain/playback/activity/videoActivity.service.js';
import { EventLog } from '../../../src/domain/shared/events/eventLog.js';
import { LowBalanceService } from '../../../src/domain/payments/billing/lowBalance.service.js';
import { StatementService } from '../../../src/domain/payments/billing/statement.service.js';
import { FfmpegLogoTools } from '../../../src/adapters/transcode/pictures/ffmpegLogoTools.js';
import { BrandService } from '../../../src/domain/media/branding/brand.service.js';
import { CaptionService } from '../../../src/domain/media/captions/caption.service.js';
import { KeyService } from '../../../src/domain/accounts/keys/keys.service.js';
import { MediaKeyService } from '../../../src/domain/media/keys/mediaKeys.service.js';
import { ViewRecorder } from '../../../src/domain/playback/analytics/viewRecorder.js';
import { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { PaymentInbox } from '../../../src/domain/payments/inbox/inbox.js';
import { RefundService } from '../../../src/domain/payments/refunds/refund.service.js';
import { SupportPayments } from '../../../src/domain/payments/support/supportPayments.service.js';
import { TopUpService } from '../../../src/domain/payments/topUps/topUp.service.js';
import { PosterService } from '../../../src/domain/media/posters/poster.service.js';
import { ProcessingService } from '../../../src/domain/media/pipeline/processing.service.js';
import { QuoteService } from '../../../src/domain/media/pipeline/quote.service.js';
import { ReferralService } from '../../../src/domain/payments/referrals/referral.service.js';
import { LedgerAudit } from '../../../src/domain/ledger/seals/ledgerAudit.js';
import { ClosingService } from '../../../src/domain/operations/closing/closing.service.js';
import { AccountNoteService } from '../../../src/domain/operations/support/accountNotes.service.js';
import { AdjustmentService } from '../../../src/domain/operations/support/adjustment.service.js';
import { FailedVideoService } from '../../../src/domain/operations/support/failedVideos.js';
import { StorageService } from '../../../src/domain/payments/storage/storage.service.js';
import { OwnerViewService } from '../../../src/domain/operations/support/ownerView.service.js';
import { StaffRequestService } from '../../../src/domain/operations/support/staffRequest.service.js';
import { PlatformTotals } from '../../../src/domain/operations/totals/platformTotals.service.js';
import { QueueAges } from '../../../src/domain/operations/totals/queueAges.js';
import { SupportService } from '../../../src/domain/operations/support/support.service.js';
import { UploadService } from '../../../src/domain/media/uploads/uploads.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import { BinService } from '../../../src/domain/media/library/bin.service.js';
import { VideoService } from '../../../src/domain/media/library/video.service.js';
import { VideoPartsService } from '../../../src/domain/media/library/videoParts.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { WebhookDeliverer } from '../../../src/domain/accounts/webhooks/deliverer.js';
import { WebhookService } from '../../../src/domain/accounts/webhooks/webhooks.service.js';
import { WebhookSecrets } from '../../../src/domain/accounts/webhooks/webhookSecrets.js';
import { NotificationService } from '../../../src/domain/accounts/notices/notifications.service.js';
import { AccessTokenService } from '../../../src/domain/accounts/accessTokens/accessTokens.service.js';
import { TestClockService } from '../../../src/domain/operations/testClock/testClock.service.js';
import { OneAtATime } from '../../../src/domain/shared/oneAtATime.js';
import { TestWalletService } from '../../../src/domain/payments/testMode/testWallet.service.js';
import { TestModeService } from '../../../src/domain/accounts/testMode/testMode.service.js';
import { viewerInMode } from '../../../src/app/viewerInMode.js';
import { identityOutsideViews, viewerInView } from '../../../src/app/viewerInView.js';
import { viewerByTokenOrSession } from '../../../src/api/graphql/bearer.js';
import { createGraphqlRouter, type GraphqlDeps } from '../../../src/api/graphql/router.js';
import '../../support/cheapPasswords.js';
import { SELLER } from '../../support/billing/seller.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { MICROS_PER_CENT, PaperProvider } from '../../support/payments.js';
import { LOOPBACK } from '../../support/webhooks/webhooksRig.js';
import { Cable } from './cable.js';
import { passSecondFactor } from '../../support/accounts.js';
import { Client } from '../../support/graphql/client.js';
import { signIn } from '../../support/service.js';

const PASSWORD = 'correct horse battery';
/** A fixed free space, so that no test depends on the machine's disk. */
export const FREE_BYTES = 200_000_000_000;
const STAFF_LIMIT_MICROS = 1_000_000_000n;

type Started = Awaited<ReturnType<typeof startServices>>;

/** The whole GraphQL server on a real port, with real sessions and its own database. */
export class GraphqlService {
  private constructor(
    readonly database: TestDatabase,
    /** Connects as the superuser, to create rows and to check results. */
    readonly admin: pg.Pool,
    readonly services: Started,
    readonly url: string,
    readonly logLines: string[],
    /** The connection between the service and its database. */
    readonly cable: Cable,
    private readonly server: Server,
    private readonly end: () => Promise<void>,
  ) {}

  static async start(options: Partial<Pick<GraphqlDeps, 'production' | 'introspection' | 'streams' | 'budgets'>> = {}) {
    const database = await createTestDatabase();
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
    // Dropping the database ends connections that are still open.
    admin.on('error', () => undefined);
    const app = express();
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const dir = await mkdtemp(join(tmpdir(), 'dhara-graphql-'));
    const cable = await Cable.to(database.runtimeUrl);
    const services = await startServices(cable.url, url, dir);
    const logLines: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line) => logLines.push(line) });

    const graphql = await createGraphqlRouter({
      services,
      viewerOf: viewerInMode(
        viewerInView(
          viewerByTokenOrSession(
            (req) => services.identity.viewerOf(req),
            (token) => services.accessTokens.viewerOf(token),
          ),
          services.ownerViews,
        ),
        services.testMode,
      ),
      logger,
      production: options.production ?? false,
      ...options,
    });
    app.use((req, _res, next) => {
      req.id = 'test-request';
      Object.defineProperty(req, 'log', { value: logger });
      next();
    });
    const { identity, ownerViews } = services;
    const ownerOrStaff = viewerInView((req: IncomingMessage) => identity.viewerOf(req), ownerViews);
    const requests = createIdentityRouter({ identity, publicUrl: url, logger });
    app.use(IDENTITY_PATH, identityOutsideViews(requests, ownerOrStaff));
    app.use(graphql.router);
    return new GraphqlService(database, admin, services, url, logLines, cable, server, async () => {
      await graphql.stop();
      await services.stop();
      await cable.close();
      await rm(dir, { recursive: true });
    });
  }

  /** A client without a session. */
  get nobody(): Client {
    return new Client(this.url, '');
  }

  /** A signed-in user with an account. At most ten per service: sign-ins are limited. */
  async signedIn(email: string, role: 'owner' | 'support' = 'owner'): Promise<Client> {
    const accountId = await this.services.identity.createUser({
      email,
      name: 'Somebody',
      password: PASSWORD,
      emailVerified: true,
    });
    if (role === 'support') await this.services.accounts.promote(email, role);
    const cookie = await signIn({ url: this.url, email, password: PASSWORD });
    if (role === 'support') await passSecondFactor(this.admin, accountId);
    return new Client(this.url, cookie, accountId);
  }

  /** Delivers webhooks, as a worker does, until it is stopped. */
  deliverWebhooks(): WebhookDeliverer {
    const { db, webhookSecrets: secrets, webhookSender: sender } = this.services;
    const deliverer = new WebhookDeliverer({ db, secrets, sender, logger: pino({ level: 'silent' }), pollMs: 20 });
    deliverer.start();
    return deliverer;
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.admin.query<Row>(text, values)).rows;
  }

  /** Counts statements of the services' pool from now on. Call before the pool's first use. */
  countStatements(): { count: number } {
    const counter = { count: 0 };
    this.services.db.pool.on('acquire', (client) => {
      const counted = client as pg.PoolClient & { isCounted?: true };
      if (counted.isCounted) return;
      counted.isCounted = true;
      const query = counted.query.bind(counted) as (...args: unknown[]) => unknown;
      counted.query = ((...args: unknown[]) => {
        counter.count += 1;
        return query(...args);
      }) as typeof counted.query;
    });
    return counter;
  }

  async stop(): Promise<void> {
    await this.end();
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
    await this.admin.end();
    await this.database.drop();
  }
}

async function startServices(runtimeUrl: string, publicUrl: string, dir: string) {
  const logger = pino({ level: 'silent' });
  const db = await PostgresDatabase.connect({ url: runtimeUrl, maxConnections: 5 });
  const queue = new PgBossQueue({ url: runtimeUrl, logger, works: false, maxConnections: 1 });
  await queue.start();
  const store = await DiskObjectStore.open({ dir: join(dir, 'media') });
  const staging = await DiskUploadStaging.open({ dir: join(dir, 'uploads') });
  const uploads = new UploadService({
    db,
    store,
    staging: Object.assign(staging, { freeBytes: () => Promise.resolve(FREE_BYTES) }),
    jobs: queue,
    maxSizeBytes: 50 * 1000 ** 3,
    expiresInSeconds: 3600,
  });
  const identity = createIdentity({
    runtimeUrl,
    secret: 'a secret of at least thirty-two characters',
    publicUrl,
    logger,
    mailer: { send: async () => Promise.resolve() },
    events: identityEvents(db),
    maxConnections: 3,
  });
  const eventLog = new EventLog(db);
  const webhookSecrets = new WebhookSecrets({ current: randomBytes(32), previous: [] });
  const webhookSender = new HttpWebhookSender({ allowsHttp: true, allowedNetworks: LOOPBACK });
  const accounts = new AccountService({ db });
  const keys = new KeyService({ db });
  const wallet = new WalletService(db);
  const storage = new StorageService(db);
  const processing = new ProcessingService({ db, queue, quotes: new QuoteService(db) });
  const views = new ViewRecorder({ db, visitorKey: randomBytes(32) });
  const firstTokens = new FirstTokens({ db });
  const playback = await PlaybackService.open({
    db,
    masterKey: randomBytes(32),
    publicUrl,
    views,
    firstTokens,
    onError: () => undefined,
  });
  const events = new PostgresEvents({ url: runtimeUrl, logger });
  events.start();
  const paper = { razorpay: new PaperProvider('razorpay', 'INR'), stripe: new PaperProvider('stripe', 'USD') };
  const providers = new Map([paper.razorpay, paper.stripe].map((provider) => [provider.name, provider]));
  const paymentDeps = { db, logger, providers, payerKey: randomBytes(32) };
  const paymentInbox = new PaymentInbox(paymentDeps);
  const refunds = new RefundService({ ...paymentDeps, staffLimitMicros: STAFF_LIMIT_MICROS });
  const videos = new VideoService({ db, queue, uploads });
  const turns = new OneAtATime();
  const testWallets = new TestWalletService(db, turns);
  const topUps = new TopUpService({
    ...paymentDeps,
    publicUrl,
    maxRateAgeHours: 24,
    rates: { usdToInr: async () => Promise.resolve({ microsPerCent: MICROS_PER_CENT, asOf: new Date() }) },
  });
  return {
    db,
    queue,
    store,
    paper,
    paymentInbox,
    topUps,
    refunds,
    closings: new ClosingService({ db, queue, identity, topUps, refunds, logger }),
    supportPayments: new SupportPayments({ db, inbox: paymentInbox }),
    identity,
    accounts,
    testMode: new TestModeService(db),
    testWallets,
    testClocks: new TestClockService({ db, videos, processing, testWallets, turns }),
    keys,
    accessTokens: new AccessTokenService({ db, identity }),
    notifications: new NotificationService(db),
    wallet,
    statements: new StatementService({ db, wallet }),
    billingDetails: new BillingDetailsService(db),
    invoices: new InvoiceService({ db, seller: SELLER }),
    lowBalance: new LowBalanceService(db),
    eventLog,
    videoActivity: new VideoActivityService({ db, eventLog, keepDays: 90 }),
    analytics: new AnalyticsService(db),
    webhookSecrets,
    webhookSender,
    webhooks: new WebhookService({ db, secrets: webhookSecrets, sender: webhookSender }),
    views,
    firstTokens,
    playback,
    events,
    uploads,
    videos,
    bin: new BinService({ db, queue, videos }),
    videoParts: new VideoPartsService(db),
    captions: new CaptionService(db),
    posters: new PosterService({
      db,
      store,
      mediaKeys: new MediaKeyService({ db, masterKeys: { current: randomBytes(32), previous: [] } }),
      tools: new FfmpegPosterTools({ searchPath: process.env['PATH']!, mustConfine: false }),
    }),
    brands: new BrandService({
      db,
      store,
      media: new PublishedMedia(db.sql),
      tools: new FfmpegLogoTools({ searchPath: process.env['PATH']!, mustConfine: false }),
    }),
    processing,
    referrals: new ReferralService({ db, logger, publicUrl }),
    storage,
    accountNotes: new AccountNoteService({ db, accounts }),
    ownerViews: new OwnerViewService({ db, accounts, identity }),
    platformTotals: new PlatformTotals(db),
    queueAges: new QueueAges({ db, queue, storage }),
    support: new SupportService({ db, accounts, keys, playback }),
    adjustments: new AdjustmentService({ db, accounts, wallet, limitMicros: STAFF_LIMIT_MICROS }),
    staffRequests: new StaffRequestService({ db, keys, refunds }),
    failedVideos: new FailedVideoService({ db, processing }),
    alerts: new AlertService({ db, logger, mailTo: null, mailer: { send: async () => Promise.resolve() } }),
    ledgerAudit: new LedgerAudit({ db, archive: new FileSealArchive({ dir: join(dir, 'seals') }) }),
    stop: async () => {
      await events.stop();
      await paymentInbox.stop();
      playback.close();
      await identity.close();
      await queue.stop();
      await db.close();
    },
  };
}
