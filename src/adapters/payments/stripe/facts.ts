import { z } from 'zod';

import type { PaymentFact, RefundState } from '../../../ports/paymentProvider.js';
import { payersOf } from '../payers.js';
import { currencyCode, epochSeconds, minorAmount, readBody } from '../webhookBody.js';

/** An id, or the expanded object in its place. */
const reference = z.union([z.string().min(1), z.object({ id: z.string().min(1) }).transform(({ id }) => id)]);
const metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((map): Record<string, string> => map ?? {});

const session = z.object({ id: z.string().min(1), payment_status: z.string(), payment_intent: reference.nullable() });
const paidSession = session.extend({
  payment_intent: reference,
  amount_total: minorAmount,
  currency: currencyCode,
  client_reference_id: z.string().nullish(),
  metadata,
  customer_details: z.object({ email: z.string().nullish(), phone: z.string().nullish() }).nullish(),
});
const refund = z.object({
  id: z.string().min(1),
  payment_intent: reference.nullish(),
  amount: minorAmount,
  currency: currencyCode,
  status: z.string().nullable(),
  created: epochSeconds,
  metadata,
});
const dispute = z.object({
  id: z.string().min(1),
  payment_intent: reference.nullish(),
  amount: minorAmount,
  currency: currencyCode,
  status: z.string(),
  created: epochSeconds,
});

/** `{created, data: {object}}` with one kind of object. */
function eventOf<Schema extends z.ZodType>(object: Schema) {
  return z.object({ created: epochSeconds, data: z.object({ object }) });
}

/** Translates a Stripe event. @throws Error if a relevant event is not as documented */
export function stripeFacts(rawBody: Buffer): PaymentFact[] {
  const { type } = readBody(rawBody, z.object({ type: z.string() }));
  switch (type) {
    case 'checkout.session.completed':
      return completedFacts(rawBody);
    case 'checkout.session.async_payment_succeeded':
      return [captureFact(rawBody)];
    case 'checkout.session.async_payment_failed':
      return sightFacts('failed', rawBody);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return refundFacts(rawBody);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed':
      return disputeFacts(rawBody, type);
    default:
      return [];
  }
}

/** A completed session is paid, or waits for a slow payment method. Then it is only recorded as seen. */
function completedFacts(rawBody: Buffer): PaymentFact[] {
  const { object } = readBody(rawBody, eventOf(session)).data;
  if (object.payment_status === 'paid') return [captureFact(rawBody)];
  return object.payment_status === 'unpaid' ? sightFacts('authorized', rawBody) : [];
}

function sightFacts(kind: 'authorized' | 'failed', rawBody: Buffer): PaymentFact[] {
  const { created: at, data } = readBody(rawBody, eventOf(session));
  const { payment_intent: paymentId, id: orderId } = data.object;
  return paymentId === null ? [] : [{ kind, paymentId, orderId, at }];
}

function captureFact(rawBody: Buffer): PaymentFact {
  const { created, data } = readBody(rawBody, eventOf(paidSession));
  const { object } = data;
  return {
    kind: 'captured',
    paymentId: object.payment_intent,
    orderId: object.id,
    amountMinor: object.amount_total,
    currency: object.currency,
    capturedAt: created,
    accountId: object.metadata['account_id'] ?? null,
    topUpId: object.metadata['topup_id'] ?? object.client_reference_id ?? null,
    payers: payersOf({ email: object.customer_details?.email, phone: object.customer_details?.phone }),
  };
}

/** Our refunds always belong to a payment intent: one without is somebody else's. */
function refundFacts(rawBody: Buffer): PaymentFact[] {
  const { object } = readBody(rawBody, eventOf(refund)).data;
  if (!object.payment_intent) return [];
  return [
    {
      kind: 'refund',
      refundId: object.id,
      paymentId: object.payment_intent,
      amountMinor: object.amount,
      currency: object.currency,
      state: stripeRefundState(object.status),
      createdAt: object.created,
      requestKey: object.metadata['request_key'] ?? null,
    },
  ];
}

/** Translates Stripe's refund status. */
export function stripeRefundState(status: string | null): RefundState {
  if (status === 'succeeded') return 'processed';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}

function disputeFacts(rawBody: Buffer, type: string): PaymentFact[] {
  const { object } = readBody(rawBody, eventOf(dispute)).data;
  if (!object.payment_intent) return [];
  const state = disputeState(object.status, type === 'charge.dispute.closed');
  return [
    {
      kind: 'dispute',
      disputeId: object.id,
      paymentId: object.payment_intent,
      amountMinor: object.amount,
      currency: object.currency,
      state,
      lostMinor: state === 'lost' ? object.amount : null,
      isReturned: state === 'won' || type === 'charge.dispute.funds_reinstated',
      createdAt: object.created,
    },
  ];
}

/** A closed warning, or a prevented dispute, took no money: that counts as won. */
function disputeState(status: string, closed: boolean): 'open' | 'won' | 'lost' {
  if (status === 'lost') return 'lost';
  return closed || status === 'won' || status === 'warning_closed' ? 'won' : 'open';
}
