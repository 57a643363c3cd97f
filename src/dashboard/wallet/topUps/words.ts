import type {
  PaymentProviderName,
  TopUpDisputeState,
  TopUpRefundState,
  TopUpRowFragment,
  TopUpStatus,
} from '../../generated/graphql.js';
import type { StateKind } from '../StateTag.js';

export const PROVIDER: Record<PaymentProviderName, { readonly label: string; readonly ways: string }> = {
  RAZORPAY: { label: 'Razorpay', ways: 'UPI, cards and net banking in India' },
  STRIPE: { label: 'Stripe', ways: 'Cards from anywhere' },
};

interface StatusWords {
  readonly label: string;
  readonly kind: StateKind;
}

const STATUS: Record<TopUpStatus, StatusWords> = {
  OPENING: { label: 'Being opened', kind: 'plain' },
  OPEN: { label: 'Not paid yet', kind: 'open' },
  PAID: { label: 'Credited', kind: 'good' },
  EXPIRED: { label: 'Expired', kind: 'plain' },
};

export const REFUND: Record<TopUpRefundState, StatusWords & { readonly why: string }> = {
  REQUESTED: { label: 'Asked for', kind: 'open', why: 'The provider is being asked. The credits are held.' },
  PENDING: { label: 'Under way', kind: 'open', why: 'The provider has it. Banks take a few working days.' },
  PROCESSED: { label: 'Refunded', kind: 'good', why: 'The money is on its way to the payer.' },
  FAILED: { label: 'Failed', kind: 'bad', why: 'The provider could not pay it back. The credits are back in Master.' },
  REFUSED: { label: 'Refused', kind: 'bad', why: 'The provider refused it. The credits are back in Master.' },
};

export const DISPUTE: Record<TopUpDisputeState, StatusWords & { readonly why: string }> = {
  OPEN: { label: 'Open', kind: 'bad', why: 'The payer’s bank decides. Until then the amount is held.' },
  WON: { label: 'Turned down', kind: 'good', why: 'The bank decided for you. What was held is back.' },
  LOST: { label: 'Lost', kind: 'bad', why: 'The bank gave the money back to the payer.' },
};

/** One word or two for how a top-up stands, what came after it included. */
export function statusOf({
  status,
  refunds,
  disputes,
  refundableAmount,
  webhookMissingSince,
}: TopUpRowFragment): StatusWords {
  if (status !== 'PAID') {
    return webhookMissingSince ? { label: 'Paid, waiting for word', kind: 'open' } : STATUS[status];
  }
  if (disputes.some(({ state }) => state === 'OPEN')) return { label: 'Disputed', kind: 'bad' };
  if (disputes.some(({ state }) => state === 'LOST')) return { label: 'Dispute lost', kind: 'bad' };
  if (refunds.some(({ state }) => state === 'REQUESTED' || state === 'PENDING')) {
    return { label: 'Refund under way', kind: 'open' };
  }
  if (refunds.some(({ state }) => state === 'PROCESSED')) {
    return { label: Number(refundableAmount) === 0 ? 'Refunded' : 'Partly refunded', kind: 'plain' };
  }
  return STATUS.PAID;
}
