import { describe, expect, it } from 'vitest';

import { signRazorpay, verifyRazorpay } from '../../../src/adapters/payments/razorpay/signature.js';
import { razorpayEvent, signedHeaders, stripeEvent } from '../../../src/adapters/payments/sandbox/payloads/index.js';
import { signStripe, verifyStripe } from '../../../src/adapters/payments/stripe/signature.js';
import { AT, bodyOf, someSubject } from '../../support/payments/subject.js';

const SECRET = 'the-current-secret';
const OLD = 'the-former-secret';

describe('Razorpay’s signature', () => {
  const event = razorpayEvent('payment.captured', someSubject('razorpay'), AT);
  const body = bodyOf(event);
  const headers = signedHeaders('razorpay', event, SECRET);
  const signature = headers['x-razorpay-signature']!;
  const check = (rawBody: Buffer, given: Record<string, string | string[]>, secrets = [SECRET, OLD]) =>
    verifyRazorpay(rawBody, given, secrets);
  const withSignature = (value: string) => ({ ...headers, 'x-razorpay-signature': value });

  it('is valid for the signed body, with either secret of a rotation', () => {
    const signed = { eventId: event.eventId, type: 'payment.captured', createdAt: AT };
    expect(check(body, headers)).toEqual(signed);
    expect(check(body, signedHeaders('razorpay', event, OLD))).toEqual(signed);
  });

  it.each([
    ['empty', withSignature('')],
    ['missing', {}],
    ['truncated', withSignature(signature.slice(0, -2))],
    ['too long', withSignature(`${signature}00`)],
    ['of another secret', withSignature(signRazorpay(body, 'somebody else’s'))],
    ['in upper case', withSignature(signature.toUpperCase())],
    ['not hex', withSignature('z'.repeat(64))],
    ['given twice', { ...headers, 'x-razorpay-signature': [signature, signature] }],
  ])('is invalid if it is %s', (_, given) => {
    expect(() => check(body, given)).toThrow(expect.objectContaining({ code: 'INVALID_SIGNATURE' }));
  });

  it.each([
    ['serialized again', Buffer.from(JSON.stringify(JSON.parse(event.body), null, 1))],
    ['longer by a space', Buffer.concat([body, Buffer.from(' ')])],
    ['shorter', body.subarray(1)],
    ['empty', Buffer.alloc(0)],
  ])('is invalid for a body that is %s', (_, rawBody) => {
    expect(() => check(rawBody, headers)).toThrow(expect.objectContaining({ code: 'INVALID_SIGNATURE' }));
  });

  it('is invalid once the old secret is removed', () => {
    const old = signedHeaders('razorpay', event, OLD);
    expect(() => check(body, old, [SECRET])).toThrow(expect.objectContaining({ code: 'INVALID_SIGNATURE' }));
  });

  it('gives an event id made from the body if the header is missing or malformed', () => {
    const { 'x-razorpay-event-id': _, ...without } = headers;
    const { eventId } = check(body, without);
    expect(eventId).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(check(body, { ...headers, 'x-razorpay-event-id': 'x'.repeat(5000) }).eventId).toBe(eventId);
  });

  it('accepts a signed body that is unreadable', () => {
    const strange = Buffer.from([0xff, 0x00, 0x7b]);
    const signed = check(strange, withSignature(signRazorpay(strange, SECRET)));
    expect(signed.type).toBe('unreadable');
  });
});

describe('Stripe’s signature', () => {
  const event = stripeEvent('checkout.session.completed', someSubject('stripe'), AT);
  const body = bodyOf(event);
  const nowSeconds = Math.floor(Date.now() / 1000);
  const check = (rawBody: Buffer, header: string | string[] | undefined) =>
    verifyStripe(rawBody, header === undefined ? {} : { 'stripe-signature': header }, [SECRET, OLD], nowSeconds * 1000);

  it('is valid for the signed body, with either secret of a rotation', () => {
    const signed = { eventId: event.eventId, type: 'checkout.session.completed', createdAt: AT };
    expect(check(body, signStripe(event.body, SECRET))).toEqual(signed);
    expect(check(body, signStripe(event.body, OLD))).toEqual(signed);
  });

  it.each([-300, 300])('is valid %i seconds from now', (seconds) => {
    expect(check(body, signStripe(event.body, SECRET, nowSeconds + seconds)).eventId).toBe(event.eventId);
  });

  it.each([
    ['301 seconds old', () => signStripe(event.body, SECRET, nowSeconds - 301)],
    ['301 seconds ahead', () => signStripe(event.body, SECRET, nowSeconds + 301)],
    ['days ahead of the clock', () => signStripe(event.body, SECRET, nowSeconds + 200_000)],
    ['of another secret', () => signStripe(event.body, 'somebody else’s')],
    ['empty', () => ''],
    ['missing', () => undefined],
    ['without its time', () => signStripe(event.body, SECRET).replace(/^t=\d+,/, '')],
    ['without its value', () => signStripe(event.body, SECRET).replace(/,v1=.*/, '')],
    ['truncated', () => signStripe(event.body, SECRET).slice(0, -1)],
    ['given twice', () => [signStripe(event.body, SECRET), signStripe(event.body, SECRET)]],
    ['of an older scheme', () => signStripe(event.body, SECRET).replace('v1=', 'v0=')],
  ])('is invalid if it is %s', (_, header) => {
    expect(() => check(body, header())).toThrow(expect.objectContaining({ code: 'INVALID_SIGNATURE' }));
  });

  it.each([
    ['serialized again', Buffer.from(JSON.stringify(JSON.parse(event.body)))],
    ['prefixed with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])],
    ['empty', Buffer.alloc(0)],
  ])('is invalid for a body that is %s', (_, rawBody) => {
    const header = signStripe(event.body, SECRET);
    expect(() => check(rawBody, header)).toThrow(expect.objectContaining({ code: 'INVALID_SIGNATURE' }));
  });
});
