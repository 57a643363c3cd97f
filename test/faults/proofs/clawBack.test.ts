import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  razorpayEvent,
  stripeEvent,
  type EventSubject,
} from '../../../src/adapters/payments/sandbox/payloads/index.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import type { ProviderName } from '../../../src/ports/paymentProvider.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { spendOnJob } from '../../support/jobs.js';
import { SignedMoney } from './signedMoney.js';
import { WAIT_MS } from '../../support/deadlines.js';

const CREDIT = 1_000_000n;
const SECOND_MS = 1_000;
const WINDOW_MS = 48 * 3_600 * SECOND_MS;
const DAY_MS = 24 * 3_600 * SECOND_MS;
/** By the providers' clock. */
const CAPTURED_AT = new Date('2027-02-27T23:59:30Z');

let database: TestDatabase;
let db: PostgresDatabase;
let money: SignedMoney;
beforeAll(async () => {
  database = await createTestDatabase();
  await installVirtualClock(database.migrationUrl);
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 8, connectTimeoutMs: WAIT_MS });
  money = new SignedMoney(db);
});
afterAll(async () => {
  expect((await verifyLedger(db)).faults).toEqual([]);
  await db?.close();
  await database?.drop();
});

/** Sets our own clock to this long after the capture. */
const setClock = (afterMs: number) =>
  setClockOffset(database.migrationUrl, CAPTURED_AT.getTime() + afterMs - Date.now());

const EVENTS = {
  razorpay: {
    captured: (subject: EventSubject) => razorpayEvent('payment.captured', subject, CAPTURED_AT),
    refunded: (subject: EventSubject, at: Date) => razorpayEvent('refund.processed', subject, at),
  },
  stripe: {
    captured: (subject: EventSubject) => stripeEvent('checkout.session.completed', subject, CAPTURED_AT),
    refunded: (subject: EventSubject, at: Date) => stripeEvent('refund.updated', subject, at),
  },
};

async function tell(provider: ProviderName, event: ReturnType<typeof razorpayEvent>): Promise<void> {
  await money.receive(provider, event);
  await money.settled(provider, [event.eventId]);
  // The worker empties the outbox, which tells the referrer's side.
  await money.referrals.deliver();
}

const bonusOf = async (accountId: string) => -((await money.wallet.balances(accountId)).PROMO / CREDIT);

async function spendAll(accountId: string): Promise<void> {
  const { MASTER } = await money.wallet.balances(accountId);
  await spendOnJob(db, accountId, MASTER);
}

const TIMES = [
  ['47:59:59', -SECOND_MS, true],
  ['48:00:00', 0, true],
  ['48:00:01', SECOND_MS, false],
] as const;

describe.each(['razorpay', 'stripe'] as const)('a first top-up through %s that is refunded', (provider) => {
  it.each(TIMES)(
    'loses its bonuses up to 48 hours after its capture: %s, reported three days late',
    async (_, beyondMs, isClawedBack) => {
      await setClock(60 * SECOND_MS);
      const { referrerId, inviteeId } = await money.invitee();
      const subject = await money.paid(provider, inviteeId, CAPTURED_AT, { refundMs: WINDOW_MS + beyondMs });
      const refundedAt = subject.refund.createdAt;
      await tell(provider, EVENTS[provider].captured(subject));
      expect([await bonusOf(inviteeId), await bonusOf(referrerId)]).toEqual([2n, 5n]);
      await setClock(WINDOW_MS + beyondMs + 3 * DAY_MS);
      await tell(provider, EVENTS[provider].refunded(subject, refundedAt));
      expect([await bonusOf(inviteeId), await bonusOf(referrerId)]).toEqual(isClawedBack ? [0n, 0n] : [2n, 5n]);
    },
  );

  it.each(TIMES)(
    'loses its bonuses up to 48 hours after its capture: %s, with everything reported three days late',
    async (_, beyondMs, isClawedBack) => {
      await setClock(WINDOW_MS + 3 * DAY_MS);
      for (const order of ['captured first', 'refunded first']) {
        const { referrerId, inviteeId } = await money.invitee();
        const subject = await money.paid(provider, inviteeId, CAPTURED_AT, { refundMs: WINDOW_MS + beyondMs });
        const { captured, refunded } = EVENTS[provider];
        const events = [captured(subject), refunded(subject, subject.refund.createdAt)];
        for (const event of order === 'captured first' ? events : events.toReversed()) {
          await money.receive(provider, event);
        }
        await money.settled(
          provider,
          events.map(({ eventId }) => eventId),
        );
        await money.referrals.deliver();
        expect([await bonusOf(inviteeId), await bonusOf(referrerId)], order).toEqual(
          isClawedBack ? [0n, 0n] : [2n, 5n],
        );
      }
    },
  );

  it.each(TIMES)(
    'makes spent bonuses a debt up to 48 hours after its capture: %s',
    async (_, beyondMs, isClawedBack) => {
      await setClock(60 * SECOND_MS);
      const { referrerId, inviteeId } = await money.invitee();
      const subject = await money.paid(provider, inviteeId, CAPTURED_AT, { refundMs: WINDOW_MS + beyondMs });
      await tell(provider, EVENTS[provider].captured(subject));
      for (const accountId of [inviteeId, referrerId]) await spendAll(accountId);
      await setClock(WINDOW_MS + beyondMs + 3 * DAY_MS);
      await tell(provider, EVENTS[provider].refunded(subject, subject.refund.createdAt));

      const refundedMicros = provider === 'stripe' ? 3_400n * CREDIT : 40n * CREDIT;
      const owed = async (accountId: string) => -(await money.wallet.balances(accountId)).DEBT;
      expect(await owed(inviteeId)).toBe(refundedMicros + (isClawedBack ? 2n * CREDIT : 0n));
      expect(await owed(referrerId)).toBe(isClawedBack ? 5n * CREDIT : 0n);

      // The next top-up repays the debt, and grants nothing.
      const again = await money.paid(provider, inviteeId, new Date(CAPTURED_AT.getTime() + 4 * DAY_MS), {
        refundMs: 0,
      });
      await tell(provider, EVENTS[provider].captured(again));
      expect(await owed(inviteeId)).toBe(0n);
      expect([await bonusOf(inviteeId), await bonusOf(referrerId)]).toEqual(isClawedBack ? [0n, 0n] : [2n, 5n]);
    },
  );
});
