import Stripe from 'stripe';

import { sandboxId } from './ids.js';
import { epochSecondsOf, required, type EventPayload, type EventSubject } from './snapshots.js';
import { disputeObject, refundObject, sessionObject } from './stripeObjects.js';

export const STRIPE_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
] as const;

export type StripeEventType = (typeof STRIPE_EVENTS)[number];

export interface StripeEventOptions {
  readonly eventId?: string;
  /** For `checkout.session.completed`: whether the money has arrived. Default true. */
  readonly paid?: boolean;
  /** For `charge.dispute.closed`: the outcome. */
  readonly outcome?: 'won' | 'lost';
}

/** A Stripe event with every field that its SDK type requires. */
export function stripeEvent(
  type: StripeEventType,
  subject: EventSubject,
  at: Date,
  options: StripeEventOptions = {},
): EventPayload {
  const eventId = options.eventId ?? sandboxId('evt');
  const body = {
    id: eventId,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: epochSecondsOf(at),
    data: { object: objectOf(type, subject, options) },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  };
  // Indented, as Stripe sends it: code that verifies a parsed and re-serialized body fails.
  return { eventId, type, body: JSON.stringify(body, null, 2) };
}

function objectOf(type: StripeEventType, subject: EventSubject, options: StripeEventOptions): object {
  switch (type) {
    case 'checkout.session.completed':
      return sessionObject(subject, options.paid ?? true);
    case 'checkout.session.async_payment_succeeded':
      return sessionObject(subject, true);
    case 'checkout.session.async_payment_failed':
      return sessionObject(subject, false);
    case 'refund.created':
      return refundObject(subject, required(subject.refund, 'refund'), 'pending');
    case 'refund.updated':
      return refundObject(subject, required(subject.refund, 'refund'), 'succeeded');
    case 'refund.failed':
      return refundObject(subject, required(subject.refund, 'refund'), 'failed');
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn':
      return disputeObject(subject, required(subject.dispute, 'dispute'), 'needs_response');
    case 'charge.dispute.updated':
      return disputeObject(subject, required(subject.dispute, 'dispute'), 'under_review');
    case 'charge.dispute.funds_reinstated':
      return disputeObject(subject, required(subject.dispute, 'dispute'), 'won');
    case 'charge.dispute.closed':
      return disputeObject(subject, required(subject.dispute, 'dispute'), options.outcome ?? 'won');
  }
}
