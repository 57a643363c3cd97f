import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { addFact, lockTestAccount, moneyFacts, testClockOf } from '../../accounts/testMode/testFacts.js';
import { formatCredits, MICROS_PER_CREDIT } from '../../ledger/credits.js';
import { UNITS_PER_MICRO, unitsPerDay, WARN_BELOW_DAYS, wholeDaysPaid } from '../../ledger/storageRate.js';
import { appendEvents } from '../../shared/events/appendEvent.js';
import { newId } from '../../shared/ids.js';
import type { OneAtATime } from '../../shared/oneAtATime.js';
import { nightEvent } from '../storage/nightNotices.js';
import { STORED_BYTES } from '../storage/overview.sql.js';
import { afterCharge, type TestPayment, type TestWallet, testWalletOf } from './testWallet.js';

/** Older payments can still be disputed. */
const PAYMENTS_LISTED = 100;
const MAX_CREDITS = 1_000_000n;
/** The amount of a payment that is made only to be disputed. */
const DISPUTED_MICROS = 500n * MICROS_PER_CREDIT;
const PROVIDER = 'razorpay';
const MS_PER_DAY = 86_400_000;

/**
 * Payments of test mode. Nobody pays, and no credits are added. Each payment writes the events of a real one, and the
 * figures of the wallet are computed from all of them.
 */
export class TestWalletService {
  /** @param turns by test account; shared with whatever else locks them */
  constructor(
    private readonly db: Database,
    private readonly turns: OneAtATime,
  ) {}

  /** Its newest payments. @throws INVALID_INPUT for a live account */
  async wallet(accountId: string): Promise<TestWallet> {
    await testClockOf(this.db.sql, accountId);
    const wallet = await readWallet(this.db.sql, accountId);
    return { ...wallet, payments: wallet.payments.slice(0, PAYMENTS_LISTED) };
  }

  /** Writes `topup.credited`. @throws INVALID_INPUT, LIMIT_REACHED */
  async pay(accountId: string, amountMicros: bigint): Promise<TestPayment> {
    if (amountMicros <= 0n || amountMicros > MAX_CREDITS * MICROS_PER_CREDIT) {
      throw new AppError('INVALID_INPUT', `A test payment must be between 0.000001 and ${MAX_CREDITS} credits.`);
    }
    return this.simulate(accountId, (sql) => pay(sql, accountId, amountMicros));
  }

  /**
   * Writes `dispute.opened`. The amount of the payment is put on hold, or as much of it as is left.
   *
   * @param paymentId `null` for the newest that was never disputed; without one, a payment of 500 credits is made first
   * @throws INVALID_INPUT, NOT_FOUND, INVALID_STATE for a payment that was disputed before, LIMIT_REACHED
   */
  async dispute(accountId: string, paymentId: string | null): Promise<TestPayment> {
    return this.simulate(accountId, async (sql) => {
      const { payments } = await readWallet(sql, accountId);
      const found = paymentId === null ? payments.find(({ dispute }) => dispute === null) : theOne(payments, paymentId);
      if (found?.dispute) throw new AppError('INVALID_STATE', 'This payment has been disputed already.');
      const amountMicros = found?.amountMicros ?? DISPUTED_MICROS;
      const id = found?.id ?? (await pay(sql, accountId, amountMicros));
      const disputeId = newId();
      await addFact(sql, { accountId, id: disputeId, fact: 'PAYMENT_DISPUTED', aboutId: id });
      const data = {
        topUpId: id,
        provider: PROVIDER,
        disputeId: `test_${disputeId}`,
        amount: formatCredits(amountMicros),
      };
      await appendEvents(sql, [{ accountId, type: 'dispute.opened', fact: `test:${disputeId}`, data }]);
      return id;
    });
  }

  /**
   * Ends an open dispute. If it is won, the held credits come back. If it is lost, they are gone, and what was missing
   * becomes debt.
   *
   * @throws INVALID_INPUT, NOT_FOUND, INVALID_STATE without an open dispute, LIMIT_REACHED
   */
  async endDispute(accountId: string, paymentId: string, outcome: 'won' | 'lost'): Promise<TestPayment> {
    return this.simulate(accountId, async (sql) => {
      const { payments } = await readWallet(sql, accountId);
      const { dispute } = theOne(payments, paymentId);
      if (dispute?.state !== 'open') throw new AppError('INVALID_STATE', 'This payment has no open dispute.');
      const fact = outcome === 'won' ? 'DISPUTE_WON' : 'DISPUTE_LOST';
      await addFact(sql, { accountId, id: newId(), fact, aboutId: dispute.id });
      return paymentId;
    });
  }

  /**
   * Charges the test wallet for what the account stores, once per midnight that a move passes, and writes the events of
   * real nights. The account is locked.
   */
  async chargeNights(sql: Sql, accountId: string, from: Date, nights: number): Promise<void> {
    const [stored] = await execute(sql, STORED_BYTES, { accountId });
    const bytes = BigInt(stored!.bytes);
    if (bytes === 0n) return;
    let wallet: Pick<TestWallet, 'availableMicros' | 'debtMicros'> = await readWallet(sql, accountId);
    for (let night = 0; night < nights; night += 1) {
      const date = new Date(from.getTime() + night * MS_PER_DAY);
      const amountMicros = unitsPerDay(bytes, daysInMonth(date)) / UNITS_PER_MICRO;
      if (amountMicros === 0n) continue;
      await addFact(sql, { accountId, id: newId(), fact: 'STORAGE_CHARGED', amountMicros });
      const after = afterCharge(wallet, amountMicros);
      const arrears = after.debtMicros - wallet.debtMicros;
      const daysLeft = wholeDaysPaid(after.availableMicros, bytes, daysInMonth(date));
      wallet = after;
      if (arrears === 0n && (daysLeft === null || daysLeft >= WARN_BELOW_DAYS)) continue;
      const short = { bytes: String(bytes), arrears: String(arrears), days_left: String(daysLeft) };
      await appendEvents(sql, [nightEvent(date.toISOString().slice(0, 10), { account_id: accountId, ...short })]);
    }
  }

  private async simulate(accountId: string, work: (sql: Sql) => Promise<string>): Promise<TestPayment> {
    return this.turns.run(accountId, () =>
      this.db.transaction(async ({ sql }) => {
        await lockTestAccount(sql, accountId);
        const id = await work(sql);
        return theOne((await readWallet(sql, accountId)).payments, id);
      }),
    );
  }
}

async function readWallet(sql: Sql, accountId: string): Promise<TestWallet> {
  return testWalletOf(await moneyFacts(sql, accountId));
}

async function pay(sql: Sql, accountId: string, amountMicros: bigint): Promise<string> {
  const id = newId();
  await addFact(sql, { accountId, id, fact: 'PAYMENT_MADE', amountMicros });
  const data = { topUpId: id, provider: PROVIDER, amount: formatCredits(amountMicros) };
  await appendEvents(sql, [{ accountId, type: 'topup.credited', fact: id, data }]);
  return id;
}

function theOne(payments: readonly TestPayment[], id: string): TestPayment {
  const found = payments.find((payment) => payment.id === id);
  if (!found) throw new AppError('NOT_FOUND', 'Test payment not found.');
  return found;
}

function daysInMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
