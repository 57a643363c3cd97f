import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  razorpayEvent,
  stripeEvent,
  type EventPayload,
  type EventSubject,
} from '../../../src/adapters/payments/sandbox/payloads/index.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import type { ProviderName } from '../../../src/ports/paymentProvider.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { Chance, permutationsOf } from '../../support/proofs/chance.js';
import { LeanDatabase } from './model/leanDatabase.js';
import { SignedMoney } from './signedMoney.js';
import { IS_FULL } from '../../support/effort.js';

/** Orders delivered at the same time, each for its own payment, through one inbox. */
const LANES = 6;
const HOUR_MS = 3_600_000;
const CAPTURED_AT = new Date('2026-03-01T10:00:00Z');
const LATER = new Date('2026-03-04T10:00:00Z');

let database: TestDatabase;
let db: LeanDatabase;
let money: SignedMoney;
let chance: Chance;
beforeAll(async () => {
  database = await createTestDatabase();
  db = new LeanDatabase(database.runtimeUrl, 16);
  money = new SignedMoney(db);
  chance = Chance.of('permutations');
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
});

/**
 * With `TEST_FULL=1`, this many orders, or all if there are fewer. Otherwise a few, different in each run: among sixty,
 * any three of the events come in every order.
 */
function ordersOf(events: readonly Event[], full: number, few: number): Event[][] {
  const all = permutationsOf(events);
  expect(all.length).toBeGreaterThanOrEqual(full);
  return chance.some(all, IS_FULL ? full : few);
}

type Event = (subject: EventSubject) => EventPayload;

const RAZORPAY: readonly Event[] = [
  (subject) => razorpayEvent('payment.authorized', subject, CAPTURED_AT),
  (subject) => razorpayEvent('payment.failed', subject, CAPTURED_AT),
  (subject) => razorpayEvent('payment.captured', subject, CAPTURED_AT),
  (subject) => razorpayEvent('order.paid', subject, new Date(CAPTURED_AT.getTime() + 5_000)),
  (subject) => razorpayEvent('refund.processed', subject, LATER),
  (subject) => razorpayEvent('payment.dispute.created', subject, LATER),
];
const RAZORPAY_RETURNED: readonly Event[] = [...RAZORPAY, (subject) => razorpayEvent('refund.failed', subject, LATER)];

const STRIPE: readonly Event[] = [
  (subject) => stripeEvent('checkout.session.completed', subject, CAPTURED_AT, { paid: false }),
  (subject) => stripeEvent('checkout.session.async_payment_failed', subject, CAPTURED_AT),
  (subject) => stripeEvent('checkout.session.completed', subject, CAPTURED_AT, { paid: true }),
  (subject) =>
    stripeEvent('checkout.session.async_payment_succeeded', subject, new Date(CAPTURED_AT.getTime() + 5_000)),
  (subject) => stripeEvent('refund.updated', subject, LATER),
  (subject) => stripeEvent('charge.dispute.created', subject, LATER),
];
const STRIPE_RETURNED: readonly Event[] = [
  ...STRIPE,
  (subject) => stripeEvent('refund.created', subject, LATER),
  (subject) => stripeEvent('refund.failed', subject, LATER),
];

interface Case {
  readonly provider: ProviderName;
  readonly refundAfterMs: number;
  readonly isInvitee?: boolean;
  readonly end: Record<string, bigint>;
}

/** Delivers one payment's events in this order, each up to ten times and some at the same time. */
async function tell(order: readonly Event[], { provider, refundAfterMs, isInvitee, end }: Case): Promise<void> {
  const accountId = isInvitee ? (await money.invitee()).inviteeId : await money.account();
  const subject = await money.paid(provider, accountId, CAPTURED_AT, { refundMs: refundAfterMs });
  const events = order.map((event) => event(subject));
  let earlier: string[] = [];
  for (const [nth, event] of events.entries()) {
    const stored = await Promise.all(Array.from({ length: chance.deliveries() }, () => money.receive(provider, event)));
    expect(stored.filter(Boolean)).toHaveLength(1);
    earlier.push(event.eventId);
    // Sometimes two of them are processed at once.
    if (nth < events.length - 1 && chance.below(8) === 0) continue;
    await Promise.all([money.settled(provider, earlier), money.inbox.drain()]);
    // Sometimes an earlier event arrives again.
    if (chance.below(6) === 0) await money.receive(provider, events[chance.below(nth + 1)]!);
    earlier = [];
  }
  const found = await money.balances(accountId);
  expect(found, events.map((event) => event.type).join(', ')).toEqual(end);
}

async function tellAll(orders: readonly (readonly Event[])[], told: Case): Promise<void> {
  const waiting = [...orders];
  const lane = async () => {
    for (let order = waiting.pop(); order; order = waiting.pop()) await tell(order, told);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect((await verifyLedger(db)).faults).toEqual([]);
}

/** 100 rupees come in, 40 go back, and a dispute over 80 can still hold 60. */
const RUPEES = { MASTER: 0n, DISPUTE_HOLD: 60_000_000n, CASH: -60_000_000n };
const DOLLARS = { MASTER: 0n, DISPUTE_HOLD: 5_100_000_000n, CASH: -5_100_000_000n };
const withoutZeros = (end: Record<string, bigint>) =>
  Object.fromEntries(Object.entries(end).filter(([, micros]) => micros !== 0n));

describe('one payment through Razorpay’s signed webhooks, each up to ten times', () => {
  const early = { provider: 'razorpay', refundAfterMs: HOUR_MS } as const;

  it('ends in the same balances in the orders of six: all 720 in the full run', { timeout: 1_200_000 }, async () => {
    await tellAll(ordersOf(RAZORPAY, 720, 60), { ...early, end: withoutZeros(RUPEES) });
  });

  it(
    'ends in the same balances if the refund fails, too: in all 5,040 in the full run',
    { timeout: 3_600_000 },
    async () => {
      const end = { MASTER: 20_000_000n, DISPUTE_HOLD: 80_000_000n, CASH: -100_000_000n };
      await tellAll(ordersOf(RAZORPAY_RETURNED, 5_040, 60), { ...early, end });
    },
  );

  it.each([
    ['inside its window: no bonus is left', HOUR_MS, withoutZeros(RUPEES)],
    ['after its window: the bonus stays', 49 * HOUR_MS, { ...RUPEES, MASTER: 2_000_000n, PROMO: -2_000_000n }],
  ])(
    'ends in the same balances for an invitee who is refunded %s',
    { timeout: 1_200_000 },
    async (_, refundAfterMs, end) => {
      await tellAll(ordersOf(RAZORPAY, 720, 30), { provider: 'razorpay', refundAfterMs, isInvitee: true, end });
    },
  );
});

describe('one payment through Stripe’s signed webhooks, each up to ten times', () => {
  const early = { provider: 'stripe', refundAfterMs: HOUR_MS } as const;

  it('ends in the same balances in the orders of six: all 720 in the full run', { timeout: 1_200_000 }, async () => {
    await tellAll(ordersOf(STRIPE, 720, 60), { ...early, end: withoutZeros(DOLLARS) });
  });

  it(
    'ends in the same balances if the refund is made, done and fails: in 2,000 in the full run',
    { timeout: 3_600_000 },
    async () => {
      const end = { MASTER: 1_700_000_000n, DISPUTE_HOLD: 6_800_000_000n, CASH: -8_500_000_000n };
      await tellAll(ordersOf(STRIPE_RETURNED, 2_000, 40), { ...early, end });
    },
  );
});
