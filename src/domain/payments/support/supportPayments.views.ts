import type { ProviderName } from '../../../ports/paymentProvider.js';

export type WebhookStatus = 'pending' | 'done' | 'waiting' | 'ignored' | 'suspense' | 'failed';

/** A signed webhook as staff see it. */
export interface WebhookEvent {
  readonly id: string;
  readonly provider: ProviderName;
  /** The provider's id of the event. */
  readonly eventId: string;
  readonly type: string;
  readonly providerCreatedAt: Date;
  readonly receivedAt: Date;
  readonly status: WebhookStatus;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly nextAttemptAt: Date | null;
  readonly accountId: string | null;
  readonly paymentId: string | null;
  readonly outcome: string | null;
  readonly processedAt: Date | null;
  /** Its position in the list. */
  readonly cursor: string;
}

export interface WebhookRow {
  id: string;
  provider: ProviderName;
  event_id: string;
  type: string;
  provider_created_at: string;
  received_at: string;
  status: WebhookStatus;
  attempts: number;
  last_error: string | null;
  next_attempt_at: string | null;
  account_id: string | null;
  payment_id: string | null;
  outcome: string | null;
  processed_at: string | null;
}

/** Money that came in and was not credited. `accountId` is the nil UUID if the owner is unknown. */
export interface SuspenseItem {
  readonly accountId: string;
  readonly id: string;
  readonly provider: ProviderName;
  readonly paymentId: string;
  readonly topUpId: string | null;
  readonly orderId: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The amount in SUSPENSE; `null` if the currency has no rate, so that nothing was posted. */
  readonly amountMicros: bigint | null;
  readonly reason: string;
  readonly status: 'open' | 'refunded' | 'resolved';
  readonly resolution: string | null;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
  readonly cursor: string;
}

export interface SuspenseRow {
  account_id: string;
  id: string;
  provider: ProviderName;
  payment_id: string;
  topup_id: string | null;
  order_id: string | null;
  amount_minor: string;
  currency: string;
  amount_micros: string | null;
  reason: string;
  status: 'open' | 'refunded' | 'resolved';
  resolution: string | null;
  created_at: string;
  resolved_at: string | null;
}

export function webhookEventOf(row: WebhookRow): WebhookEvent {
  return {
    id: row.id,
    provider: row.provider,
    eventId: row.event_id,
    type: row.type,
    providerCreatedAt: new Date(row.provider_created_at),
    receivedAt: new Date(row.received_at),
    status: row.status,
    attempts: row.attempts,
    lastError: row.last_error,
    nextAttemptAt: dateOf(row.next_attempt_at),
    accountId: row.account_id,
    paymentId: row.payment_id,
    outcome: row.outcome,
    processedAt: dateOf(row.processed_at),
    cursor: row.id,
  };
}

export function suspenseItemOf(row: SuspenseRow): SuspenseItem {
  return {
    accountId: row.account_id,
    id: row.id,
    provider: row.provider,
    paymentId: row.payment_id,
    topUpId: row.topup_id,
    orderId: row.order_id,
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    amountMicros: row.amount_micros === null ? null : BigInt(row.amount_micros),
    reason: row.reason,
    status: row.status,
    resolution: row.resolution,
    createdAt: new Date(row.created_at),
    resolvedAt: dateOf(row.resolved_at),
    cursor: row.id,
  };
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
