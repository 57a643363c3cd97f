import { describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { NOBODY } from '../../../src/domain/payments/settlement/settlePayment.js';
import type { Sql } from '../../../src/db/sql.js';
import { readDetails } from '../../../src/domain/payments/topUps/topUpDetails.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';

const CREDIT = 1_000_000n;
const MINUTE_MS = 60_000;

const rig = await PaymentsRig.ofFile();

async function alertsOf(subject: string): Promise<string[]> {
  const rows = await rig.rows<{ kind: string }>('select kind from alert where subject = $1 and resolved_at is null', [
    subject,
  ]);
  return rows.map((row) => row.kind);
}

describe('creating a top-up', () => {
  it('makes one row and one checkout, however often the same key is sent at once', async () => {
    const accountId = await rig.account();
    const order = { provider: 'razorpay', amount: '250.50', idempotencyKey: 'form' } as const;
    const made = await Promise.all(Array.from({ length: 10 }, () => rig.topUps.createTopUp(accountId, order)));
    expect(new Set(made.map((topUp) => `${topUp.id} ${topUp.checkout?.orderId}`)).size).toBe(1);
    expect(made[0]).toMatchObject({ status: 'open', creditMicros: 250_500_000n, microsPerMinor: 10_000n });
    for (const change of [{ amount: '250.51' }, { provider: 'stripe' } as const]) {
      const other = rig.topUps.createTopUp(accountId, { ...order, ...change });
      await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    }
  });

  it('stores the row before it calls the provider, and opens the checkout later', async () => {
    const accountId = await rig.account();
    const order = { provider: 'razorpay', amount: '100', idempotencyKey: 'form' } as const;
    rig.razorpay.isAway = true;
    await expect(rig.topUps.createTopUp(accountId, order)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    const [before] = await rig.topUps.list(accountId, { first: 2, after: null });
    expect(before).toMatchObject({ status: 'opening', checkout: null });
    rig.razorpay.isAway = false;
    expect(await rig.topUps.createTopUp(accountId, order)).toMatchObject({ id: before!.id, status: 'open' });
  });

  it('keeps its rate for an hour while the checkout cannot be opened', async () => {
    const accountId = await rig.account();
    const order = { provider: 'stripe', amount: '10', idempotencyKey: 'slow' } as const;
    rig.stripe.isAway = true;
    const tryAgain = () => rig.topUps.createTopUp(accountId, order);
    const age = (minutes: number) =>
      rig.rows(`update topup set created_at = now() - $2 * interval '1 minute' where account_id = $1`, [
        accountId,
        minutes,
      ]);
    await expect(tryAgain()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    await age(59);
    await expect(tryAgain()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    rig.stripe.isAway = false;
    await age(61);
    await expect(tryAgain()).rejects.toMatchObject({ code: 'QUOTE_EXPIRED' });
  });

  it('refuses an old or missing rate, a suspended account, and too many unpaid top-ups', async () => {
    const accountId = await rig.account();
    const dollars = { provider: 'stripe', amount: '10', idempotencyKey: newId() } as const;
    const asOf = rig.rate.asOf;
    rig.rate.asOf = new Date(Date.now() - 25 * 60 * MINUTE_MS);
    await expect(rig.topUps.createTopUp(accountId, dollars)).rejects.toMatchObject({ code: 'RATE_UNAVAILABLE' });
    rig.rate.asOf = asOf;
    const { microsPerCent } = rig.rate;
    rig.rate.microsPerCent = 0n;
    await expect(rig.topUps.createTopUp(accountId, dollars)).rejects.toMatchObject({ code: 'RATE_UNAVAILABLE' });
    rig.rate.microsPerCent = microsPerCent;
    expect(await rig.topUps.createTopUp(accountId, dollars)).toMatchObject({ creditMicros: 850n * CREDIT });

    const many = Array.from({ length: 25 }, () => rig.topUp(accountId));
    const outcomes = await Promise.allSettled(many);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(19);
    await rig.rows('update account set suspended_at = now() where id = $1', [accountId]);
    await expect(rig.topUp(accountId)).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
  });

  it('credits more than 2^53 micro-credits exactly', async () => {
    const accountId = await rig.account();
    const usual = rig.rate.microsPerCent;
    rig.rate.microsPerCent = 18_014_398_509_481_987n;
    const order = { provider: 'stripe', amount: '1.03', idempotencyKey: 'big' } as const;
    const topUp = await rig.topUps.createTopUp(accountId, order);
    rig.rate.microsPerCent = usual;
    await rig.deliver([factsOf(topUp).captured], { provider: 'stripe' });
    expect((await rig.balances(accountId))['MASTER']).toBe(103n * 18_014_398_509_481_987n);
  });

  it('credits a payment that comes after the top-up has expired', async () => {
    const accountId = await rig.account();
    const topUp = await rig.topUp(accountId);
    await rig.rows(`update topup set expires_at = now() - interval '1 hour' where id = $1`, [topUp.id]);
    expect((await rig.topUps.get(accountId, topUp.id)).status).toBe('expired');
    await rig.deliver([factsOf(topUp).captured]);
    expect(await rig.balances(accountId)).toMatchObject({ MASTER: 100n * CREDIT });
    expect((await rig.topUps.get(accountId, topUp.id)).status).toBe('paid');
  });
});

it('listing six paid top-ups takes as many statements as listing two', async () => {
  const accountId = await rig.account();
  const statementsFor = async (count: number) => {
    const rows = await rig.topUps.list(accountId, { first: count, after: null });
    let statements = 0;
    const counting: Sql = {
      query: (...call) => {
        statements += 1;
        return rig.db.sql.query(...call);
      },
    };
    expect(await readDetails(counting, accountId, rows)).toEqual(rows);
    return statements;
  };
  for (let count = 0; count < 6; count += 1) {
    const facts = factsOf(await rig.topUp(accountId));
    await rig.deliver([facts.captured, facts.refund(newId(), BigInt(count + 1) * 100n, 'processed')]);
  }
  expect(await statementsFor(6)).toBe(await statementsFor(2));
});

describe('a payment that does not fit', () => {
  it.each([
    ['amount', { amountMinor: 9_999n }, 'other amount', 99_990_000n],
    ['currency', { currency: 'USD' }, 'other currency', null],
    ['account', { accountId: newId() }, 'other account', 100n * CREDIT],
    ['top-up', { topUpId: newId() }, 'other order', 100n * CREDIT],
    ['order', { orderId: 'order_of_nobody' }, 'other order', 100n * CREDIT],
  ] as const)('is not credited if its %s differs', async (_, change, reason, micros) => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId));
    await rig.deliver([{ ...facts.captured, ...change }]);
    await rig.deliver([{ ...facts.captured, ...change }]);
    expect(await rig.balances(accountId)).toEqual(micros === null ? {} : { SUSPENSE: micros, CASH: -micros });
    const items = await rig.rows('select reason, amount_micros, status from suspense_item where payment_id = $1', [
      facts.paymentId,
    ]);
    expect(items).toEqual([{ reason, amount_micros: micros?.toString() ?? null, status: 'open' }]);
    expect(await alertsOf(facts.paymentId)).toEqual(['payment.mismatch']);

    await rig.deliver([
      { ...facts.refund(`r_${facts.paymentId}`, 10_000n, 'processed'), ...('currency' in change ? change : {}) },
    ]);
    expect(await rig.balances(accountId)).toEqual({});
    expect(await rig.rows('select status from suspense_item where payment_id = $1', [facts.paymentId])).toEqual([
      { status: 'refunded' },
    ]);
  });

  it('from the sandbox is not credited once there are real keys', async () => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId));
    const provider = rig.razorpay;
    provider.sandbox = false;
    try {
      await rig.deliver([facts.captured]);
    } finally {
      provider.sandbox = true;
    }
    expect(await rig.balances(accountId)).toEqual({ SUSPENSE: 100n * CREDIT, CASH: -100n * CREDIT });
  });

  it('is credited to no account if its order is unknown', async () => {
    const facts = factsOf(await rig.topUp(await rig.account()));
    const unknown = { ...facts.captured, orderId: 'order_unknown', accountId: null, topUpId: null };
    await rig.deliver([facts.refund('rfnd_unknown', 4_000n, 'processed')]);
    await rig.deliver([unknown]);
    expect(await rig.balances(NOBODY)).toEqual({ SUSPENSE: 60n * CREDIT, CASH: -60n * CREDIT });
    expect(await alertsOf(facts.paymentId)).toEqual(['payment.mismatch']);
  });

  it('is closed as refunded once a dispute has taken it back', async () => {
    const { accountId, topUp } = await rig.paid();
    const second = factsOf(topUp);
    await rig.deliver([second.captured]);
    await rig.deliver([second.refund(newId(), 4_000n, 'processed')]);
    await rig.deliver([second.dispute(newId(), 10_000n, 'lost')]);
    expect((await rig.balances(accountId))['SUSPENSE']).toBeUndefined();
    expect(await rig.rows('select status from suspense_item where payment_id = $1', [second.paymentId])).toEqual([
      { status: 'refunded' },
    ]);
  });

  it('is put in suspense if it is the second for one order', async () => {
    const { accountId, topUp } = await rig.paid();
    await rig.deliver([factsOf(topUp).captured]);
    expect(await rig.balances(accountId)).toEqual({
      MASTER: 100n * CREDIT,
      SUSPENSE: 100n * CREDIT,
      CASH: -200n * CREDIT,
    });
  });

  it('leaves other webhooks working: an unreadable body is marked as failed, and staff are alerted', async () => {
    const event = { eventId: 'evt_broken', type: 'nonsense', createdAt: new Date() };
    await rig.inbox.receive('razorpay', event, Buffer.from('{'));
    await rig.inbox.drain();
    const { accountId } = await rig.paid();
    expect(await rig.balances(accountId)).toMatchObject({ MASTER: 100n * CREDIT });
    const [row] = await rig.rows<{ id: string; status: string; attempts: number; last_error: string }>(
      `select id, status, attempts, last_error from webhook_event where event_id = 'evt_broken'`,
    );
    expect(row).toMatchObject({ status: 'failed', attempts: 1, last_error: expect.stringContaining('JSON') });
    expect(await alertsOf(row!.id)).toEqual(['payment.webhook_failed']);
  });
});

describe('webhook delivery', () => {
  it('stores ten deliveries of one event once, and credits the same body under new ids once', async () => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId));
    const eventId = newId();
    const stored = await Promise.all(Array.from({ length: 10 }, () => rig.receive([facts.captured], { eventId })));
    expect(stored.filter(Boolean)).toHaveLength(1);
    await Promise.all(Array.from({ length: 5 }, () => rig.deliver([facts.captured])));
    await rig.settled([eventId]);
    expect(await rig.balances(accountId)).toEqual({ MASTER: 100n * CREDIT, CASH: -100n * CREDIT });
  });

  it('distinguishes payments of the same id at two providers', async () => {
    const { accountId, facts } = await rig.paid();
    const otherId = await rig.account();
    const order = { provider: 'stripe', amount: '1', idempotencyKey: newId() } as const;
    const topUp = await rig.topUps.createTopUp(otherId, order);
    await rig.deliver([factsOf(topUp, facts.paymentId).captured], { provider: 'stripe' });
    expect(await rig.balances(accountId)).toEqual({ MASTER: 100n * CREDIT, CASH: -100n * CREDIT });
    expect(await rig.balances(otherId)).toEqual({ MASTER: 85n * CREDIT, CASH: -85n * CREDIT });
  });

  it('stores everybody who is reported to have paid, as hashes', async () => {
    const { accountId, facts } = await rig.paid();
    await rig.deliver([{ ...facts.orderPaid, payers: ['email:other@example.com'] }]);
    await rig.deliver([{ ...facts.orderPaid, payers: [] }]);
    const kept = 'select cardinality(payer_hashes) as payers from payment where account_id = $1';
    expect(await rig.rows(kept, [accountId])).toEqual([{ payers: 2 }]);
  });

  it('stores what came for good: the service cannot change or remove it', async () => {
    const change = (text: string) => rig.db.sql.query({ name: newId(), text });
    await expect(change(`update webhook_event set body = ''`)).rejects.toThrow('permission denied');
    await expect(change(`delete from webhook_event`)).rejects.toThrow('permission denied');
    await expect(change(`delete from payment`)).rejects.toThrow('permission denied');
  });

  it('processes the inbox when woken, and stops', async () => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId));
    const eventId = newId();
    await rig.receive([facts.captured], { eventId });
    rig.inbox.wake();
    rig.inbox.wake();
    await rig.settled([eventId]);
    expect(await rig.balances(accountId)).toMatchObject({ MASTER: 100n * CREDIT });
  });
});
