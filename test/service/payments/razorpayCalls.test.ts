import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { RazorpayProvider } from '../../../src/adapters/payments/razorpay/razorpayProvider.js';
import type { CheckoutOrder, RefundOrder } from '../../../src/ports/paymentProvider.js';
import { ProviderServer } from './providerServer.js';

const SECRET = 'key-secret-nobody-may-see';
let server: ProviderServer;
let provider: RazorpayProvider;

beforeEach(async () => {
  server = await ProviderServer.start();
  provider = opened();
});
afterEach(() => server.stop());

/** @param timeoutMs long enough for a busy machine, if a response comes */
function opened({ timeoutMs = 20_000 } = {}): RazorpayProvider {
  return new RazorpayProvider({
    keyId: 'rzp_test_key',
    keySecret: SECRET,
    baseUrl: server.url,
    timeoutMs,
    webhookSecrets: ['webhook-secret'],
    returnEndpoint: 'https://video.example/webhooks/return',
  });
}

const order: CheckoutOrder = {
  accountId: randomUUID(),
  topUpId: randomUUID(),
  amountMinor: 49_950n,
  currency: 'INR',
  description: 'Dhara credits for INR 499.50',
  payerEmail: 'asha@example.com',
  expiresAt: new Date('2026-03-04T06:00:00Z'),
  returnUrl: 'https://video.example/wallet?topUp=one',
};
const refund: RefundOrder = {
  paymentId: 'pay_DESyzxuld02Zul',
  amountMinor: 12_050n,
  currency: 'INR',
  idempotencyKey: 'refund:3f9d1c52-0000-4000-8000-000000000000',
  accountId: order.accountId,
  topUpId: order.topUpId,
};

it('opening a checkout creates an order and leads to Razorpay’s own page', async () => {
  server.answer({ status: 200, body: { id: 'order_IluGWxBm9U8zJ8', entity: 'order', status: 'created' } });
  const checkout = await provider.openCheckout(order);

  const [asked] = server.seen;
  expect(asked).toMatchObject({ method: 'POST', path: '/v1/orders' });
  expect(asked!.headers.authorization).toBe(`Basic ${Buffer.from(`rzp_test_key:${SECRET}`).toString('base64')}`);
  const { accountId, topUpId } = order;
  const notes = { accountId, topUpId };
  expect(JSON.parse(asked!.body)).toEqual({ amount: 49_950, currency: 'INR', receipt: topUpId, notes });

  const back = `https://video.example/webhooks/return?to=${encodeURIComponent(order.returnUrl)}`;
  expect(checkout).toMatchObject({
    orderId: 'order_IluGWxBm9U8zJ8',
    method: 'POST',
    url: 'https://api.razorpay.com/v1/checkout/embedded',
  });
  expect(Object.fromEntries(checkout.fields.map(({ name, value }) => [name, value]))).toEqual({
    key_id: 'rzp_test_key',
    order_id: 'order_IluGWxBm9U8zJ8',
    amount: '49950',
    currency: 'INR',
    name: 'Dhara',
    description: order.description,
    'prefill[email]': 'asha@example.com',
    'notes[accountId]': accountId,
    'notes[topUpId]': topUpId,
    callback_url: back,
    cancel_url: back,
  });
});

it('paymentsOf returns the captured payments of an order', async () => {
  const items = [
    { id: 'pay_failed', amount: 49_950, currency: 'INR', status: 'failed' },
    { id: 'pay_authorized', amount: 49_950, currency: 'INR', status: 'authorized' },
    { id: 'pay_captured', amount: 49_950, currency: 'INR', status: 'captured' },
    { id: 'pay_refunded', amount: 49_950, currency: 'inr', status: 'refunded' },
  ];
  server.answer({ status: 200, body: { entity: 'collection', count: 4, items } });
  expect(await provider.paymentsOf('order_IluGWxBm9U8zJ8')).toEqual([
    { paymentId: 'pay_captured', amountMinor: 49_950n, currency: 'INR' },
    { paymentId: 'pay_refunded', amountMinor: 49_950n, currency: 'INR' },
  ]);
  expect(server.seen[0]).toMatchObject({ method: 'GET', path: '/v1/orders/order_IluGWxBm9U8zJ8/payments' });
});

it('a refund is sent with one key, in a form that Razorpay accepts', async () => {
  server.answer({ status: 200, body: { id: 'rfnd_FS8TWyPrCsa0OB', status: 'processed', created_at: 1_597_734_071 } });
  const answer = { refundId: 'rfnd_FS8TWyPrCsa0OB', state: 'processed', createdAt: new Date(1_597_734_071_000) };
  expect(await provider.refund(refund)).toEqual(answer);
  await provider.refund(refund);
  await provider.refund({ ...refund, idempotencyKey: 'plain-key-2' });

  const keys = server.seen.map(({ headers }) => headers['x-refund-idempotency']);
  expect(keys[0]).toMatch(/^[\w-]{10,}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).toBe('plain-key-2');
  expect(server.seen[0]).toMatchObject({ method: 'POST', path: '/v1/payments/pay_DESyzxuld02Zul/refund' });
  expect(JSON.parse(server.seen[0]!.body)).toEqual({
    amount: 12_050,
    speed: 'normal',
    notes: { requestKey: refund.idempotencyKey, accountId: order.accountId, topUpId: order.topUpId },
  });
});

it('no other call carries the key of a refund', async () => {
  server.answer({ status: 200, body: { id: 'rfnd_1', status: 'pending', created_at: 1_597_734_071 } });
  await provider.refund(refund);
  server.answer({ status: 200, body: { id: 'order_1' } });
  await provider.openCheckout(order);
  expect(server.seen[1]!.headers).not.toHaveProperty('x-refund-idempotency');
});

const refusal = { error: { code: 'BAD_REQUEST_ERROR', description: 'The total refund amount is too much.' } };

it.each([
  ['a refusal', { status: 400, body: refusal }, 'INVALID_STATE'],
  ['an unknown payment', { status: 404, body: refusal }, 'INVALID_STATE'],
  ['keys that do not work', { status: 401, body: refusal }, 'PROVIDER_UNAVAILABLE'],
  ['a request still under way', { status: 409, body: refusal }, 'PROVIDER_UNAVAILABLE'],
  ['too many calls', { status: 429, body: refusal }, 'PROVIDER_UNAVAILABLE'],
  ['a server error', { status: 502, body: '<html>Bad gateway</html>' }, 'PROVIDER_UNAVAILABLE'],
  ['a response of another shape', { status: 200, body: { hello: 'world' } }, 'PROVIDER_UNAVAILABLE'],
  ['a redirect', { status: 302, body: '' }, 'PROVIDER_UNAVAILABLE'],
  ['no response', 'hang', 'PROVIDER_UNAVAILABLE'],
  ['a broken connection', 'cut', 'PROVIDER_UNAVAILABLE'],
] as const)('calls that end with %s throw a typed error without the keys', async (_, answer, code) => {
  server.answer(answer);
  if (answer === 'hang') provider = opened({ timeoutMs: 300 });
  const calls = [
    () => provider.openCheckout(order),
    () => provider.paymentsOf('order_1'),
    () => provider.refund(refund),
  ];
  for (const call of calls) {
    const thrown: unknown = await call().then(
      () => null,
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({ code });
    const shown = inspect(thrown, { depth: 20, showHidden: true });
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain(Buffer.from(`rzp_test_key:${SECRET}`).toString('base64'));
  }
});

it('a refused refund has Razorpay’s code', async () => {
  server.answer({ status: 400, body: refusal });
  await expect(provider.refund(refund)).rejects.toMatchObject({ details: { providerCode: 'BAD_REQUEST_ERROR' } });
});
