import { timeCursor } from './timeCursor.js';

export type StaffRequestStatus = 'pending' | 'approved' | 'refused' | 'expired';
export type StaffRequestKind = 'refund' | 'quota';

/** What one staff member requested and another decides. */
export interface StaffRequest {
  readonly id: string;
  readonly accountId: string;
  readonly kind: StaffRequestKind;
  /** For quotas. */
  readonly apiKeyId: string | null;
  readonly apiKeyName: string | null;
  readonly dailyQuota: number | null;
  /** For refunds. */
  readonly topUpId: string | null;
  readonly amountMinor: bigint | null;
  readonly currency: string | null;
  readonly reason: string;
  readonly status: StaffRequestStatus;
  readonly requestedBy: string;
  readonly requestedByEmail: string | null;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly decidedByEmail: string | null;
  readonly decidedAt: Date | null;
  readonly decisionReason: string | null;
  /** Its position in the list, for the next page. */
  readonly cursor: string;
}

export interface StaffRequestRow {
  account_id: string;
  id: string;
  kind: StaffRequestKind;
  api_key_id: string | null;
  api_key_name: string | null;
  daily_quota: number | null;
  topup_id: string | null;
  amount_minor: string | null;
  currency: string | null;
  reason: string;
  status: StaffRequestStatus;
  requested_by: string;
  requested_by_email: string | null;
  requested_at: string;
  expires_at: string;
  decided_by_email: string | null;
  decided_at: string | null;
  decision_reason: string | null;
}

export function staffRequestOf(row: StaffRequestRow): StaffRequest {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    apiKeyId: row.api_key_id,
    apiKeyName: row.api_key_name,
    dailyQuota: row.daily_quota,
    topUpId: row.topup_id,
    amountMinor: row.amount_minor === null ? null : BigInt(row.amount_minor),
    currency: row.currency,
    reason: row.reason,
    status: row.status,
    requestedBy: row.requested_by,
    requestedByEmail: row.requested_by_email,
    requestedAt: new Date(row.requested_at),
    expiresAt: new Date(row.expires_at),
    decidedByEmail: row.decided_by_email,
    decidedAt: row.decided_at === null ? null : new Date(row.decided_at),
    decisionReason: row.decision_reason,
    cursor: timeCursor(row.requested_at, row.id),
  };
}
