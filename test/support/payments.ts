import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { pino } from 'pino';
import { afterAll, expect } from 'vitest';

import { PostgresDatabase } from '../../src/db/database.js';
import { newId } from '../../src/domain/shared/ids.js';
import { PaymentInbox } from '../../src/domain/payments/inbox/inbox.js';
import { PaymentReconciler } from '../../src/domain/payments/inbox/reconciler.js';
import { RefundService } from '../../src/domain/payments/refunds/refund.service.js';
import type { TopUp } from '../../src/domain/payments/topUps/topUp.js';
import { TopUpService } from '../../src/domain/payments/topUps/topUp.service.js';
import { verifyLedger } from '../../src/domain/ledger/verify/verify.js';
import { WalletService } from '../../src/domain/ledger/wallet.service.js';
import { AppError } from '../../src/errors.js';
import type {
  Checkout,
  CheckoutOrder,
  Currency,
  PaymentFact,
  PaymentProvider,
  ProviderName,
  ProviderPayment,
  ProviderRefund,
  RefundOrder,
  SignedEvent,
} from '../../src/ports/paymentProvider.js';
import { openFundedAccount } from './accounts.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { WAIT_MS } from './deadlines.js';
import { spendOnJob } from './jobs.js';

/** A provider in this process whose webhooks contain the facts as JSON. It can be away, and can refuse. */
export class PaperProvider implements PaymentProvider {
  sandbox = true;
  readonly orders = new Map<string, CheckoutOrder>();
  readonly payments = new Map<string, ProviderPayment[]>();
  readonly refunds = new Map<string, RefundOrder & { refundId: string }>();
  refundCalls = 0;
  isAway = false;
  refusesRefunds = false;
  /** Called when a refund exists at the provider, before the response. */
  beforeRefundResponse: (refund: RefundOrder & { refundId: string }) => Promise<void> = async () => Promise.resolve();

  constructor(
    readonly name: ProviderName,
    readonly currency: Currency,
  ) {}

  async openCheckout(order: CheckoutOrder): Promise<Checkout> {
    this.mustBeThere();
    const orderId = `order_${newId()}`;
    this.orders.set(orderId, order);
    return Promise.resolve({ orderId, method: 'GET', url: `https://pay.example/${orderId}`, fields: [] });
  }

  async paymentsOf(orderId: string): Promise<ProviderPayment[]> {
    this.mustBeThere();
    return Promise.resolve(this.payments.get(orderId) ?? []);
  }

  async refund(order: RefundOrder): Promise<ProviderRefund> {
    this.refundCalls += 1;
    this.mustBeThere();
    if (this.refusesRefunds) throw new AppError('INVALID_STATE', 'The payment cannot be refunded.');
    const made = this.refunds.get(order.idempotencyKey) ?? { ...order, refundId: `rfnd_${newId()}` };
    this.refunds.set(order.idempotencyKey, made);
    await this.beforeRefundResponse(made);
    return { refundId: made.refundId, state: 'pending', createdAt: new Date() };
  }

  verify(): SignedEvent {
    throw new AppError('INVALID_SIGNATURE', 'Paper carries no signature.');
  }

  facts(rawBody: Buffer): PaymentFact[] {
    const revive = (key: string, value: unknown) => {
      if (key === 'amountMinor') return BigInt(value as string);
      return key === 'capturedAt' || key === 'createdAt' ? new Date(value as string) : value;
    };
    const { facts } = JSON.parse(rawBody.toString(), revive) as { facts: PaymentFact[] };
    return facts;
  }

  private mustBeThere(): void {
    if (this.isAway) throw new AppError('PROVIDER_UNAVAILABLE', 'The provider is away.');
  }
}

/** A webhook body with these facts; `salt` changes its bytes. */
export function bodyOf(facts: readonly PaymentFact[], salt = ''): Buffer {
  return Buffer.from(
    JSON.stringify({ salt, facts }, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
  );
}

/** 1 cent = 850,000 micro-credits: 85 rupees to the dollar. */
export const MICROS_PER_CENT = 850_000n;

/** The whole payments domain on its own database, with the role of the service. */
export class PaymentsRig {
  readonly razorpay = new PaperProvider('razorpay', 'INR');
  readonly stripe = new PaperProvider('stripe', 'USD');
  readonly providers = new Map<ProviderName, PaymentProvider>([
    ['razorpay', this.razorpay],
    ['stripe', this.stripe],
  ]);
  readonly rate = { microsPerCent: MICROS_PER_CENT, asOf: new Date() };
  readonly inbox: PaymentInbox;
  readonly topUps: TopUpService;
  readonly refunds: RefundService;
  readonly reconciler: PaymentReconciler;
  readonly wallet: WalletService;

  private constructor(
    readonly database: TestDatabase,
    readonly db: PostgresDatabase,
    readonly admin: pg.Pool,
  ) {
    const payerKey = randomBytes(32);
    const logger = pino({ level: 'silent' });
    const { providers } = this;
    this.wallet = new WalletService(db);
    this.inbox = new PaymentInbox({ db, providers, logger, payerKey });
    this.topUps = new TopUpService({
      db,
      providers,
      rates: { usdToInr: async () => Promise.resolve({ ...this.rate }) },
      maxRateAgeHours: 24,
      publicUrl: 'http://localhost:4000',
    });
    this.refunds = new RefundService({ db, providers, logger, payerKey, staffLimitMicros: 1_000_000_000n });
    this.reconciler = new PaymentReconciler({ db, providers, logger });
  }

  /** For the tests of the file that calls it. Checks the books and stops after them. */
  static async ofFile(): Promise<PaymentsRig> {
    const rig = await PaymentsRig.start();
    afterAll(async () => {
      expect(await rig.faults()).toEqual([]);
      await rig.stop();
    });
    return rig;
  }

  static async start(maxConnections = 20): Promise<PaymentsRig> {
    const database = await createTestDatabase();
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
    admin.on('error', () => undefined);
    return new PaymentsRig(
      database,
      await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections, connectTimeoutMs: WAIT_MS }),
      admin,
    );
  }

  async stop(): Promise<void> {
    await this.inbox.stop();
    await this.db.close();
    await this.admin.end();
    await this.database.drop();
  }

  account(masterMicros = 0n, creativeMicros = 0n): Promise<string> {
    return openFundedAccount(this.db, { masterMicros, creativeMicros });
  }

  /** A top-up in rupees with an open checkout. */
  topUp(accountId: string, amount = '100'): Promise<TopUp> {
    return this.topUps.createTopUp(accountId, { provider: 'razorpay', amount, idempotencyKey: newId() });
  }

  /** An owner with a paid top-up of 100 rupees. */
  async paid() {
    const accountId = await this.account();
    const topUp = await this.topUp(accountId);
    const facts = factsOf(topUp);
    await this.deliver([facts.captured]);
    return { accountId, topUp, facts };
  }

  /** Spends credits of MASTER on a job. */
  spend(accountId: string, credits: bigint): Promise<void> {
    return spendOnJob(this.db, accountId, credits * 1_000_000n);
  }

  /** Delivers facts as one webhook, with a new event id by default, and processes the inbox. */
  async deliver(facts: readonly PaymentFact[], delivery: Delivery = {}): Promise<void> {
    const eventId = delivery.eventId ?? newId();
    await this.receive(facts, { ...delivery, eventId });
    await this.settled([eventId]);
  }

  async receive(facts: readonly PaymentFact[], { provider = 'razorpay', eventId = newId() }: Delivery = {}) {
    const event = { eventId, type: facts[0]?.kind ?? 'ping', createdAt: new Date() };
    return this.inbox.receive(provider, event, bodyOf(facts));
  }

  /** Processes the inbox until these events are done: another drain may be working on them. */
  async settled(eventIds: readonly string[]): Promise<void> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      await this.inbox.drain();
      const open = await this.rows(
        `select 1 from webhook_event where event_id = any ($1) and status in ('pending', 'failed')`,
        [eventIds],
      );
      if (open.length === 0) return;
      if (performance.now() > deadline) throw new Error('the inbox was never done');
    }
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.admin.query<Row>(text, values)).rows;
  }

  /** All balances that are not zero. */
  async balances(accountId: string): Promise<Record<string, bigint>> {
    const balances = await this.wallet.balances(accountId);
    return Object.fromEntries(Object.entries(balances).filter(([, micros]) => micros !== 0n));
  }

  async faults() {
    return (await verifyLedger(this.db)).faults;
  }
}

interface Delivery {
  readonly provider?: ProviderName;
  readonly eventId?: string;
}

/** The facts of one payment of a top-up. */
export function factsOf(topUp: TopUp, paymentId = `pay_${newId()}`) {
  const capturedAt = new Date('2026-03-01T10:00:00Z');
  const before = new Date('2026-03-01T09:59:55Z');
  const orderId = topUp.checkout!.orderId;
  const { accountId, id: topUpId, amountMinor, currency } = topUp;
  const captured = {
    kind: 'captured',
    paymentId,
    orderId,
    amountMinor,
    currency,
    capturedAt,
    accountId,
    topUpId,
    payers: ['email:payer@example.com'],
  } as const satisfies PaymentFact;
  const refund = (refundId: string, minor: bigint, state: 'pending' | 'processed' | 'failed') =>
    ({
      kind: 'refund',
      refundId,
      paymentId,
      amountMinor: minor,
      currency,
      state,
      createdAt: new Date('2026-03-02T10:00:00Z'),
      requestKey: null,
    }) as const satisfies PaymentFact;
  const dispute = (disputeId: string, minor: bigint, state: 'open' | 'won' | 'lost') =>
    ({
      kind: 'dispute',
      disputeId,
      paymentId,
      amountMinor: minor,
      currency,
      state,
      lostMinor: state === 'lost' ? minor : null,
      isReturned: state === 'won',
      createdAt: new Date('2026-03-03T10:00:00Z'),
    }) as const satisfies PaymentFact;
  return {
    paymentId,
    authorized: { kind: 'authorized', paymentId, orderId, at: before } as const satisfies PaymentFact,
    failed: { kind: 'failed', paymentId, orderId, at: before } as const satisfies PaymentFact,
    captured,
    /** The same payment, reported by another event a moment later. */
    orderPaid: { ...captured, capturedAt: new Date('2026-03-01T10:00:05Z') } satisfies PaymentFact,
    refund,
    dispute,
  };
}
