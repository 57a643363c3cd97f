import { describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import type { PaymentFact } from '../../../src/ports/paymentProvider.js';
import { lockForJob } from '../../support/jobs.js';
import { IS_FULL } from '../../support/effort.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';

const CREDIT = 1_000_000n;

const rig = await PaymentsRig.ofFile();

/** The facts of one payment, and those of another account's order of the same amount. */
interface Told extends ReturnType<typeof factsOf> {
  readonly other: ReturnType<typeof factsOf>;
}
type Event = (told: Told) => PaymentFact;

const captured: Event = (told) => told.captured;
const open: Event = (told) => told.dispute(`disp_${told.paymentId}`, 8_000n, 'open');
const lost: Event = (told) => told.dispute(`disp_${told.paymentId}`, 8_000n, 'lost');
const won: Event = (told) => told.dispute(`disp_${told.paymentId}`, 8_000n, 'won');
const refund =
  (minor: bigint, change: Partial<PaymentFact> = {}): Event =>
  (told) =>
    ({ ...told.refund(`rfnd_${told.paymentId}`, minor, 'processed'), ...change }) as PaymentFact;

interface Case {
  readonly events: readonly Event[];
  /** Final balances, in credits. */
  readonly end: Readonly<Record<string, bigint>>;
  /** Which ids staff are alerted about; none if the facts agree. */
  readonly alerts: readonly ('pay' | 'rfnd' | 'disp')[];
}

/** In each case, 100 credits are paid. */
const CASES: Readonly<Record<string, Case>> = {
  'a dispute that is lost and then won': {
    events: [captured, open, lost, won],
    end: { MASTER: 20n, CASH: -20n },
    alerts: ['disp'],
  },
  'a dispute that is lost and whose money is reinstated': {
    events: [captured, open, lost, (told) => ({ ...open(told), isReturned: true }) as PaymentFact],
    end: { MASTER: 20n, CASH: -20n },
    alerts: ['disp'],
  },
  'a dispute that is reported as lost and reinstated at once': {
    events: [captured, open, (told) => ({ ...lost(told), isReturned: true }) as PaymentFact],
    end: { MASTER: 20n, CASH: -20n },
    alerts: ['disp'],
  },
  'a dispute that is won and whose money is reinstated': {
    events: [captured, open, won, (told) => ({ ...open(told), isReturned: true }) as PaymentFact],
    end: { MASTER: 100n, CASH: -100n },
    alerts: [],
  },
  'a dispute that is partly lost': {
    events: [captured, open, (told) => ({ ...lost(told), lostMinor: 3_000n }) as PaymentFact],
    end: { MASTER: 70n, CASH: -70n },
    alerts: [],
  },
  'a dispute that is reported as lost with two amounts': {
    events: [captured, open, lost, (told) => ({ ...lost(told), lostMinor: 3_000n }) as PaymentFact],
    end: { MASTER: 20n, CASH: -20n },
    alerts: ['disp'],
  },
  'a dispute that is reported with two amounts': {
    events: [captured, open, (told) => ({ ...open(told), amountMinor: 9_000n }) as PaymentFact],
    end: { MASTER: 10n, DISPUTE_HOLD: 90n, CASH: -100n },
    alerts: ['disp'],
  },
  'a dispute that is reported in two currencies': {
    events: [captured, open, lost, (told) => ({ ...open(told), currency: 'USD' }) as PaymentFact],
    end: { MASTER: 100n, CASH: -100n },
    alerts: ['disp', 'pay'],
  },
  'a refund that is reported with two amounts': {
    events: [captured, open, refund(4_000n), refund(6_000n)],
    end: { DISPUTE_HOLD: 40n, CASH: -40n },
    alerts: ['rfnd'],
  },
  'a refund that is reported in two currencies': {
    events: [captured, refund(4_000n), refund(4_000n, { currency: 'USD' })],
    end: { MASTER: 100n, CASH: -100n },
    alerts: ['pay', 'rfnd'],
  },
  'a refund that is reported with two times': {
    events: [captured, refund(4_000n), refund(4_000n, { createdAt: new Date('2026-03-05T10:00:00Z') })],
    end: { MASTER: 60n, CASH: -60n },
    alerts: ['rfnd'],
  },
  'a refund that fails after it was processed': {
    events: [captured, refund(4_000n), refund(4_000n, { state: 'failed' })],
    end: { MASTER: 100n, CASH: -100n },
    alerts: [],
  },
  'a payment that fails after it was captured': {
    events: [captured, (told) => ({ ...told.failed, at: new Date('2026-03-01T10:00:01Z') }), refund(4_000n)],
    end: { MASTER: 60n, CASH: -60n },
    alerts: ['pay'],
  },
  'a payment that failed before it was captured': {
    events: [captured, (told) => told.failed, refund(4_000n)],
    end: { MASTER: 60n, CASH: -60n },
    alerts: [],
  },
  'a payment of two top-ups of one account': {
    events: [captured, (told) => ({ ...told.captured, topUpId: newId() }), refund(4_000n), open],
    end: { SUSPENSE: 60n, CASH: -60n },
    alerts: ['pay'],
  },
  'a payment of two accounts': {
    events: [captured, (told) => ({ ...told.captured, accountId: newId() }), refund(4_000n), lost],
    end: { CASH: 0n },
    alerts: ['pay'],
  },
};

describe('a provider that contradicts itself', () => {
  it.each(Object.keys(CASES))('reaches the same balances and alerts in every order of events: %s', async (name) => {
    const { events, end, alerts } = CASES[name]!;
    const orders = permutationsOf(events);
    for (const [index, order] of (IS_FULL ? orders : sampleOf(orders, 8)).entries()) {
      const accountId = await rig.account();
      const told = await toldOf(accountId);
      for (const [nth, event] of order.entries()) await deliverOften([event(told)], 1 + ((index + nth) % 3));
      const where = `${name}, order ${index}`;
      expect(await rig.balances(accountId), where).toEqual(inMicros(end));
      expect(await rig.balances(told.other.captured.accountId), where).toEqual({});
      expect((await alertsOf(told)).toSorted(), where).toEqual(alerts.map((kind) => `${kind}_${told.paymentId}`));
    }
    expect(await rig.faults()).toEqual([]);
  });

  it.each([
    ['amounts', { amountMinor: 9_000n }],
    ['currencies', { currency: 'USD' }],
  ])('leaves nothing in the wallet of a payment with two %s, in every order', async (_, change) => {
    for (const order of permutationsOf([captured, (told: Told) => ({ ...told.captured, ...change }), refund(100n)])) {
      const accountId = await rig.account();
      const told = await toldOf(accountId);
      for (const event of order) await deliverOften([event(told)], 2);
      const { SUSPENSE: suspense = 0n, CASH: cash = 0n, ...wallet } = await rig.balances(accountId);
      expect(wallet).toEqual({});
      expect(suspense + cash).toBe(0n);
      expect(await alertsOf(told)).toContain(`pay_${told.paymentId}`);
      expect(await itemsOf(told)).toHaveLength(1);
    }
  });

  it('leaves a payment under the orders of two accounts in suspense, in every order', async () => {
    const theirs: Event = ({ paymentId, other }) => ({ ...other.captured, paymentId });
    const theirSight: Event = ({ paymentId, other }) => ({ ...other.authorized, paymentId });
    const orders = [...permutationsOf([captured, theirs, refund(4_000n)]), ...permutationsOf([captured, theirSight])];
    for (const order of orders) {
      const accountId = await rig.account();
      const told = await toldOf(accountId);
      for (const event of order) await deliverOften([event(told)], 2);
      const [ours, others] = [await rig.balances(accountId), await rig.balances(told.other.captured.accountId)];
      const rest = order.length === 3 ? 60n : 100n;
      const inSuspense = inMicros({ SUSPENSE: rest, CASH: -rest });
      expect([ours, others]).toContainEqual(inSuspense);
      expect([ours, others]).toContainEqual({});
      expect(await alertsOf(told)).toEqual([`pay_${told.paymentId}`]);
      expect(await itemsOf(told)).toEqual([{ reason: 'other order', status: 'open' }]);
    }
    expect(await rig.faults()).toEqual([]);
  });

  it('leaves an amount that the books cannot hold in suspense, without a posting', async () => {
    for (const amountMinor of [BigInt(Number.MAX_SAFE_INTEGER), (1n << 63n) / 10_000n + 1n]) {
      const accountId = await rig.account();
      const told = await toldOf(accountId);
      await rig.deliver([{ ...told.captured, amountMinor }]);
      await rig.deliver([told.refund(newId(), amountMinor, 'processed')]);
      expect(await rig.balances(accountId)).toEqual({});
      expect(await itemsOf(told)).toEqual([{ reason: 'other amount', status: 'refunded' }]);
      expect(await alertsOf(told)).toEqual([`pay_${told.paymentId}`]);
    }
  });

  it('raises an alert about a refund reported for two payments, and counts it for the first', async () => {
    const accountId = await rig.account();
    const [first, second] = [factsOf(await rig.topUp(accountId)), factsOf(await rig.topUp(accountId))];
    await rig.deliver([first.captured]);
    await rig.deliver([second.captured]);
    const refundId = `rfnd_${newId()}`;
    await rig.deliver([first.refund(refundId, 4_000n, 'processed')]);
    await rig.deliver([second.refund(refundId, 5_000n, 'processed')]);
    expect(await rig.balances(accountId)).toEqual(inMicros({ MASTER: 160n, CASH: -160n }));
    expect(await alertsAbout([refundId])).toEqual([refundId]);
  });
});

describe('a contradicted credit', () => {
  const contradiction: Event = (told) => ({ ...told.captured, topUpId: newId() });

  it('is taken back even if it was spent, and the shortfall becomes debt', async () => {
    const accountId = await rig.account(0n, 30n * CREDIT);
    const told = await toldOf(accountId);
    await rig.deliver([told.captured]);
    await rig.wallet.allocate(accountId, {
      from: 'MASTER',
      to: 'CREATIVE',
      amountMicros: 90n * CREDIT,
      idempotencyKey: newId(),
    });
    const job = { accountId, videoId: newId(), attempt: 1, bucket: 'CREATIVE', amountMicros: 115n * CREDIT } as const;
    await rig.db.transaction(({ sql }) => lockForJob(sql, job));
    await rig.deliver([contradiction(told)]);
    expect(await rig.balances(accountId)).toEqual(
      inMicros({ ESCROW: 115n, DEBT: -85n, SUSPENSE: 100n, CASH: -100n, ADJUSTMENT: -30n }),
    );
    expect((await rig.topUps.get(accountId, told.captured.topUpId)).status).toBe('open');
  });

  it('is taken from free credits before those that its dispute holds', async () => {
    const accountId = await rig.account();
    const told = await toldOf(accountId);
    await rig.deliver([told.captured]);
    const move = { from: 'MASTER', to: 'CREATIVE', amountMicros: 100n * CREDIT, idempotencyKey: newId() } as const;
    await rig.wallet.allocate(accountId, move);
    const next = factsOf(await rig.topUp(accountId));
    for (const fact of [open(told), next.captured, contradiction(told)]) await rig.deliver([fact]);
    expect(await rig.balances(accountId)).toEqual(inMicros({ CREATIVE: 100n, SUSPENSE: 100n, CASH: -200n }));
  });

  it('takes back what a refund request holds first', async () => {
    const accountId = await rig.account();
    const told = await toldOf(accountId);
    await rig.deliver([told.captured]);
    rig.razorpay.isAway = true;
    const order = { topUpId: told.captured.topUpId, amount: '40', idempotencyKey: newId() };
    await rig.refunds.requestRefund(accountId, order);
    rig.razorpay.isAway = false;
    expect(await rig.balances(accountId)).toMatchObject(inMicros({ MASTER: 60n, REFUND_HOLD: 40n }));
    await rig.deliver([contradiction(told)]);
    expect(await rig.balances(accountId)).toEqual(inMicros({ SUSPENSE: 100n, CASH: -100n }));
    expect(await rig.rows('select status from refund_request where account_id = $1', [accountId])).toEqual([
      { status: 'refused' },
    ]);
  });
});

/** Delivers `times` copies at once: of one event, and of the same body under a second event id. */
async function deliverOften(facts: readonly PaymentFact[], times: number): Promise<void> {
  const eventIds = [newId(), newId()];
  await Promise.all(Array.from({ length: times }, (_, copy) => rig.receive(facts, { eventId: eventIds[copy % 2]! })));
  await rig.settled(eventIds);
}

async function toldOf(accountId: string): Promise<Told> {
  const id = newId();
  const other = factsOf(await rig.topUp(await rig.account()));
  return { ...factsOf(await rig.topUp(accountId), id), other };
}

/** Subjects of open alerts about this payment, its refund and its dispute. */
async function alertsOf({ paymentId }: Told): Promise<string[]> {
  const found = await alertsAbout([paymentId, `rfnd_${paymentId}`, `disp_${paymentId}`]);
  return found.map((subject) => (subject === paymentId ? `pay_${paymentId}` : subject));
}

async function alertsAbout(subjects: readonly string[]): Promise<string[]> {
  const rows = await rig.rows<{ subject: string }>(
    `select subject from alert where kind = 'payment.mismatch' and subject = any ($1) and resolved_at is null`,
    [subjects],
  );
  return rows.map(({ subject }) => subject);
}

function itemsOf({ paymentId }: Told): Promise<unknown[]> {
  return rig.rows('select reason, status from suspense_item where payment_id = $1', [paymentId]);
}

function inMicros(credits: Readonly<Record<string, bigint>>): Record<string, bigint> {
  const micros = Object.entries(credits).map(([account, amount]) => [account, amount * CREDIT] as const);
  return Object.fromEntries(micros.filter(([, amount]) => amount !== 0n));
}

function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, at) => permutationsOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

/** `count` items, evenly spaced, including the first and the last. */
function sampleOf<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  const step = (items.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, nth) => items[Math.round(nth * step)]!);
}
