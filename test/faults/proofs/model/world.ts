import { randomBytes } from 'node:crypto';

import { pino } from 'pino';

import { execute, type Statement } from '../../../../src/db/sql.js';
import { newId } from '../../../../src/domain/shared/ids.js';
import { enterOwner } from '../../../../src/domain/payments/settlement/directory.js';
import { RefundService } from '../../../../src/domain/payments/refunds/refund.service.js';
import { settlePayment } from '../../../../src/domain/payments/settlement/settlePayment.js';
import { INSERT_TOPUP, STORE_CHECKOUT } from '../../../../src/domain/payments/topUps/topUp.sql.js';
import { AttemptService } from '../../../../src/domain/media/pipeline/attempt.service.js';
import { CHARGE_BATCH } from '../../../../src/domain/payments/storage/night.sql.js';
import { StorageService } from '../../../../src/domain/payments/storage/storage.service.js';
import { LEDGER_ACCOUNTS } from '../../../../src/domain/ledger/ledgerAccounts.js';
import { WalletService } from '../../../../src/domain/ledger/wallet.service.js';
import type { PaymentFact, ProviderName } from '../../../../src/ports/paymentProvider.js';
import { PaperProvider } from '../../../support/payments.js';
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

/** Everything that is checked about an owner after each step, in one round trip. */
const LOOK: Statement = {
  name: 'proof-look',
  text: `
    select (select json_object_agg(account_no, balance::text) from ledger_account where owner_id = $1) as balances,
      (select coalesce(sum(locked_micros), 0) from escrow where account_id = $1 and status = 'locked') as escrows,
      (select coalesce(sum(held_micros), 0) from refund_request where account_id = $1 and status = 'requested') as requests,
      (select coalesce(sum(value::bigint), 0) from payment cross join jsonb_each_text(held)
        where account_id = $1 and fate = 'credited') as disputes`,
};

export interface Look {
  readonly balances: ReadonlyMap<string, bigint>;
  readonly escrowsMicros: bigint;
  readonly requestsMicros: bigint;
  readonly disputesMicros: bigint;
}

interface LookRow {
  balances: Record<string, string>;
  escrows: string;
  requests: string;
  disputes: string;
}

/** The service's own money code, called directly, as the role that owns nothing. */
export class World {
  readonly db: LeanDatabase;
  readonly wallet: WalletService;
  readonly attempts: AttemptService;
  readonly storage: StorageService;
  readonly refunds: RefundService;
  private readonly payerKey = randomBytes(32);

  constructor(databaseUrl: string, maxConnections: number) {
    this.db = new LeanDatabase(databaseUrl, maxConnections);
    this.wallet = new WalletService(this.db);
    this.attempts = new AttemptService(this.db);
    this.storage = new StorageService(this.db);
    const providers = new Map<ProviderName, PaperProvider>([['razorpay', new PaperProvider('razorpay', 'INR')]]);
    this.refunds = new RefundService({
      db: this.db,
      providers,
      logger: pino({ level: 'silent' }),
      payerKey: this.payerKey,
      staffLimitMicros: 1_000_000_000n,
    });
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
    };
  }
}
