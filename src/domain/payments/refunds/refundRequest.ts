import type { ProviderName } from '../../../ports/paymentProvider.js';
import type { RequestStatus } from '../settlement/evaluate.js';

/** A refund that we request from the provider. Its webhook posts it. */
export interface RefundRequest {
  readonly accountId: string;
  readonly id: string;
  readonly topUpId: string;
  readonly provider: ProviderName;
  readonly paymentId: string;
  readonly amountMinor: bigint;
  readonly amountMicros: bigint;
  /** What REFUND_HOLD contains for it: the whole amount if the owner requested it, nothing if staff did. */
  readonly heldMicros: bigint;
  /** The staff member, if staff requested it. */
  readonly actorId: string | null;
  readonly status: RequestStatus;
  /** The provider's refund id, once it has answered. */
  readonly refundId: string | null;
  /** Why it was refused, or why it still waits. */
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
}

export interface RefundRequestRow {
  account_id: string;
  id: string;
  topup_id: string;
  provider: ProviderName;
  payment_id: string;
  amount_minor: string;
  amount_micros: string;
  held_micros: string;
  actor_id: string | null;
  status: RequestStatus;
  refund_id: string | null;
  last_error: string | null;
  created_at: string;
  resolved_at: string | null;
}

export function refundRequestOf(row: RefundRequestRow): RefundRequest {
  return {
    accountId: row.account_id,
    id: row.id,
    topUpId: row.topup_id,
    provider: row.provider,
    paymentId: row.payment_id,
    amountMinor: BigInt(row.amount_minor),
    amountMicros: BigInt(row.amount_micros),
    heldMicros: BigInt(row.held_micros),
    actorId: row.actor_id,
    status: row.status,
    refundId: row.refund_id,
    lastError: row.last_error,
    createdAt: new Date(row.created_at),
    resolvedAt: row.resolved_at === null ? null : new Date(row.resolved_at),
  };
}
