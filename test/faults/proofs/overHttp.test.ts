import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { razorpayEventId, signedHeaders } from '../../../src/adapters/payments/sandbox/payloads/index.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import type { ProviderName } from '../../../src/ports/paymentProvider.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { spendOnJob } from '../../support/jobs.js';
import { Shop } from './shop.js';

const MINUTE_MS = 60_000;
/** The credits for 499.50: rupees one to one, dollars at the sandbox's rate. */
const INR_MICROS = 499_500_000n;

let database: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  database = await createTestDatabase();
  shop = await Shop.open(database);
});
afterAll(async () => {
  expect((await verifyLedger(shop.db)).faults).toEqual([]);
  await shop?.close();
  await database?.drop();
});
beforeEach(() => shop.setClock(0));

// Webhooks refused without a row (empty, truncated, re-serialized or expired signatures, or those of another body) are
// tested in test/service/webhooks/receive.test.ts.

/** The bodies that the provider would send, without sending them. */
async function unsent(orderId: string) {
  return shop.rows<{ event_id: string; type: string; body: string }>(
    'theirs',
    'select event_id, type, body from payment_sandbox_webhook where order_id = $1 order by id',
    [orderId],
  );
}

const eventsDone = () => shop.rows('ours', `select 1 from webhook_event where status in ('pending', 'failed')`);

describe('the same payment, reported again', () => {
  it('by the same body under other event ids is credited once', async () => {
    const accountId = await shop.account();
    const topUp = await shop.topUp(accountId);
    await shop.pay(topUp, null);
    const events = await unsent(topUp.checkout!.orderId);
    const captured = events.find(({ type }) => type === 'payment.captured')!;
    const ids = [captured.event_id, ...Array.from({ length: 9 }, razorpayEventId)];
    const statuses = await Promise.all(
      ids.map((eventId) => {
        const event = { eventId, body: captured.body };
        return shop.post('razorpay', event.body, signedHeaders('razorpay', event, shop.secret));
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expect.poll(eventsDone).toEqual([]);
    expect(await shop.balances(accountId)).toEqual({ MASTER: INR_MICROS, CASH: -INR_MICROS });
    expect(await shop.rows('ours', 'select 1 from webhook_event where account_id = $1', [accountId])).toHaveLength(10);
  });

  it('by Stripe, whose id is in the body, under another id is credited once', async () => {
    const accountId = await shop.account();
    const topUp = await shop.topUp(accountId, 'stripe');
    await shop.pay(topUp, null);
    const [completed] = await unsent(topUp.checkout!.orderId);
    for (const eventId of [completed!.event_id, 'evt_another', 'evt_yetanother']) {
      const event = { eventId, body: completed!.body.replace(completed!.event_id, eventId) };
      expect(await shop.post('stripe', event.body, signedHeaders('stripe', event, shop.secret))).toBe(200);
    }
    await expect.poll(eventsDone).toEqual([]);
    expect(await shop.balances(accountId)).toEqual({ MASTER: topUp.creditMicros, CASH: -topUp.creditMicros });
  });
});

describe('a payment whose webhooks are all lost', () => {
  it.each(['razorpay', 'stripe'] as ProviderName[])(
    'through %s is not credited, alerts support within a quarter of an hour, and is credited once it is reported',
    async (provider) => {
      const accountId = await shop.account();
      const topUp = await shop.topUp(accountId, provider);
      await shop.pay(topUp, null);
      // Every minute, as the worker would.
      let knownAfterMinutes = 0;
      const alerts = () => shop.rows<{ kind: string }>('ours', 'select kind from alert where subject = $1', [topUp.id]);
      const missing = () => shop.support.withoutWebhook({ first: 10, after: null });
      while ((await missing()).length === 0 && knownAfterMinutes < 30) {
        expect(await alerts()).toEqual([]);
        knownAfterMinutes += 1;
        await shop.setClock(knownAfterMinutes * MINUTE_MS);
        await shop.reconciler.reconcile();
      }
      expect(knownAfterMinutes).toBeGreaterThan(0);
      expect(knownAfterMinutes).toBeLessThanOrEqual(15);
      expect(await missing()).toMatchObject([{ id: topUp.id, accountId, creditedAt: null }]);
      expect(await alerts()).toEqual([{ kind: 'payment.webhook_missing' }]);
      expect(await shop.balances(accountId)).toEqual({});

      await shop.payments.sandbox!.pages.deliverNow(topUp.checkout!.orderId);
      await shop.payments.sandbox!.sender.deliverDue();
      shop.startDelivering();
      await expect.poll(() => shop.balances(accountId)).not.toEqual({});
      await expect.poll(eventsDone).toEqual([]);
      expect(await shop.balances(accountId)).toEqual({ MASTER: topUp.creditMicros, CASH: -topUp.creditMicros });
      expect(await missing()).toEqual([]);
      expect(
        await shop.rows('ours', 'select 1 from alert where subject = $1 and resolved_at is null', [topUp.id]),
      ).toEqual([]);
    },
  );
});

describe('a refund of credits that were partly spent', () => {
  it('returns no more than what is left, and otherwise the provider is never called', async () => {
    const accountId = await shop.account();
    const topUp = await shop.topUp(accountId);
    await shop.pay(topUp);
    shop.startDelivering();
    await expect.poll(() => shop.balances(accountId)).toMatchObject({ MASTER: INR_MICROS });
    const spentMicros = 400_000_000n;
    await spendOnJob(shop.db, accountId, spentMicros);
    const before = await shop.balances(accountId);
    const ask = (amount: string) =>
      shop.refunds.requestRefund(accountId, { topUpId: topUp.id, amount, idempotencyKey: newId() });
    const refundsThere = () =>
      shop.rows<{ amount_minor: string }>(
        'theirs',
        `select r.amount_minor from payment_sandbox_refund r join payment_sandbox_payment p using (payment_id)
         where p.order_id = $1`,
        [topUp.checkout!.orderId],
      );

    for (const amount of ['499.50', '99.51', '100']) {
      await expect(ask(amount)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
    }
    await expect(ask('499.51')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await refundsThere()).toEqual([]);
    expect(await shop.balances(accountId)).toEqual(before);

    // Twenty concurrent requests for all that is left: one succeeds.
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => ask('99.50')));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refundsThere()).toEqual([{ amount_minor: '9950' }]);
    await expect.poll(() => shop.balances(accountId)).toEqual({ REVENUE_PROCESSING: spentMicros, CASH: -spentMicros });
  });
});
