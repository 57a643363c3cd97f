import type { ProviderName } from '../../../ports/paymentProvider.js';
import { razorpayEvent, stripeEvent, type EventPayload, type EventSubject } from './payloads/index.js';

/** The events that each provider sends when something happens to a payment, in the provider's order. */

export function paidEvents(provider: ProviderName, subject: EventSubject, at: Date): EventPayload[] {
  if (provider === 'stripe') return [stripeEvent('checkout.session.completed', subject, at)];
  return [
    razorpayEvent('payment.authorized', subject, at),
    razorpayEvent('payment.captured', subject, at),
    razorpayEvent('order.paid', subject, at),
  ];
}

export function authorizedEvents(provider: ProviderName, subject: EventSubject, at: Date): EventPayload[] {
  // Stripe does this for slow payment methods: the session is completed while the money is still on its way.
  if (provider === 'stripe') return [stripeEvent('checkout.session.completed', subject, at, { paid: false })];
  return [razorpayEvent('payment.authorized', subject, at)];
}

export function capturedEvents(provider: ProviderName, subject: EventSubject, at: Date): EventPayload[] {
  if (provider === 'stripe') return [stripeEvent('checkout.session.async_payment_succeeded', subject, at)];
  return [razorpayEvent('payment.captured', subject, at), razorpayEvent('order.paid', subject, at)];
}

export function failedEvents(provider: ProviderName, subject: EventSubject, at: Date): EventPayload[] {
  if (provider === 'stripe') {
    return [
      stripeEvent('checkout.session.completed', subject, at, { paid: false }),
      stripeEvent('checkout.session.async_payment_failed', subject, at),
    ];
  }
  return [razorpayEvent('payment.failed', subject, at)];
}

export function refundEvents(
  provider: ProviderName,
  subject: EventSubject,
  succeeds: boolean,
  at: Date,
): EventPayload[] {
  if (provider === 'stripe') {
    return [
      stripeEvent('refund.created', subject, at),
      stripeEvent(succeeds ? 'refund.updated' : 'refund.failed', subject, at),
    ];
  }
  return [
    razorpayEvent('refund.created', subject, at),
    razorpayEvent(succeeds ? 'refund.processed' : 'refund.failed', subject, at),
  ];
}

export function disputeEvents(provider: ProviderName, subject: EventSubject, at: Date): EventPayload[] {
  if (provider === 'stripe') {
    return [
      stripeEvent('charge.dispute.created', subject, at),
      stripeEvent('charge.dispute.funds_withdrawn', subject, at),
    ];
  }
  return [razorpayEvent('payment.dispute.created', subject, at)];
}

export function closedDisputeEvents(
  provider: ProviderName,
  subject: EventSubject,
  outcome: 'won' | 'lost',
  at: Date,
): EventPayload[] {
  if (provider === 'razorpay') {
    return [razorpayEvent(outcome === 'won' ? 'payment.dispute.won' : 'payment.dispute.lost', subject, at)];
  }
  const closed = stripeEvent('charge.dispute.closed', subject, at, { outcome });
  return outcome === 'lost' ? [closed] : [closed, stripeEvent('charge.dispute.funds_reinstated', subject, at)];
}
