import { razorpayEventId } from './ids.js';
import { disputeEntity, paidOrderEntity, paymentEntity, refundEntity } from './razorpayEntities.js';
import { epochSecondsOf, required, type EventPayload, type EventSubject } from './snapshots.js';

export const RAZORPAY_EVENTS = [
  'payment.authorized',
  'payment.failed',
  'payment.captured',
  'order.paid',
  'refund.created',
  'refund.processed',
  'refund.failed',
  'payment.dispute.created',
  'payment.dispute.under_review',
  'payment.dispute.action_required',
  'payment.dispute.won',
  'payment.dispute.lost',
  'payment.dispute.closed',
] as const;

export type RazorpayEventType = (typeof RAZORPAY_EVENTS)[number];

const DISPUTE_STATUS = {
  'payment.dispute.created': 'open',
  'payment.dispute.under_review': 'under_review',
  'payment.dispute.action_required': 'open',
  'payment.dispute.won': 'won',
  'payment.dispute.lost': 'lost',
  'payment.dispute.closed': 'closed',
} as const;

/** A Razorpay event with every field of its documented sample. */
export function razorpayEvent(
  type: RazorpayEventType,
  subject: EventSubject,
  at: Date,
  eventId: string = razorpayEventId(),
): EventPayload {
  const payload = payloadOf(type, subject);
  const body = {
    entity: 'event',
    account_id: 'acc_SandboxDhara00',
    event: type,
    contains: Object.keys(payload),
    payload: Object.fromEntries(Object.entries(payload).map(([name, entity]) => [name, { entity }])),
    created_at: epochSecondsOf(at),
  };
  return { eventId, type, body: JSON.stringify(body) };
}

function payloadOf(type: RazorpayEventType, subject: EventSubject): Record<string, unknown> {
  switch (type) {
    case 'payment.authorized':
      return { payment: paymentEntity(subject, { status: 'authorized', shape: 'payment' }) };
    case 'payment.failed':
      return { payment: paymentEntity(subject, { status: 'failed', shape: 'payment' }) };
    case 'payment.captured':
      return { payment: paymentEntity(subject, { status: 'captured', shape: 'payment' }) };
    case 'order.paid':
      return {
        payment: paymentEntity(subject, { status: 'captured', shape: 'order' }),
        order: paidOrderEntity(subject),
      };
    case 'refund.created':
    case 'refund.processed':
    case 'refund.failed':
      return {
        refund: refundEntity(
          subject,
          required(subject.refund, 'refund'),
          type === 'refund.failed' ? 'failed' : 'processed',
        ),
        payment: paymentEntity(subject, { status: 'captured', shape: 'refund' }),
      };
    case 'payment.dispute.created':
    case 'payment.dispute.under_review':
    case 'payment.dispute.action_required':
    case 'payment.dispute.won':
    case 'payment.dispute.lost':
    case 'payment.dispute.closed':
      return {
        payment: paymentEntity(subject, { status: 'captured', shape: 'dispute' }),
        dispute: disputeEntity(subject, required(subject.dispute, 'dispute'), DISPUTE_STATUS[type]),
      };
  }
}
