import { z } from 'zod';

import type { PaymentFact } from '../../../ports/paymentProvider.js';
import { payersOf } from '../payers.js';
import { currencyCode, epochSeconds, minorAmount, readBody } from '../webhookBody.js';

/** Razorpay writes an empty map as an empty list. */
const notes = z
  .union([z.record(z.string(), z.unknown()), z.array(z.unknown()).transform((): Record<string, unknown> => ({}))])
  .nullish()
  .transform((map): Record<string, unknown> => map ?? {});

const payment = z.object({
  id: z.string().min(1),
  amount: minorAmount,
  currency: currencyCode,
  order_id: z.string().nullish(),
  email: z.string().nullish(),
  contact: z.string().nullish(),
  vpa: z.string().nullish(),
  upi: z.object({ vpa: z.string().nullish() }).nullish(),
  card_id: z.string().nullish(),
  notes,
});
type Payment = z.output<typeof payment>;

const order = z.object({ id: z.string().min(1), notes });
const refund = z.object({
  id: z.string().min(1),
  payment_id: z.string().min(1),
  amount: minorAmount,
  currency: currencyCode,
  created_at: epochSeconds,
  notes,
});
const dispute = z.object({
  id: z.string().min(1),
  payment_id: z.string().min(1),
  amount: minorAmount,
  currency: currencyCode,
  amount_deducted: minorAmount.nullish(),
  created_at: epochSeconds,
});

const seen = z.object({
  created_at: epochSeconds,
  payload: z.object({
    payment: z.object({ entity: z.object({ id: z.string().min(1), order_id: z.string().nullish() }) }),
  }),
});
const captured = z.object({
  created_at: epochSeconds,
  payload: z.object({ payment: z.object({ entity: payment }), order: z.object({ entity: order }).optional() }),
});
const refunded = z.object({ payload: z.object({ refund: z.object({ entity: refund }) }) });
const disputed = z.object({ payload: z.object({ dispute: z.object({ entity: dispute }) }) });

/** Translates a Razorpay event. @throws Error if a relevant event is not as documented */
export function razorpayFacts(rawBody: Buffer): PaymentFact[] {
  const { event } = readBody(rawBody, z.object({ event: z.string() }));
  switch (event) {
    case 'payment.authorized':
      return [sightFact('authorized', rawBody)];
    case 'payment.failed':
      return [sightFact('failed', rawBody)];
    case 'payment.captured':
    case 'order.paid':
      return [captureFact(rawBody)];
    case 'refund.created':
      return [refundFact('pending', rawBody)];
    case 'refund.processed':
      return [refundFact('processed', rawBody)];
    case 'refund.failed':
      return [refundFact('failed', rawBody)];
    case 'payment.dispute.created':
    case 'payment.dispute.under_review':
    case 'payment.dispute.action_required':
    case 'payment.dispute.won':
    case 'payment.dispute.lost':
    case 'payment.dispute.closed':
      return [disputeFact(event, rawBody)];
    default:
      return [];
  }
}

function sightFact(kind: 'authorized' | 'failed', rawBody: Buffer): PaymentFact {
  const { created_at: at, payload } = readBody(rawBody, seen);
  const { entity } = payload.payment;
  return { kind, paymentId: entity.id, orderId: entity.order_id ?? null, at };
}

function captureFact(rawBody: Buffer): PaymentFact {
  const { created_at: capturedAt, payload } = readBody(rawBody, captured);
  const { entity } = payload.payment;
  // The order's notes are what we wrote on it; a payment's notes come from the payer's browser.
  const ours = { ...entity.notes, ...payload.order?.entity.notes };
  return {
    kind: 'captured',
    paymentId: entity.id,
    orderId: payload.order?.entity.id ?? entity.order_id ?? null,
    amountMinor: entity.amount,
    currency: entity.currency,
    capturedAt,
    accountId: textOf(ours['accountId']),
    topUpId: textOf(ours['topUpId']),
    payers: payersOfPayment(entity),
  };
}

function payersOfPayment(entity: Payment): string[] {
  return payersOf({
    email: entity.email,
    phone: entity.contact,
    vpa: entity.vpa ?? entity.upi?.vpa,
    cardId: entity.card_id,
  });
}

/** The state comes from the event's name: a `refund.created` already says "processed" before the refund is. */
function refundFact(state: 'pending' | 'processed' | 'failed', rawBody: Buffer): PaymentFact {
  const { entity } = readBody(rawBody, refunded).payload.refund;
  return {
    kind: 'refund',
    refundId: entity.id,
    paymentId: entity.payment_id,
    amountMinor: entity.amount,
    currency: entity.currency,
    state,
    createdAt: entity.created_at,
    requestKey: textOf(entity.notes['requestKey']),
  };
}

function disputeFact(event: string, rawBody: Buffer): PaymentFact {
  const { entity } = readBody(rawBody, disputed).payload.dispute;
  const deductedMinor = entity.amount_deducted ?? 0n;
  const state = disputeState(event, deductedMinor);
  return {
    kind: 'dispute',
    disputeId: entity.id,
    paymentId: entity.payment_id,
    amountMinor: entity.amount,
    currency: entity.currency,
    state,
    lostMinor: state === 'lost' ? lostMinor(entity.amount, deductedMinor) : null,
    isReturned: state === 'won',
    createdAt: entity.created_at,
  };
}

/** `closed` says neither won nor lost; deducted money means lost. */
function disputeState(event: string, deductedMinor: bigint): 'open' | 'won' | 'lost' {
  if (event === 'payment.dispute.won') return 'won';
  if (event === 'payment.dispute.lost') return 'lost';
  if (event === 'payment.dispute.closed') return deductedMinor > 0n ? 'lost' : 'won';
  return 'open';
}

/** What was deducted, which may be a part; the full amount if that is not stated. */
function lostMinor(amountMinor: bigint, deductedMinor: bigint): bigint {
  return deductedMinor > 0n ? deductedMinor : amountMinor;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
