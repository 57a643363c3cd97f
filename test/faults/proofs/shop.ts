import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Router } from 'express';
import { pino } from 'pino';

import { createPaymentProviders, type Payments } from '../../../src/adapters/payments/index.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { PaymentInbox } from '../../../src/domain/payments/inbox/inbox.js';
import { PaymentReconciler } from '../../../src/domain/payments/inbox/reconciler.js';
import { RefundService } from '../../../src/domain/payments/refunds/refund.service.js';
import { SupportPayments } from '../../../src/domain/payments/support/supportPayments.service.js';
import type { TopUp } from '../../../src/domain/payments/topUps/topUp.js';
import { TopUpService } from '../../../src/domain/payments/topUps/topUp.service.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { createHttpApp } from '../../../src/api/http/httpApp.js';
import type { ProviderName } from '../../../src/ports/paymentProvider.js';
import { createWebhookRouter } from '../../../src/api/webhooks/router.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { WAIT_MS } from '../../support/deadlines.js';

/** A database of the service: a test's own, or a separate cluster. */
export type ShopDatabase = Pick<TestDatabase, 'migrationUrl' | 'runtimeUrl'>;

/**
 * The service's HTTP endpoints for money, with everything behind them, and the sandbox as a provider with its own
 * database: it keeps running while the service's database is down, as real providers do.
 */
export class Shop {
  readonly secret = randomBytes(16).toString('hex');
  readonly payments: Payments;
  readonly inbox: PaymentInbox;
  readonly topUps: TopUpService;
  readonly refunds: RefundService;
  readonly reconciler: PaymentReconciler;
  readonly support: SupportPayments;
  readonly wallet: WalletService;

  private constructor(
    readonly db: PostgresDatabase,
    private readonly ours: ShopDatabase,
    private readonly theirs: TestDatabase,
    readonly providerDb: PostgresDatabase,
    private readonly server: Server,
    readonly url: string,
  ) {
    const logger = pino({ level: 'silent' });
    const settings = { razorpay: null, stripe: null, rate: null, sandboxSecret: this.secret };
    this.payments = createPaymentProviders({ ...settings, db: providerDb, logger, publicUrl: url });
    const { providers, rates } = this.payments;
    const deps = { db, providers, logger, payerKey: randomBytes(32) };
    this.inbox = new PaymentInbox(deps);
    this.topUps = new TopUpService({ db, providers, rates, maxRateAgeHours: 24, publicUrl: url });
    this.refunds = new RefundService({ ...deps, staffLimitMicros: 1_000_000_000n });
    this.reconciler = new PaymentReconciler(deps);
    this.support = new SupportPayments({ db, inbox: this.inbox });
    this.wallet = new WalletService(db);
    const webhooks = createWebhookRouter({ providers, inbox: this.inbox, publicUrl: url, logger });
    const none = {
      rest: Router(),
      delivery: { router: Router() },
      uploads: Router(),
      graphql: Router(),
      sandbox: null,
    };
    server.on(
      'request',
      createHttpApp({
        ...none,
        logger,
        publicUrl: url,
        trustProxies: 0,
        checkReady: () => Promise.resolve(),
        webhooks,
        identity: (_req, _res, next) => next(),
        dashboardDir: '/nowhere',
        playerDir: '/nowhere',
      }),
    );
  }

  static async open(ours: ShopDatabase): Promise<Shop> {
    const theirs = await createTestDatabase();
    for (const { migrationUrl } of [ours, theirs]) await installVirtualClock(migrationUrl);
    const db = await PostgresDatabase.connect({ url: ours.runtimeUrl, maxConnections: 10, connectTimeoutMs: WAIT_MS });
    const providerDb = await PostgresDatabase.connect({
      url: theirs.runtimeUrl,
      maxConnections: 4,
      connectTimeoutMs: WAIT_MS,
    });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new Shop(db, ours, theirs, providerDb, server, url);
  }

  /** Makes the provider deliver its webhooks. */
  startDelivering(): void {
    this.payments.sandbox!.sender.start(this.url);
  }

  async close(): Promise<void> {
    await this.payments.sandbox!.sender.stop();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.inbox.stop();
    await this.db.close();
    await this.providerDb.close();
    await this.theirs.drop();
  }

  /**
   * Sets both clocks, since the provider lives in the same time; or only the provider's, while the other one is down.
   */
  async setClock(offsetMs: number, whose: 'both' | 'provider' = 'both'): Promise<void> {
    await setClockOffset(this.theirs.migrationUrl, offsetMs);
    if (whose === 'both') await setClockOffset(this.ours.migrationUrl, offsetMs);
  }

  async account(): Promise<string> {
    const accountId = newId();
    await this.db.sql.query({ name: 'shop-open', text: 'select open_account($1)' }, [accountId]);
    return accountId;
  }

  /** 499.50 in the provider's currency. */
  topUp(accountId: string, provider: ProviderName = 'razorpay'): Promise<TopUp> {
    return this.topUps.createTopUp(accountId, { provider, amount: '499.50', idempotencyKey: newId() });
  }

  /** Pays as the payer. @param deliverAfterSeconds `null` holds the webhooks back */
  async pay(topUp: TopUp, deliverAfterSeconds: number | null = 0, deliveries = 1): Promise<void> {
    await this.payments.sandbox!.pages.pay(topUp.checkout!.orderId, {
      outcome: 'captured',
      payments: 1,
      payerEmail: `${topUp.accountId}@example.com`,
      deliverAfterSeconds,
      deliveries,
    });
  }

  /** Posts a webhook body. Resolves to the status. */
  async post(provider: ProviderName, body: string, headers: Record<string, string>): Promise<number> {
    const response = await fetch(`${this.url}/webhooks/${provider}`, { method: 'POST', headers, body });
    await response.text();
    return response.status;
  }

  async balances(accountId: string): Promise<Record<string, bigint>> {
    const balances = await this.wallet.balances(accountId);
    return Object.fromEntries(Object.entries(balances).filter(([, micros]) => micros !== 0n));
  }

  /** Rows of the service's database, or of the provider's. */
  rows<Row extends object>(whose: 'ours' | 'theirs', text: string, values: unknown[] = []): Promise<Row[]> {
    return (whose === 'ours' ? this.db : this.providerDb).sql.query<Row>({ name: '', text }, values);
  }
}
