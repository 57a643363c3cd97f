import { words } from '#words/support.js';
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
  PENDING: { label: words.states.pending, color: 'blue' },
  WAITING: { label: words.states.waiting, color: 'yellow' },
  DONE: { label: words.states.done, color: 'teal' },
  IGNORED: { label: words.states.ignored, color: 'gray' },
  SUSPENSE: { label: words.states.suspense, color: 'orange' },
  FAILED: { label: words.states.failed, color: 'red' },
};

export const ADJUSTMENT: Record<AdjustmentStatus, Look> = {
  PENDING: { label: words.states.pending, color: 'yellow' },
  APPROVED: { label: words.states.approved, color: 'teal' },
  REFUSED: { label: words.states.refused, color: 'red' },
  EXPIRED: { label: words.states.expired, color: 'gray' },
};

export const SUSPENSE: Record<SuspenseStatus, Look> = {
  OPEN: { label: words.states.open, color: 'yellow' },
  RESOLVED: { label: words.states.resolved, color: 'teal' },
  REFUNDED: { label: words.states.refunded, color: 'gray' },
};

export const TOP_UP: Record<TopUpStatus, Look> = {
  OPENING: { label: words.states.opening, color: 'blue' },
  OPEN: { label: words.states.notPaidYet, color: 'gray' },
  PAID: { label: words.states.credited, color: 'teal' },
  EXPIRED: { label: words.states.expired, color: 'gray' },
};

export const REFUND: Record<TopUpRefundState, Look> = {
  REQUESTED: { label: words.states.refundRequested, color: 'blue' },
  PENDING: { label: words.states.refundWithProvider, color: 'yellow' },
  PROCESSED: { label: words.states.refundDone, color: 'teal' },
  FAILED: { label: words.states.refundFailed, color: 'red' },
  REFUSED: { label: words.states.refundRefused, color: 'red' },
};

export const DISPUTE: Record<TopUpDisputeState, Look> = {
  OPEN: { label: words.states.disputed, color: 'orange' },
  WON: { label: words.states.disputeWon, color: 'teal' },
  LOST: { label: words.states.disputeLost, color: 'red' },
};

export const PROVIDER: Record<PaymentProviderName, string> = {
  RAZORPAY: words.states.razorpay,
  STRIPE: words.states.stripe,
};

const ACTION: Readonly<Record<string, string>> = {
  'account.add_note': words.states.addedNote,
  'account.delete_note': words.states.deletedNote,
  'account.edit_note': words.states.editedNote,
  'account.end_view': words.states.endedView,
  'account.view': words.states.viewedAsOwner,
  'account.suspend': words.states.suspendedAccount,
  'account.resume': words.states.resumedAccount,
  'alert.resolve': words.states.resolvedAlert,
  'api_key.propose_daily_quota': words.states.requestedDailyQuota,
  'api_key.refuse_daily_quota': words.states.refusedDailyQuota,
  'api_key.set_daily_quota': words.states.setDailyQuota,
  'payment.propose_refund': words.states.requestedRefund,
  'payment.refund': words.states.refundedPayment,
  'payment.refuse_refund': words.states.refusedRefund,
  'payment.replay_webhook': words.states.replayedWebhook,
  'payment.resolve_suspense': words.states.resolvedSuspenseItem,
  'playback.explain': words.states.explainedPlayback,
  'user.promote': words.states.changedRole,
  'video.retry': words.states.retriedVideo,
  'webhook_endpoint.create': words.states.addedEndpoint,
  'webhook_endpoint.delete': words.states.deletedEndpoint,
  'webhook_endpoint.disable': words.states.disabledEndpoint,
  'webhook_endpoint.enable': words.states.enabledEndpoint,
  'webhook_endpoint.replay': words.states.replayedEvents,
  'webhook_endpoint.rotate_secret': words.states.rotatedSecret,
  'webhook_endpoint.update': words.states.changedEndpoint,
  'wallet.adjust': words.states.adjustedWallet,
  'wallet.propose_adjustment': words.states.requestedAdjustment,
  'wallet.refuse_adjustment': words.states.refusedAdjustment,
};

/** The text for an action of the audit trail such as "api_key.set_daily_quota"; an unknown name stays as it is. */
export function showAction(action: string): string {
  return ACTION[action] ?? action;
}

/** The action families to filter the audit trail by. */
export const ACTION_FAMILIES: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: words.states.allActions },
  { value: 'api_key', label: words.states.quotas },
  { value: 'wallet', label: words.states.adjustments },
  { value: 'account', label: words.states.accounts },
  { value: 'payment', label: words.states.payments },
  { value: 'video', label: words.states.videos },
  { value: 'alert', label: words.states.alerts },
  { value: 'user', label: words.states.roles },
  { value: 'webhook_endpoint', label: words.states.webhookEndpoints },
  { value: 'playback', label: words.states.explanations },
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
