import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { PayPage } from '../../support/sandbox/payPage.js';
import { DAY_MS, EVENTS_OF_A_PAYMENT, MINUTE_MS, SandboxScene } from '../../support/sandbox/scene.js';

let scene: SandboxScene;
beforeAll(async () => {
  scene = await SandboxScene.start();
});
afterAll(() => scene.stop());
beforeEach(() => scene.receiver.forget());

describe.each(['razorpay', 'stripe'] as const)('the %s sandbox', (provider) => {
  it('shows what is to be paid, and that no money moves', async () => {
    const { page, orderId } = await scene.open(provider);
    expect(page.status).toBe(200);
    expect(page.text).toContain('No real money');
    expect(page.text).toContain(provider === 'stripe' ? '$499.50' : '₹499.50');
    expect(page.text).toContain(orderId);
    expect(page.html).toContain('Dhara credits &lt;b&gt;for&lt;/b&gt; 499.50');
    expect(page.html).not.toContain('<script');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(orderId.length).toBeGreaterThan(18);
  });

  it('takes a payment, leads back, and reports it to the real endpoint', async () => {
    const opened = await scene.open(provider);
    await scene.pay(opened);
    const facts = await scene.factsOf(EVENTS_OF_A_PAYMENT[provider]);
    const { orderId, accountId, topUpId } = opened;
    const captured = facts.filter(({ kind }) => kind === 'captured');
    expect(captured.length).toBeGreaterThan(0);
    for (const fact of captured) {
      expect(fact).toMatchObject({ orderId, accountId, topUpId, amountMinor: 49_950n });
    }
    const adapter = scene.provider(provider);
    expect(await adapter.paymentsOf(orderId)).toMatchObject([
      { paymentId: captured[0]!.paymentId, amountMinor: 49_950n },
    ]);
    await expect.poll(async () => (await opened.page.reload()).text).toMatch(/delivered/);
    expect((await opened.page.reload()).buttons()).not.toContain('Pay now');
  });

  it('can fail a payment, which can then be made', async () => {
    const opened = await scene.open(provider);
    const page = await scene.pay(opened, 'Fail');
    const failed = await scene.factsOf(provider === 'stripe' ? 2 : 1);
    expect(failed.map(({ kind }) => kind)).toContain('failed');
    expect(await scene.provider(provider).paymentsOf(opened.orderId)).toEqual([]);
    expect(page.buttons()).toContain('Pay now');
  });

  it('can authorize a payment first and capture it later', async () => {
    const opened = await scene.open(provider);
    const page = await scene.pay(opened, 'Only authorize');
    expect((await scene.factsOf(1)).map(({ kind }) => kind)).toEqual(['authorized']);
    await page.press('Take the money');
    const facts = await scene.factsOf(provider === 'stripe' ? 2 : 3);
    expect(facts.at(-1)).toMatchObject({ kind: 'captured', orderId: opened.orderId });
  });

  it('can deliver the same event five times', async () => {
    const opened = await scene.open(provider);
    await scene.pay(opened, 'Five times over');
    const delivered = async () => (await opened.page.reload()).text.match(/delivered/g)?.length ?? 0;
    await expect.poll(delivered).toBe(5 * EVENTS_OF_A_PAYMENT[provider]);
    expect(await scene.receiver.events()).toHaveLength(EVENTS_OF_A_PAYMENT[provider]);
  });

  it('can report late by the service’s clock, with the date of the payment', async () => {
    const opened = await scene.open(provider);
    await scene.pay(opened, 'After 3 days');
    const paidAtMs = scene.nowMs();
    await scene.sender.deliverDue();
    expect(await scene.receiver.events()).toEqual([]);
    await scene.forward(3 * DAY_MS + MINUTE_MS);
    const facts = await scene.factsOf(EVENTS_OF_A_PAYMENT[provider]);
    const captured = facts.find(({ kind }) => kind === 'captured');
    const at = captured?.kind === 'captured' ? captured.capturedAt.getTime() : 0;
    expect(Math.abs(at - paidAtMs)).toBeLessThan(MINUTE_MS);
  });

  it('can hold all webhooks back until asked', async () => {
    const opened = await scene.open(provider);
    const page = await scene.pay(opened, 'Not at all');
    expect(page.text).toContain('held back');
    await scene.forward(10 * DAY_MS);
    await scene.sender.deliverDue();
    expect(await scene.receiver.events()).toEqual([]);
    await page.press('Deliver what is missing now');
    await scene.factsOf(EVENTS_OF_A_PAYMENT[provider]);
  });

  it('retries until a webhook is accepted', async () => {
    const opened = await scene.open(provider);
    const { sender } = scene;
    sender.start('http://127.0.0.1:1');
    await sender.stop();
    await scene.pay(opened);
    await sender.deliverDue();
    expect((await opened.page.reload()).text).toMatch(/tried 1×, last response none/);
    expect(await scene.receiver.events()).toEqual([]);
    sender.start(scene.receiver.url);
    await scene.forward(MINUTE_MS);
    await scene.factsOf(EVENTS_OF_A_PAYMENT[provider]);
  });

  it('opens one order per top-up, and no page for a guessed id', async () => {
    const adapter = scene.provider(provider);
    const order = {
      accountId: randomUUID(),
      topUpId: randomUUID(),
      amountMinor: 100n,
      currency: adapter.currency,
      description: 'x',
      payerEmail: '',
      expiresAt: new Date(),
      returnUrl: scene.receiver.url,
    };
    expect(await adapter.openCheckout(order)).toEqual(await adapter.openCheckout(order));
    const guess = await PayPage.open(`${scene.receiver.url}/sandbox/pay/order_AAAAAAAAAAAAAA`);
    expect(guess.status).toBe(404);
    expect(guess.text).toContain('Payment not found.');
  });
});

it('Razorpay’s sandbox can make two payments of one order, and reports both', async () => {
  await scene.pay(await scene.open('razorpay'), 'Pay twice');
  const captured = (await scene.factsOf(6)).filter(({ kind }) => kind === 'captured');
  expect(new Set(captured.map(({ paymentId }) => paymentId)).size).toBe(2);
  expect((await scene.open('stripe')).page.buttons()).not.toContain('Pay twice');
});

it('Razorpay’s sandbox reports the events of a payment in their order', async () => {
  await scene.pay(await scene.open('razorpay'));
  expect(await scene.typesOf(3)).toEqual(['payment.authorized', 'payment.captured', 'order.paid']);
});

it('an expired session takes no payment at Stripe, but a late one at Razorpay', async () => {
  const stripe = await scene.open('stripe', MINUTE_MS);
  const razorpay = await scene.open('razorpay', MINUTE_MS);
  await scene.forward(2 * MINUTE_MS);
  const page = await stripe.page.reload();
  expect(page.buttons()).not.toContain('Pay now');
  expect(page.text).toContain('has run out');
  expect(await stripe.page.press('Pay now')).toMatchObject({ status: 409 });
  expect((await razorpay.page.reload()).buttons()).toContain('Pay now');
});

it('a payment is made once, however often it is pressed at the same time', async () => {
  const { page, orderId } = await scene.open('razorpay');
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await page.press('Pay now')).status));
  expect(statuses.toSorted((a, b) => a - b)).toEqual([303, ...Array.from({ length: 7 }, () => 409)]);
  expect(await scene.provider('razorpay').paymentsOf(orderId)).toHaveLength(1);
});

it('forms of other sites and payers without an email are refused', async () => {
  const { page } = await scene.open('razorpay');
  const headers = { 'sec-fetch-site': 'cross-site' };
  const body = new URLSearchParams({ how: 'pay', payer: 'a@b.example' });
  const foreign = await fetch(`${page.url}/pay`, { method: 'POST', body, headers, redirect: 'manual' });
  expect(foreign.status).toBe(403);
  const nobody = await fetch(`${page.url}/pay`, {
    method: 'POST',
    body: new URLSearchParams({ how: 'pay', payer: 'x' }),
  });
  expect(nobody.status).toBe(400);
  expect(await nobody.text()).toContain('Please give the payer’s email address.');
  expect(
    await scene.receiver.query('select from payment_sandbox_payment where order_id = $1', [page.url.split('/').at(-1)]),
  ).toEqual([]);
});

it('the sandbox has an exchange rate at any time of its clock', async () => {
  const { microsPerCent, asOf } = await scene.receiver.payments.rates.usdToInr();
  expect(microsPerCent).toBeGreaterThan(0n);
  expect(Math.abs(asOf.getTime() - scene.nowMs())).toBeLessThan(MINUTE_MS);
});
