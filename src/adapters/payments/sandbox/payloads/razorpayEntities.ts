import { derivedDigits, derivedId } from './ids.js';
import { epochSecondsOf, type DisputeSnapshot, type EventSubject, type RefundSnapshot } from './snapshots.js';

/** A number, as in Razorpay's amounts: paise, far below the limit of a double. */
function paise(amountMinor: bigint): number {
  return Number(amountMinor);
}

const NO_ERROR = { error_code: null, error_description: null };
const NO_ERROR_DETAILS = { error_source: null, error_step: null, error_reason: null };
const FAILED = {
  error_code: 'BAD_REQUEST_ERROR',
  error_description: 'Payment failed',
  error_source: 'bank',
  error_step: 'payment_authorization',
  error_reason: 'payment_failed',
};

interface PaymentState {
  readonly status: 'authorized' | 'captured' | 'failed';
  /** Which documented sample to follow: the fields of a payment differ slightly between events. */
  readonly shape: 'payment' | 'order' | 'refund' | 'dispute';
}

/** The payment as one of Razorpay's samples shows it: by UPI, or by card in a dispute. */
export function paymentEntity(subject: EventSubject, { status, shape }: PaymentState): Record<string, unknown> {
  const { order, payment } = subject;
  const captured = status === 'captured';
  const settled = captured && shape !== 'order';
  const byCard = shape === 'dispute';
  const vpa = `${derivedId('payer', payment.payerEmail, 10)}@upi`.toLowerCase();
  const refundedMinor = payment.refundedMinor ?? 0n;
  return {
    id: payment.paymentId,
    entity: 'payment',
    amount: paise(payment.amountMinor),
    currency: order.currency,
    ...(settled ? { base_amount: paise(payment.amountMinor) } : {}),
    status,
    order_id: order.orderId,
    invoice_id: null,
    international: false,
    method: byCard ? 'card' : 'upi',
    amount_refunded: paise(refundedMinor),
    ...(settled ? { amount_transferred: 0 } : {}),
    refund_status: refundStatus(refundedMinor, payment.amountMinor),
    captured,
    description: null,
    card_id: byCard ? derivedId('card', payment.paymentId, 14) : null,
    bank: null,
    wallet: null,
    vpa: byCard ? null : vpa,
    email: payment.payerEmail,
    contact: `+919${derivedDigits(payment.payerEmail, 9)}`,
    notes: { accountId: order.accountId, topUpId: order.topUpId },
    fee: captured ? paise(payment.amountMinor / 50n) : null,
    tax: captured ? 0 : null,
    ...(status === 'failed' ? FAILED : shape === 'order' ? NO_ERROR : { ...NO_ERROR, ...NO_ERROR_DETAILS }),
    ...(shape === 'order' ? {} : { acquirer_data: byCard ? {} : { rrn: derivedDigits(payment.paymentId, 10) } }),
    created_at: epochSecondsOf(payment.createdAt),
    ...(shape === 'payment' ? { upi: { payer_account_type: 'bank_account', vpa, flow: 'intent' } } : {}),
  };
}

function refundStatus(refundedMinor: bigint, amountMinor: bigint): 'partial' | 'full' | null {
  if (refundedMinor === 0n) return null;
  return refundedMinor < amountMinor ? 'partial' : 'full';
}

export function paidOrderEntity({ order }: EventSubject): Record<string, unknown> {
  return {
    id: order.orderId,
    entity: 'order',
    amount: paise(order.amountMinor),
    amount_paid: paise(order.amountMinor),
    amount_due: 0,
    currency: order.currency,
    receipt: order.topUpId,
    offer_id: null,
    status: 'paid',
    attempts: 1,
    notes: { accountId: order.accountId, topUpId: order.topUpId },
    created_at: epochSecondsOf(order.createdAt),
  };
}

export function refundEntity({ order, payment }: EventSubject, refund: RefundSnapshot, status: 'processed' | 'failed') {
  return {
    id: refund.refundId,
    entity: 'refund',
    amount: paise(refund.amountMinor),
    currency: order.currency,
    payment_id: payment.paymentId,
    notes:
      refund.requestKey === null
        ? { comment: 'Refunded in the console.' }
        : { requestKey: refund.requestKey, accountId: order.accountId, topUpId: order.topUpId },
    receipt: null,
    acquirer_data: { arn: null },
    created_at: epochSecondsOf(refund.createdAt),
    batch_id: null,
    status,
    speed_processed: 'normal',
    speed_requested: 'normal',
  };
}

const RESPONSE_SECONDS = 6 * 24 * 3600;
const NO_EVIDENCE = {
  summary: null,
  shipping_proof: null,
  billing_proof: null,
  cancellation_proof: null,
  customer_communication: null,
  proof_of_service: null,
  explanation_letter: null,
  refund_confirmation: null,
  access_activity_log: null,
  refund_cancellation_policy: null,
  term_and_conditions: null,
  others: null,
  submitted_at: null,
};

export function disputeEntity(
  { order, payment }: EventSubject,
  dispute: DisputeSnapshot,
  status: 'open' | 'under_review' | 'won' | 'lost' | 'closed',
) {
  const amount = paise(dispute.amountMinor);
  return {
    id: dispute.disputeId,
    entity: 'dispute',
    payment_id: payment.paymentId,
    amount,
    currency: order.currency,
    amount_deducted: status === 'lost' ? amount : 0,
    reason_code: 'processed_invalid_expired_card',
    respond_by: epochSecondsOf(dispute.createdAt) + RESPONSE_SECONDS,
    status,
    evidence: { amount, ...NO_EVIDENCE },
    phase: 'chargeback',
    created_at: epochSecondsOf(dispute.createdAt),
  };
}
