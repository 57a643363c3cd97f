import { request } from 'node:http';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  razorpayEvent,
  signedHeaders,
  stripeEvent,
  type EventPayload,
} from '../../../src/adapters/payments/sandbox/payloads/index.js';
import { signStripe } from '../../../src/adapters/payments/stripe/signature.js';
import type { ProviderName } from '../../../src/ports/paymentProvider.js';
import { AT, someSubject } from '../../support/payments/subject.js';
import { Receiver } from '../../support/webhooks/receiver.js';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
});
afterAll(() => receiver.stop());
beforeEach(() => receiver.forget());

const PROVIDERS = ['razorpay', 'stripe'] as const;

function someEvent(provider: ProviderName): EventPayload {
  return provider === 'stripe'
    ? stripeEvent('checkout.session.completed', someSubject('stripe'), AT)
    : razorpayEvent('payment.captured', someSubject('razorpay'), AT);
}

async function post(provider: string, body: string | Buffer, headers: Record<string, string>) {
  const response = await fetch(`${receiver.url}/webhooks/${provider}`, {
    method: 'POST',
    headers,
    body: new Uint8Array(Buffer.from(body)),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

const headersOf = (provider: ProviderName, event: EventPayload) => signedHeaders(provider, event, receiver.secret);
const INVALID = { success: false, error: { code: 'INVALID_SIGNATURE', status: 400, message: expect.any(String) } };

describe.each(PROVIDERS)('a webhook of %s', (provider) => {
  it('is stored byte for byte and processed afterwards', async () => {
    const event = someEvent(provider);
    const answer = await post(provider, event.body, headersOf(provider, event));
    expect(answer).toMatchObject({ status: 200, body: { received: true } });
    expect(await receiver.events()).toEqual([
      { provider, event_id: event.eventId, type: event.type, body: Buffer.from(event.body) },
    ]);
    expect(receiver.woken).toBe(1);
  });

  it('is stored once, however often and concurrently it comes', async () => {
    const event = someEvent(provider);
    const deliveries = Array.from({ length: 20 }, () => post(provider, event.body, headersOf(provider, event)));
    const statuses = (await Promise.all(deliveries)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await receiver.events()).toHaveLength(1);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'nonsense'])(
    'is stored unchanged with the content type %s',
    async (contentType) => {
      const event = someEvent(provider);
      const headers = { ...headersOf(provider, event), 'content-type': contentType };
      expect(await post(provider, event.body, headers)).toMatchObject({ status: 200 });
      expect((await receiver.events())[0]?.body).toEqual(Buffer.from(event.body));
    },
  );

  it('is refused and not stored if its signature is invalid', async () => {
    const event = someEvent(provider);
    const headers = headersOf(provider, event);
    const name = provider === 'stripe' ? 'stripe-signature' : 'x-razorpay-signature';
    const { [name]: signature = '', ...without } = headers;
    const foreign = signedHeaders(provider, event, 'somebody else’s secret');
    const parsed: unknown = JSON.parse(event.body);
    const rewritten = provider === 'stripe' ? JSON.stringify(parsed) : JSON.stringify(parsed, null, 2);
    expect(rewritten).not.toBe(event.body);
    const bad: [string, string | Buffer, Record<string, string>][] = [
      ['another secret', event.body, foreign],
      ['empty', event.body, { ...headers, [name]: '' }],
      ['missing', event.body, without],
      ['truncated', event.body, { ...headers, [name]: signature.slice(0, -1) }],
      ['half', event.body, { ...headers, [name]: signature.slice(0, signature.length / 2) }],
      ['another body', event.body.replace('49900', '99900'), headers],
      ['rewritten', rewritten, headers],
      ['no body', '', headers],
    ];
    for (const [what, body, given] of bad) {
      expect(await post(provider, body, given), what).toMatchObject({ status: 400, body: INVALID });
    }
    expect(await receiver.events()).toEqual([]);
    expect(receiver.woken).toBe(0);
  });

  it('is refused if it is too large', async () => {
    const event = { ...someEvent(provider), body: ' '.repeat(1024 * 1024 + 1) };
    const answer = await post(provider, event.body, headersOf(provider, event));
    expect(answer).toMatchObject({ status: 413, body: { success: false, error: { code: 'FILE_TOO_LARGE' } } });
    expect(await receiver.events()).toEqual([]);
  });

  it('is refused if it is compressed', async () => {
    const event = someEvent(provider);
    const headers = { ...headersOf(provider, event), 'content-encoding': 'gzip' };
    const { status } = await post(provider, event.body, headers);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(await receiver.events()).toEqual([]);
  });

  it('gets 503 while the database is away, and is stored once when it is sent again', async () => {
    const event = someEvent(provider);
    receiver.way.cut();
    const answer = await post(provider, event.body, headersOf(provider, event));
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(receiver.woken).toBe(0);
    receiver.way.mend();
    await expect.poll(async () => (await post(provider, event.body, headersOf(provider, event))).status).toBe(200);
    expect(await receiver.events()).toHaveLength(1);
  });

  it('is accepted by POST only', async () => {
    const response = await fetch(`${receiver.url}/webhooks/${provider}`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });
});

it.each([-301, 301, 86_400])('a Stripe signature %i seconds from now is refused', async (seconds) => {
  const event = someEvent('stripe');
  // Two more, since the clock may tick in transit; exactly 301 is tested with a fixed clock.
  const at = Math.floor(Date.now() / 1000) + seconds + (seconds > 0 ? 2 : 0);
  const headers = { 'stripe-signature': signStripe(event.body, receiver.secret, at) };
  expect(await post('stripe', event.body, headers)).toMatchObject({ status: 400, body: INVALID });
  expect(await receiver.events()).toEqual([]);
});

it('a webhook of one provider is refused as the other’s', async () => {
  const event = someEvent('razorpay');
  expect(await post('stripe', event.body, headersOf('razorpay', event))).toMatchObject({ status: 400 });
});

it.each(['paypal', 'Razorpay', '__proto__', 'razorpay/more', '%E0%A4%A'])(
  'the provider %s is not found',
  async (name) => {
    const answer = await post(name, '{}', { 'content-type': 'application/json' });
    expect(answer).toMatchObject({ status: 404, body: { success: false, error: { code: 'NOT_FOUND' } } });
  },
);

describe('the return address of a pay page', () => {
  it.each(['GET', 'POST'])('leads to our page by %s', async (method) => {
    const to = `${receiver.url}/wallet?topUp=one`;
    const { status, location } = await visit(`/webhooks/return?to=${encodeURIComponent(to)}`, method);
    expect({ status, location }).toEqual({ status: 303, location: to });
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    'javascript:alert(1)',
    String.raw`/\evil.example`,
    'http://127.0.0.1:1/',
  ])('never leads to %s', async (to) => {
    const { location } = await visit(`/webhooks/return?to=${encodeURIComponent(to)}`, 'POST');
    expect(new URL(location, receiver.url).origin).toBe(receiver.url);
  });
});

function visit(path: string, method: string): Promise<{ status: number; location: string }> {
  return new Promise((resolve, reject) => {
    const call = request(`${receiver.url}${path}`, { method }, (res) => {
      res.resume();
      resolve({ status: res.statusCode ?? 0, location: res.headers.location ?? '' });
    });
    call.on('error', reject).end();
  });
}
