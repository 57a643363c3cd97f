import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { PaymentFact } from '../../../src/ports/paymentProvider.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { fundWallet } from '../../support/accounts.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';
import { IS_FULL } from '../../support/effort.js';

const CREDIT = 1_000_000n;

let rig: PaymentsRig;
beforeAll(async () => {
  rig = await PaymentsRig.start(24);
});
afterAll(() => rig?.stop());

/**
 * Owners before their top-up of 100 credits: with nothing, with other credits, with debts that take part or all of it.
 */
const WALLETS = {
  'an empty wallet': {},
  'credits elsewhere': { MASTER: 7n, CREATIVE: 20n },
  'a debt of part of it': { DEBT: -75n },
  'a debt of more than it': { DEBT: -130n },
} as const;

function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, at) => permutationsOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

/** The first, the last, and `count` - 2 evenly spaced ones in between. */
function sampleOf<T>(items: readonly T[], count: number): T[] {
  const step = (items.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, nth) => items[Math.round(nth * step)]!);
}

type Named = (facts: ReturnType<typeof factsOf>) => PaymentFact;
const SIX: readonly Named[] = [
  (facts) => facts.authorized,
  (facts) => facts.failed,
  (facts) => facts.captured,
  (facts) => facts.orderPaid,
  (facts) => facts.refund(`rfnd_${facts.paymentId}`, 4_000n, 'processed'),
  (facts) => facts.dispute(`disp_${facts.paymentId}`, 8_000n, 'open'),
];
const WITH_FAILED: readonly Named[] = [...SIX, (facts) => facts.refund(`rfnd_${facts.paymentId}`, 4_000n, 'failed')];
const WITH_LOST: readonly Named[] = [
  ...SIX.slice(2),
  (facts) => facts.dispute(`disp_${facts.paymentId}`, 8_000n, 'lost'),
];
const WITH_WON: readonly Named[] = [
  ...SIX.slice(2),
  (facts) => facts.dispute(`disp_${facts.paymentId}`, 8_000n, 'won'),
];

/** Delivers one payment's facts in this order, each as often as `times` says, and returns every balance at the end. */
async function run(
  order: readonly Named[],
  wallet: keyof typeof WALLETS,
  times: (nth: number) => number,
): Promise<Record<string, bigint>> {
  const accountId = await rig.account();
  const credits = Object.entries(WALLETS[wallet]).map(([account, amount]) => [account, amount * CREDIT]);
  await fundWallet(rig.db, accountId, Object.fromEntries(credits));
  const facts = factsOf(await rig.topUp(accountId));
  for (const [nth, named] of order.entries()) {
    const fact = named(facts);
    // Copies of one event, and the same body under a new event id.
    const eventIds = [newId(), newId()];
    await Promise.all(
      Array.from({ length: times(nth) }, (_, copy) => rig.receive([fact], { eventId: eventIds[copy % 2]! })),
    );
    await Promise.all([rig.settled(eventIds), rig.inbox.drain()]);
  }
  return rig.balances(accountId);
}

async function expectOneEnd(
  orders: readonly (readonly Named[])[],
  wallet: keyof typeof WALLETS,
  end: Record<string, bigint>,
): Promise<void> {
  const waiting = [...orders.entries()];
  const worker = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [index, order] = next;
      const found = await run(order, wallet, (nth) => 1 + ((index + nth) % 10 === 0 ? 9 : (index + nth) % 2));
      expect(found, `order number ${index}`).toEqual(end);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}

describe('one payment, reported in any order and any number of times', () => {
  const sixOrders = permutationsOf(SIX);

  // All of them in the full run. With real signed payloads: test/faults/proofs/permutations.test.ts.
  it('ends in the same balances in every order', async () => {
    expect(sixOrders).toHaveLength(720);
    const orders = IS_FULL ? sixOrders : sampleOf(sixOrders, 24);
    // 100 come in, 40 go back, and 60 are held: the dispute's 80 and the refund are more than came in.
    await expectOneEnd(orders, 'an empty wallet', { DISPUTE_HOLD: 60n * CREDIT, CASH: -60n * CREDIT });
    expect(await rig.faults()).toEqual([]);
  });

  it('ends in the same balances with a refund that fails', { timeout: 1_800_000 }, async () => {
    const all = permutationsOf(WITH_FAILED);
    expect(all).toHaveLength(5_040);
    const orders = IS_FULL ? all : sampleOf(all, 16);
    await expectOneEnd(orders, 'an empty wallet', {
      MASTER: 20n * CREDIT,
      DISPUTE_HOLD: 80n * CREDIT,
      CASH: -100n * CREDIT,
    });
    expect(await rig.faults()).toEqual([]);
  });

  it.each([
    ['credits elsewhere', { DISPUTE_HOLD: 60n, CREATIVE: 20n, MASTER: 7n, CASH: -60n, ADJUSTMENT: -27n }],
    // 25 are left of it: the refund takes them and makes a debt of 15; nothing is left to be held.
    ['a debt of part of it', { DEBT: -15n, CASH: -60n, REVENUE_STORAGE: 75n }],
    ['a debt of more than it', { DEBT: -70n, CASH: -60n, REVENUE_STORAGE: 130n }],
  ] as const)('ends in the same balances for an owner with %s', async (wallet, end) => {
    const orders = IS_FULL ? sixOrders : sampleOf(sixOrders, 8);
    await expectOneEnd(orders, wallet, inMicros(end));
    expect(await rig.faults()).toEqual([]);
  });

  it.each([
    ['credits elsewhere', { MASTER: 27n, CREATIVE: 20n, DISPUTE_HOLD: 80n, CASH: -100n, ADJUSTMENT: -27n }],
    ['a debt of part of it', { DISPUTE_HOLD: 25n, CASH: -100n, REVENUE_STORAGE: 75n }],
  ] as const)('ends in the same balances with a refund that fails, for an owner with %s', async (wallet, end) => {
    await expectOneEnd(sampleOf(permutationsOf(WITH_FAILED), IS_FULL ? 1_000 : 8), wallet, inMicros(end));
  });

  it.each([
    ['lost', 'an empty wallet', WITH_LOST, {}],
    ['lost', 'credits elsewhere', WITH_LOST, { MASTER: 7n, CREATIVE: 20n, ADJUSTMENT: -27n }],
    ['lost', 'a debt of part of it', WITH_LOST, { DEBT: -75n, REVENUE_STORAGE: 75n }],
    ['won', 'an empty wallet', WITH_WON, { MASTER: 60n, CASH: -60n }],
    ['won', 'credits elsewhere', WITH_WON, { MASTER: 67n, CREATIVE: 20n, CASH: -60n, ADJUSTMENT: -27n }],
    ['won', 'a debt of part of it', WITH_WON, { DEBT: -15n, CASH: -60n, REVENUE_STORAGE: 75n }],
  ] as const)(
    'ends in the same balances in all orders with a dispute that is %s, for an owner with %s',
    async (_, wallet, events, end) => {
      const all = permutationsOf(events);
      expect(all).toHaveLength(120);
      await expectOneEnd(IS_FULL ? all : sampleOf(all, 8), wallet, inMicros(end));
      expect(await rig.faults()).toEqual([]);
    },
  );

  it('ends in the same balances if everything comes at once', async () => {
    for (let round = 0; round < (IS_FULL ? 100 : 3); round += 1) {
      const accountId = await rig.account();
      const facts = factsOf(await rig.topUp(accountId));
      const eventIds = WITH_FAILED.map(() => newId());
      await Promise.all(
        WITH_FAILED.flatMap((named, nth) => {
          const eventId = eventIds[nth]!;
          return Array.from({ length: 10 }, async () => {
            await rig.receive([named(facts)], { eventId });
            await rig.inbox.drain();
          });
        }),
      );
      await rig.settled(eventIds);
      expect(await rig.balances(accountId)).toEqual({
        MASTER: 20n * CREDIT,
        DISPUTE_HOLD: 80n * CREDIT,
        CASH: -100n * CREDIT,
      });
    }
    expect(await rig.rows(`select * from webhook_event where status not in ('done')`)).toEqual([]);
    expect(await rig.faults()).toEqual([]);
  });
});

function inMicros(credits: Readonly<Record<string, bigint>>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(credits).map(([account, amount]) => [account, amount * CREDIT]));
}
