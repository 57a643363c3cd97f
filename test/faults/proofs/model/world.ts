import { randomBytes } from 'node:crypto';

import { pino } from 'pino';

import { execute, type Statement } from '../../../../src/db/sql.js';
import { installVirtualClock, setClockOffset } from '../../../../src/db/virtualClock.js';
import type { Viewer } from '../../../../src/domain/accounts/viewer.js';
import { newId } from '../../../../src/domain/shared/ids.js';
import { enterOwner } from '../../../../src/domain/payments/settlement/directory.js';
import { RefundService } from '../../../../src/domain/payments/refunds/refund.service.js';
import { settlePayment } from '../../../../src/domain/payments/settlement/settlePayment.js';
import { INSERT_TOPUP, STORE_CHECKOUT } from '../../../../src/domain/payments/topUps/topUp.sql.js';
import { BinService } from '../../../../src/domain/media/library/bin.service.js';
import type { Video } from '../../../../src/domain/media/library/video.entity.js';
import { VideoService } from '../../../../src/domain/media/library/video.service.js';
import { AttemptService } from '../../../../src/domain/media/pipeline/attempt.service.js';
import { ProcessingService } from '../../../../src/domain/media/pipeline/processing.service.js';
import { QuoteService } from '../../../../src/domain/media/pipeline/quote.service.js';
import type { ClosingRow } from '../../../../src/domain/operations/closing/closing.sql.js';
import { ClosingService } from '../../../../src/domain/operations/closing/closing.service.js';
import { ErasureService, type Waiting } from '../../../../src/domain/operations/closing/erasure.service.js';
import { TopUpService } from '../../../../src/domain/payments/topUps/topUp.service.js';
import { CHARGE_BATCH } from '../../../../src/domain/payments/storage/night.sql.js';
import { StorageService } from '../../../../src/domain/payments/storage/storage.service.js';
import { LEDGER_ACCOUNTS } from '../../../../src/domain/ledger/ledgerAccounts.js';
import { WalletService } from '../../../../src/domain/ledger/wallet.service.js';
import type { PaymentFact, ProviderName } from '../../../../src/ports/paymentProvider.js';
import type { JobQueue } from '../../../../src/ports/jobQueue.js';
import { PaperProvider } from '../../../support/payments.js';
import { paperProbe } from '../../../support/worker/paperProbe.js';
import { query } from '../../../support/database/query.js';
import type { ModelVideo } from './history.js';
import { LeanDatabase } from './leanDatabase.js';

const OPEN: Statement = { name: 'proof-open', text: 'select open_account($1)' };

const REFER: Statement = {
  name: 'proof-refer',
  text: `
    select attribute_referral($1::uuid, 'invitee-' || $1::uuid || '@example.com', code) from referral_code where account_id = $2`,
};

const STORE: Statement = {
  name: 'proof-store',
  text: `
    insert into stored_object (account_id, key, video_id, size_bytes, stored_at)
    values ($1, 'sources/' || $2::uuid, $2::uuid, $3, '2026-12-01')`,
};

const UPLOAD: Statement = {
  name: 'proof-upload',
  text: `
    with file as (
      insert into stored_object (account_id, key, video_id, size_bytes, stored_at)
      values ($1, 'sources/' || $2::uuid, $2::uuid, $3, '2026-12-01')
    )
    insert into video (account_id, id, title, status, duration_ms, source_probe, source_key, size_bytes)
    values ($1, $2, 'proof', 'uploaded', $4, $5, 'sources/' || $2::uuid, $3)`,
};

const CLOSING: Statement = {
  name: 'proof-closing',
  text: `
    select account_id, id, closed_at, erase_after from account_closing where account_id = $1 and reopened_at is null`,
};

const REFUND_REQUESTS: Statement = {
  name: 'proof-refund-requests',
  text: `
    select id, refund_id, topup_id, held_micros, amount_minor from refund_request where account_id = $1`,
};

/** Everything that is checked about an owner after each step, in one round trip. */
const LOOK: Statement = {
  name: 'proof-look',
  text: `
    select (select json_object_agg(account_no, balance::text) from ledger_account where owner_id = $1) as balances,
      (select coalesce(sum(locked_micros), 0) from escrow where account_id = $1 and status = 'locked') as escrows,
      (select coalesce(sum(held_micros), 0) from refund_request where account_id = $1 and status = 'requested') as requests,
      (select coalesce(sum(value::bigint), 0) from payment cross join jsonb_each_text(held)
        where account_id = $1 and fate = 'credited') as disputes,
      (select coalesce(sum(e.delta), 0) from ledger_tx t
        join ledger_entry e on e.owner_id = t.owner_id and e.tx_id = t.tx_id and e.account_no between 2 and 4
        where t.owner_id = $1 and t.type = 'ALLOCATION' and t.idempotency_key ~ '^(escrow|storage):draw:') as drawn`,
};

export interface Look {
  readonly balances: ReadonlyMap<string, bigint>;
  readonly escrowsMicros: bigint;
  readonly requestsMicros: bigint;
  readonly disputesMicros: bigint;
  /** What buckets drew from MASTER, by their own allocations. */
  readonly drawnMicros: bigint;
}

interface LookRow {
  balances: Record<string, string>;
  escrows: string;
  requests: string;
  disputes: string;
  drawn: string;
}

/** The jobs that are queued here are never worked on. */
const QUEUE = {
  enqueueProcessVideo: async () => Promise.resolve(newId()),
  cancelProcessVideo: async () => Promise.resolve(),
} as unknown as JobQueue;

/** Where the clock is set: closings, purchases and files are of this day, and the nights of 2027 come after it. */
const TODAY = '2026-12-10T12:00:00Z';

/** The service's own money code, called directly, as the role that owns nothing. */
export class World {
  readonly db: LeanDatabase;
  readonly wallet: WalletService;
  readonly attempts: AttemptService;
  readonly storage: StorageService;
  readonly refunds: RefundService;
  readonly processing: ProcessingService;
  readonly bin: BinService;
  private readonly quotes: QuoteService;
  private readonly closings: ClosingService;
  private readonly erasures: ErasureService;
  private readonly payerKey = randomBytes(32);

  constructor(databaseUrl: string, maxConnections: number) {
    this.db = new LeanDatabase(databaseUrl, maxConnections);
    this.wallet = new WalletService(this.db);
    this.attempts = new AttemptService(this.db);
    this.storage = new StorageService(this.db);
    const providers = new Map<ProviderName, PaperProvider>([['razorpay', new PaperProvider('razorpay', 'INR')]]);
    const { db } = this;
    const logger = pino({ level: 'silent' });
    this.refunds = new RefundService({
      db,
      providers,
      logger,
      payerKey: this.payerKey,
      staffLimitMicros: 1_000_000_000n,
    });
    this.quotes = new QuoteService(db);
    this.processing = new ProcessingService({ db, queue: QUEUE, quotes: this.quotes });
    const unused = async () => Promise.reject(new Error('nothing here asks for it'));
    this.bin = new BinService({ db, queue: QUEUE, videos: { get: async () => Promise.resolve({} as Video) } });
    const topUps = new TopUpService({
      db,
      providers,
      rates: { usdToInr: unused },
      maxRateAgeHours: 24,
      publicUrl: 'https://dhara.example',
    });
    const identity = { provePassword: async () => Promise.resolve() };
    this.closings = new ClosingService({ db, queue: QUEUE, topUps, refunds: this.refunds, logger, identity });
    this.erasures = new ErasureService({
      db,
      closings: this.closings,
      videos: new VideoService({ db, queue: QUEUE, uploads: { begin: unused } }),
      bin: this.bin,
      topUps,
      webhookBodies: { redactOf: async () => Promise.resolve(0) },
      logger,
    });
  }

  /** Sets the clock, and says that all days before 2027 are charged. */
  async setCalendar(migrationUrl: string): Promise<void> {
    await installVirtualClock(migrationUrl);
    await setClockOffset(migrationUrl, Date.parse(TODAY) - Date.now());
    await query(migrationUrl, `update storage_night set day = '2026-12-31'`);
  }

  async owner(): Promise<string> {
    const ownerId = newId();
    await this.db.sql.query(OPEN, [ownerId]);
    return ownerId;
  }

  async refer(inviteeId: string, referrerId: string): Promise<void> {
    await this.db.sql.query(REFER, [inviteeId, referrerId]);
  }

  /** A top-up of rupees with its checkout, as `createTopUp` leaves it. */
  async topUp(accountId: string, minor: bigint): Promise<{ topUpId: string; orderId: string }> {
    const topUpId = newId();
    const orderId = `order_${topUpId}`;
    await execute(this.db.sql, INSERT_TOPUP, {
      accountId,
      id: topUpId,
      idempotencyKey: topUpId,
      provider: 'razorpay',
      isSandbox: true,
      currency: 'INR',
      amountMinor: minor.toString(),
      microsPerMinor: '10000',
      rateAsOf: null,
      returnPath: '/wallet',
      validMinutes: 60,
    });
    await execute(this.db.sql, STORE_CHECKOUT, {
      accountId,
      id: topUpId,
      orderId,
      method: 'GET',
      url: 'https://pay.example',
      fields: '[]',
    });
    await enterOwner(this.db.sql, 'razorpay', orderId, { accountId, topUpId });
    return { topUpId, orderId };
  }

  /** Applies a webhook's fact in a transaction, as the inbox would. */
  async tell(fact: PaymentFact): Promise<void> {
    const { payerKey } = this;
    const { paymentId } = fact;
    const payment = { provider: 'razorpay', sandbox: true, paymentId, facts: [fact], payerKey } as const;
    await this.db.transaction(({ sql }) => settlePayment(sql, payment, async () => Promise.resolve([])));
  }

  async store(accountId: string, bytes: bigint): Promise<void> {
    await this.db.sql.query(STORE, [accountId, newId(), bytes]);
  }

  /** A measured video of 720p, and its file. */
  async upload(accountId: string, { id, bytes, seconds }: ModelVideo): Promise<void> {
    const probe = JSON.stringify(paperProbe(seconds * 1000, 720));
    await this.db.sql.query(UPLOAD, [accountId, id, bytes, seconds * 1000, probe]);
  }

  async quote(accountId: string, videoId: string): Promise<string> {
    return (await this.quotes.create(accountId, videoId, { quality: '720p', branding: false, encryption: false })).id;
  }

  async failJob(job: { accountId: string; videoId: string; attempt: number }): Promise<void> {
    const claim = await this.attempts.claim(job);
    await this.attempts.fail(claim!, { code: 'PROCESSING_FAILED', message: 'It broke.' });
  }

  async close(accountId: string): Promise<void> {
    await this.closings.close(viewerOf(accountId), { email: EMAIL, password: 'any' });
  }

  reopen(accountId: string): Promise<void> {
    return this.closings.reopen(viewerOf(accountId));
  }

  /** @returns whether nothing was left to do */
  async settleClosing(accountId: string): Promise<boolean> {
    const [row] = await this.db.sql.query<ClosingRow>(CLOSING, [accountId]);
    return this.closings.settle(row!);
  }

  /** @returns what it still waits for */
  async erase(accountId: string): Promise<Waiting | null> {
    return (await this.erasures.eraseNow(accountId, 'a proof')).waitsFor;
  }

  async refundRequests(accountId: string) {
    const rows = await this.db.sql.query<{
      id: string;
      refund_id: string;
      topup_id: string;
      held_micros: string;
      amount_minor: string;
    }>(REFUND_REQUESTS, [accountId]);
    return rows.map((row) => ({
      id: row.id,
      refundId: row.refund_id,
      topUpId: row.topup_id,
      heldMicros: BigInt(row.held_micros),
      minor: BigInt(row.amount_minor),
    }));
  }

  /** The nightly statement, for this one owner. */
  async chargeDay(accountId: string, day: string): Promise<void> {
    const before = (BigInt(`0x${accountId.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0');
    await this.db.transaction(({ sql }) =>
      execute(sql, CHARGE_BATCH, { day, afterAccount: before, through: accountId }),
    );
  }

  async look(ownerId: string): Promise<Look> {
    const [row] = await this.db.sql.query<LookRow>(LOOK, [ownerId]);
    return {
      balances: new Map(
        Object.entries(LEDGER_ACCOUNTS).map(([name, number]) => [name, BigInt(row!.balances[number] ?? 0)]),
      ),
      escrowsMicros: BigInt(row!.escrows),
      requestsMicros: BigInt(row!.requests),
      disputesMicros: BigInt(row!.disputes),
      drawnMicros: BigInt(row!.drawn),
    };
  }
}

const EMAIL = 'owner@example.com';

function viewerOf(accountId: string): Viewer {
  return {
    userId: accountId,
    sessionId: null,
    accessToken: null,
    email: EMAIL,
    emailVerified: true,
    name: 'Owner',
    twoFactorEnabled: false,
    twoFactorPassed: false,
    accountId,
    mode: 'live',
    role: 'owner',
    suspended: false,
    view: null,
  };
}
