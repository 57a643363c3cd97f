import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { StripeProvider } from '../../../src/adapters/payments/stripe/stripeProvider.js';
import type { CheckoutOrder, RefundOrder } from '../../../src/ports/paymentProvider.js';
import { ProviderServer } from './providerServer.js';

const SECRET = 'sk_test_nobody_may_see';
let server: ProviderServer;
let provider: StripeProvider;

beforeEach(async () => {
  server = await ProviderServer.start();
  provider = opened();
});
afterEach(() => server.stop());

/** @param timeoutMs long enough for a busy machine, if a response comes */
function opened({ timeoutMs = 20_000 } = {}): StripeProvider {
  return new StripeProvider({ secretKey: SECRET, baseUrl: server.url, timeoutMs, webhookSecrets: ['webhook-secret'] });
}

const order: CheckoutOrder = {
  accountId: randomUUID(),
  topUpId: randomUUID(),
  amountMinor: 1_050n,
  currency: 'USD',
  description: 'Dhara credits for USD 10.50',
  payerEmail: 'asha@example.com',
  expiresAt: new Date(Date.now() + 2 * 3600_000),
  returnUrl: 'https://video.example/wallet?topUp=one',
};
const refund: RefundOrder = {
  paymentId: 'pi_1MoS6fLgUG5tbmjca6AdBPsl',
  amountMinor: 250n,
  currency: 'USD',
  idempotencyKey: 'refund:one',
  accountId: order.accountId,
  topUpId: order.topUpId,
};
const session = { id: 'cs_test_1', object: 'checkout.session', url: 'https://checkout.stripe.com/c/pay/cs_test_1' };

it('opening a checkout creates a session for exactly the quote', async () => {
  server.answer({ status: 200, body: session });
  expect(await provider.openCheckout(order)).toEqual({
    orderId: 'cs_test_1',
    method: 'GET',
    url: session.url,
    fields: [],
  });

  const [asked] = server.seen;
  expect(asked).toMatchObject({ method: 'POST', path: '/v1/checkout/sessions' });
  expect(asked!.headers.authorization).toBe(`Bearer ${SECRET}`);
  expect(asked!.headers['idempotency-key']).toContain(order.topUpId);
  expect(Object.fromEntries(new URLSearchParams(asked!.body))).toEqual({
    mode: 'payment',
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': '1050',
    'line_items[0][price_data][product_data][name]': order.description,
    'metadata[account_id]': order.accountId,
    'metadata[topup_id]': order.topUpId,
    'payment_intent_data[metadata][account_id]': order.accountId,
    'payment_intent_data[metadata][topup_id]': order.topUpId,
    client_reference_id: order.topUpId,
    customer_email: 'asha@example.com',
    expires_at: String(Math.floor(order.expiresAt.getTime() / 1000)),
    success_url: order.returnUrl,
    cancel_url: order.returnUrl,
    'adaptive_pricing[enabled]': 'false',
  });
});

it.each([
  ['sooner than half an hour', -3600, 30 * 60],
  ['later than a day', 40 * 3600, 23 * 3600],
])('a session never ends %s', async (_, fromNowSeconds, atLeastSeconds) => {
  server.answer({ status: 200, body: session });
  const nowSeconds = Date.now() / 1000;
  await provider.openCheckout({ ...order, expiresAt: new Date((nowSeconds + fromNowSeconds) * 1000) });
  const asked = Number(new URLSearchParams(server.seen[0]!.body).get('expires_at')) - nowSeconds;
  expect(asked).toBeGreaterThan(atLeastSeconds);
  expect(asked).toBeLessThan(24 * 3600);
});

it('a session has no email if none is known', async () => {
  server.answer({ status: 200, body: session });
  await provider.openCheckout({ ...order, payerEmail: '' });
  expect(server.seen[0]!.body).not.toContain('customer_email');
});

it('paymentsOf returns the payment of a paid session only', async () => {
  const paid = { ...session, payment_intent: 'pi_1', amount_total: 1050, currency: 'usd', payment_status: 'paid' };
  server.answer({ status: 200, body: paid });
  expect(await provider.paymentsOf('cs_test_1')).toEqual([{ paymentId: 'pi_1', amountMinor: 1050n, currency: 'USD' }]);
  server.answer({ status: 200, body: { ...paid, payment_status: 'unpaid' } });
  expect(await provider.paymentsOf('cs_test_1')).toEqual([]);
});

it('a refund is sent with its key, also when retried', async () => {
  const body = { id: 're_1', object: 'refund', status: 'succeeded', created: 1_692_942_318 };
  server.answer({ status: 503, body: { error: { type: 'api_error' } } }, { status: 200, body });
  const answer = { refundId: 're_1', state: 'processed', createdAt: new Date(1_692_942_318_000) };
  expect(await provider.refund(refund)).toEqual(answer);
  expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['refund:one', 'refund:one']);
  expect(Object.fromEntries(new URLSearchParams(server.seen[0]!.body))).toEqual({
    payment_intent: refund.paymentId,
    amount: '250',
    'metadata[request_key]': 'refund:one',
    'metadata[account_id]': order.accountId,
    'metadata[topup_id]': order.topUpId,
  });
});

const refusal = { error: { type: 'invalid_request_error', code: 'charge_already_refunded', message: 'Refunded.' } };

it.each([
  ['a refusal', { status: 400, body: refusal }, 'INVALID_STATE', 1],
  ['an unknown payment', { status: 404, body: refusal }, 'INVALID_STATE', 1],
  ['keys that do not work', { status: 401, body: refusal }, 'PROVIDER_UNAVAILABLE', 1],
  ['too many calls', { status: 429, body: { error: { type: 'rate_limit_error' } } }, 'PROVIDER_UNAVAILABLE', 1],
  ['a server error', { status: 500, body: '<html>' }, 'PROVIDER_UNAVAILABLE', 3],
  ['no response', 'hang', 'PROVIDER_UNAVAILABLE', 3],
  ['a broken connection', 'cut', 'PROVIDER_UNAVAILABLE', 3],
] as const)(
  'calls that end with %s throw a typed error without the key, and stop retrying',
  async (_, answer, code, attempts) => {
    server.answer(answer);
    if (answer === 'hang') provider = opened({ timeoutMs: 300 });
    const thrown: unknown = await provider.refund(refund).then(
      () => null,
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({ code });
    expect(inspect(thrown, { depth: 20, showHidden: true })).not.toContain(SECRET);
    expect(server.seen.length).toBeLessThanOrEqual(attempts);
  },
);

it('a refused refund has Stripe’s code', async () => {
  server.answer({ status: 400, body: refusal });
  await expect(provider.refund(refund)).rejects.toMatchObject({ details: { providerCode: 'charge_already_refunded' } });
});
