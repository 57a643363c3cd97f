import { isUtf8 } from 'node:buffer';

import Stripe from 'stripe';
import { z } from 'zod';

import type { SignedEvent, WebhookHeaders } from '../../../ports/paymentProvider.js';
import { eventIdOf, invalidSignature, singleHeader } from '../webhookBody.js';

const TOLERANCE_SECONDS = 300;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const TIMESTAMP = /(?:^|,)t=(\d{1,12})(?:,|$)/;

const HEAD = z.object({
  id: z.string().nullable().catch(null),
  type: z.string().max(100).catch('unreadable'),
  created: z.number().int().positive().max(100_000_000_000).nullable().catch(null),
});

/**
 * Checks Stripe's signature by any of the secrets, and that it was made within five minutes of now, before or after.
 *
 * @param nowMs the machine's clock, because Stripe dates signatures by real time
 * @throws INVALID_SIGNATURE
 */
export function verifyStripe(
  rawBody: Buffer,
  headers: WebhookHeaders,
  secrets: readonly string[],
  nowMs: number = Date.now(),
): SignedEvent {
  const header = singleHeader(headers['stripe-signature']);
  if (header === null || !isPlainText(rawBody) || isFromTheFuture(header, nowMs)) throw invalidSignature();
  const events = secrets.flatMap((secret) => signedEvent(rawBody, header, secret, nowMs));
  const [event] = events;
  if (event === undefined) throw invalidSignature();

  const head = HEAD.parse(event);
  return {
    eventId: eventIdOf(head.id, rawBody),
    type: head.type,
    createdAt: head.created === null ? new Date() : new Date(head.created * 1000),
  };
}

function signedEvent(rawBody: Buffer, header: string, secret: string, nowMs: number): unknown[] {
  try {
    return [Stripe.webhooks.constructEvent(rawBody, header, secret, TOLERANCE_SECONDS, undefined, nowMs)];
  } catch {
    return [];
  }
}

/**
 * The SDK signs text, not bytes: a body with a byte order mark or broken UTF-8 would pass for the one that Stripe sent.
 */
function isPlainText(rawBody: Buffer): boolean {
  return rawBody.length > 0 && isUtf8(rawBody) && !rawBody.subarray(0, 3).equals(BYTE_ORDER_MARK);
}

/** The SDK refuses old timestamps but accepts future ones, which could be replayed for as long as they are ahead. */
function isFromTheFuture(header: string, nowMs: number): boolean {
  const timestamp = Number(TIMESTAMP.exec(header)?.[1] ?? Number.NaN);
  return !(timestamp - Math.floor(nowMs / 1000) <= TOLERANCE_SECONDS);
}

/** The value of `Stripe-Signature`, made at `atSeconds` of the machine's clock. */
export function signStripe(payload: string, secret: string, atSeconds = Math.floor(Date.now() / 1000)): string {
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: atSeconds });
}
