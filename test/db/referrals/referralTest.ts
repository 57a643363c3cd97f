import { pino } from 'pino';

import { PostgresDatabase } from '../../../src/db/database.js';
import { ReferralService } from '../../../src/domain/payments/referrals/referral.service.js';
import { settleReferral, type CreditedTopUp } from '../../../src/domain/payments/referrals/settleReferral.js';
import type { LedgerAccountName } from '../../../src/domain/ledger/ledgerAccounts.js';
import { lockWallet } from '../../../src/domain/ledger/lockWallet.js';
import { putIn } from '../../../src/domain/ledger/movements.js';
import { post } from '../../../src/domain/ledger/posting.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { WalletService, type Balances } from '../../../src/domain/ledger/wallet.service.js';
import { adjustByStaff, chargeArrears, openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

export const CREDIT = 1_000_000n;
export const HOUR_MS = 3_600_000;
export const CAPTURED_AT = new Date('2026-03-01T10:00:00.000Z');

export const after = (ms: number) => new Date(CAPTURED_AT.getTime() + ms);

export interface Pair {
  readonly referrerId: string;
  readonly inviteeId: string;
}

/** Referrals over their own database: accounts, top-ups as payments report them, and their results. */
export class ReferralTest {
  private constructor(
    readonly database: TestDatabase,
    readonly db: PostgresDatabase,
    readonly wallet: WalletService,
    readonly referrals: ReferralService,
  ) {}

  static async start(): Promise<ReferralTest> {
    const database = await createTestDatabase();
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 20 });
    return new ReferralTest(database, db, new WalletService(db), serviceOver(db));
  }

  /** The service in another process, which may die: its own connections end with the database. */
  async another(): Promise<ReferralService> {
    return serviceOver(await PostgresDatabase.connect({ url: this.database.runtimeUrl, maxConnections: 1 }));
  }

  async stop(): Promise<void> {
    await this.db.close();
    this.database.leaveUnproven('top-ups are posted without the payment behind them');
    await this.database.drop();
  }

  /** Queries any table with the service's own role. */
  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.db.pool.query<Row>(text, values)).rows;
  }

  /** A referrer and an invitee, as the trigger of the sign-up leaves them. */
  async pair(given: { referrerId?: string } = {}): Promise<Pair> {
    const referrerId = given.referrerId ?? (await openFundedAccount(this.db, {}));
    const inviteeId = await openFundedAccount(this.db, {});
    const { code } = await this.referrals.overview(referrerId);
    await this.rows('select attribute_referral($1, $2, $3)', [inviteeId, `i${inviteeId}@example.com`, code]);
    return { referrerId, inviteeId };
  }

  /** Credits 10 as payments do, then settles, in one transaction; each further call only settles. */
  async settle(inviteeId: string, facts: Partial<CreditedTopUp> = {}): Promise<void> {
    const topUp = topUpOf(inviteeId, facts);
    await this.db.transaction(async ({ sql }) => {
      await post(sql, {
        ownerId: topUp.accountId,
        type: 'TOPUP',
        idempotencyKey: `topup:${topUp.provider}:${topUp.paymentId}`,
        deltas: { ...putIn(await lockWallet(sql, inviteeId), 10n * CREDIT), CASH: -10n * CREDIT },
        intent: 'ten',
      });
      await settleReferral(sql, topUp);
    });
  }

  /** Settles without crediting, so that only the settling itself serializes concurrent calls. */
  judge(inviteeId: string, facts: Partial<CreditedTopUp> = {}): Promise<void> {
    return this.db.transaction(({ sql }) => settleReferral(sql, topUpOf(inviteeId, facts)));
  }

  async owe(ownerId: string, amountMicros: bigint): Promise<void> {
    await this.db.transaction(({ sql }) => chargeArrears(sql, ownerId, amountMicros));
  }

  async spend(ownerId: string, amountMicros: bigint): Promise<void> {
    await adjustByStaff(this.db, ownerId, -amountMicros);
  }

  async status(inviteeId: string): Promise<{ status: string; reason: string | null } | undefined> {
    const rows = await this.rows<{ status: string; reason: string | null }>(
      'select status, reason from referral where account_id = $1',
      [inviteeId],
    );
    return rows[0];
  }

  async balance(ownerId: string, account: LedgerAccountName = 'MASTER'): Promise<bigint> {
    const balances: Balances = await this.wallet.balances(ownerId);
    return balances[account];
  }

  /** The number of an owner's postings by type. */
  async postings(ownerId: string): Promise<Record<string, number>> {
    const rows = await this.rows<{ type: string; n: number }>(
      'select type, count(*)::int as n from ledger_tx where owner_id = $1 group by type',
      [ownerId],
    );
    return Object.fromEntries(rows.map(({ type, n }) => [type, n]));
  }

  async faults(): Promise<readonly unknown[]> {
    // Top-ups are posted here without the payment behind them, and spent in one posting.
    const withoutFacts = new Set(['cash', 'topup', 'tx-unexplained']);
    return (await verifyLedger(this.db)).faults.filter(({ check }) => !withoutFacts.has(check));
  }
}

function serviceOver(db: PostgresDatabase): ReferralService {
  return new ReferralService({ db, logger: pino({ level: 'silent' }), publicUrl: 'https://dhara.example' });
}

/** The invitee's first top-up, unless the facts say otherwise. */
export function topUpOf(inviteeId: string, facts: Partial<CreditedTopUp> = {}): CreditedTopUp {
  const topUpId = facts.topUpId ?? `first-${inviteeId}`;
  return {
    accountId: inviteeId,
    topUpId,
    provider: 'razorpay',
    paymentId: `pay_${topUpId}`,
    capturedAt: CAPTURED_AT,
    refundedAt: null,
    payerHashes: [`card-${inviteeId}`],
    ...facts,
  };
}

/** Every order of the items. */
export function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  );
}
