import { createHmac, timingSafeEqual } from 'node:crypto';

import { z } from 'zod';

import type { SignedEvent, WebhookHeaders } from '../../../ports/paymentProvider.js';
import { eventIdOf, invalidSignature, jsonOf, singleHeader } from '../webhookBody.js';

const HEX_SHA256 = /^[0-9a-f]{64}$/;

/** A signed body is kept whatever it contains: unreadable ones are inspected, not lost. */
const HEAD = z.object({
  event: z.string().max(100).catch('unreadable'),
  created_at: z.number().int().positive().max(100_000_000_000).nullable().catch(null),
});

/**
 * Checks Razorpay's signature: hex HMAC-SHA256 over the raw body, by any of the secrets.
 *
 * @throws INVALID_SIGNATURE
 */
export function verifyRazorpay(rawBody: Buffer, headers: WebhookHeaders, secrets: readonly string[]): SignedEvent {
  const given = singleHeader(headers['x-razorpay-signature']);
  if (rawBody.length === 0 || given === null || !HEX_SHA256.test(given)) throw invalidSignature();
  const signature = Buffer.from(given, 'hex');
  // Compare with all secrets, so that the time does not reveal which one matched.
  const fits = secrets.map((secret) => timingSafeEqual(signature, hmac(rawBody, secret)));
  if (!fits.includes(true)) throw invalidSignature();

  const head = HEAD.catch({ event: 'unreadable', created_at: null }).parse(jsonOf(rawBody));
  return {
    eventId: eventIdOf(singleHeader(headers['x-razorpay-event-id']), rawBody),
    type: head.event,
    createdAt: head.created_at === null ? new Date() : new Date(head.created_at * 1000),
  };
}

/** The value of `X-Razorpay-Signature`. */
export function signRazorpay(rawBody: Buffer | string, secret: string): string {
  return hmac(rawBody, secret).toString('hex');
}

function hmac(rawBody: Buffer | string, secret: string): Buffer {
  return createHmac('sha256', secret).update(rawBody).digest();
}
