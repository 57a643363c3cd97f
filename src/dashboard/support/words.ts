import type {
  AdjustmentStatus,
  PaymentProviderName,
  SuspenseStatus,
  TopUpDisputeState,
  TopUpRefundState,
  TopUpStatus,
  WebhookStatus,
} from '../generated/graphql.js';

/** A label for a state, and the color of its badge. */
export interface Look {
  readonly label: string;
  readonly color: string;
}

export const WEBHOOK: Record<WebhookStatus, Look> = {
  PENDING: { label: 'Pending', color: 'blue' },
  WAITING: { label: 'Waiting', color: 'yellow' },
  DONE: { label: 'Done', color: 'teal' },
  IGNORED: { label: 'Ignored', color: 'gray' },
  SUSPENSE: { label: 'Suspense', color: 'orange' },
  FAILED: { label: 'Failed', color: 'red' },
};

export const ADJUSTMENT: Record<AdjustmentStatus, Look> = {
  PENDING: { label: 'Waiting', color: 'yellow' },
  APPROVED: { label: 'Approved', color: 'teal' },
  REFUSED: { label: 'Refused', color: 'red' },
  EXPIRED: { label: 'Expired', color: 'gray' },
};

export const SUSPENSE: Record<SuspenseStatus, Look> = {
  OPEN: { label: 'Open', color: 'yellow' },
  RESOLVED: { label: 'Resolved', color: 'teal' },
  REFUNDED: { label: 'Refunded', color: 'gray' },
};

export const TOP_UP: Record<TopUpStatus, Look> = {
  OPENING: { label: 'Opening', color: 'blue' },
  OPEN: { label: 'Not paid yet', color: 'gray' },
  PAID: { label: 'Credited', color: 'teal' },
  EXPIRED: { label: 'Expired', color: 'gray' },
};

export const REFUND: Record<TopUpRefundState, Look> = {
  REQUESTED: { label: 'asked for', color: 'blue' },
  PENDING: { label: 'with the provider', color: 'yellow' },
  PROCESSED: { label: 'refunded', color: 'teal' },
  FAILED: { label: 'failed', color: 'red' },
  REFUSED: { label: 'refused', color: 'red' },
};

export const DISPUTE: Record<TopUpDisputeState, Look> = {
  OPEN: { label: 'disputed', color: 'orange' },
  WON: { label: 'dispute won', color: 'teal' },
  LOST: { label: 'dispute lost', color: 'red' },
};

export const PROVIDER: Record<PaymentProviderName, string> = { RAZORPAY: 'Razorpay', STRIPE: 'Stripe' };

const ACTION: Readonly<Record<string, string>> = {
  'account.suspend': 'Suspended the account',
  'account.resume': 'Resumed the account',
  'alert.resolve': 'Resolved an alert',
  'api_key.propose_daily_quota': 'Asked for a daily quota',
  'api_key.refuse_daily_quota': 'Refused a daily quota',
  'api_key.set_daily_quota': 'Set a daily quota',
  'payment.propose_refund': 'Asked for a refund',
  'payment.refund': 'Refunded a payment',
  'payment.refuse_refund': 'Refused a refund',
  'payment.replay_webhook': 'Replayed a webhook',
  'payment.resolve_suspense': 'Resolved a suspense item',
  'user.promote': 'Changed a role',
  'video.retry': 'Retried a video',
  'wallet.adjust': 'Adjusted the wallet',
  'wallet.propose_adjustment': 'Asked for an adjustment',
  'wallet.refuse_adjustment': 'Refused an adjustment',
};

/** The text for an action of the audit trail such as "api_key.set_daily_quota"; an unknown name stays as it is. */
export function showAction(action: string): string {
  return ACTION[action] ?? action;
}

/** The action families to filter the audit log by. */
export const ACTION_FAMILIES: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: 'Everything' },
  { value: 'api_key', label: 'Quotas' },
  { value: 'wallet', label: 'Adjustments' },
  { value: 'account', label: 'Suspensions' },
  { value: 'payment', label: 'Payments' },
  { value: 'video', label: 'Videos' },
  { value: 'alert', label: 'Alerts' },
  { value: 'user', label: 'Roles' },
];

/** "499.50 INR"; the amount is already exact text. */
export function showMoney(amount: string, currency: string): string {
  return `${amount} ${currency}`;
}

/** Formats minor units, as providers send them: "49950" INR is "499.50 INR". */
export function showMinor(amountMinor: string, currency: string): string {
  const digits = amountMinor.padStart(3, '0');
  return showMoney(`${digits.slice(0, -2)}.${digits.slice(-2)}`, currency);
}
