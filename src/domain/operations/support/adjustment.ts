import { timeCursor } from './timeCursor.js';

/** `posted` needed only one person. All others needed a second one. */
export type AdjustmentStatus = 'posted' | 'pending' | 'approved' | 'refused' | 'expired';

/** One adjustment of a wallet by staff, or a request for one. */
export interface Adjustment {
  readonly id: string;
  readonly accountId: string;
  readonly amountMicros: bigint;
  readonly reason: string;
  readonly idempotencyKey: string;
  readonly status: AdjustmentStatus;
  readonly requestedBy: string;
  readonly requestedByEmail: string | null;
  readonly requestedAt: Date;
  readonly expiresAt: Date | null;
  readonly decidedBy: string | null;
  readonly decidedByEmail: string | null;
  readonly decidedAt: Date | null;
  readonly decisionReason: string | null;
  /** Its position in the list, for the next page. */
  readonly cursor: string;
}

export interface AdjustmentRow {
  account_id: string;
  id: string;
  amount_micros: string;
  reason: string;
  idempotency_key: string;
  status: AdjustmentStatus;
  requested_by: string;
  requested_at: string;
  expires_at: string | null;
  decided_by: string | null;
  decided_at: string | null;
  decision_reason: string | null;
  requested_by_email?: string | null;
  decided_by_email?: string | null;
}

export function adjustmentOf(row: AdjustmentRow): Adjustment {
  return {
    id: row.id,
    accountId: row.account_id,
    amountMicros: BigInt(row.amount_micros),
    reason: row.reason,
    idempotencyKey: row.idempotency_key,
    status: row.status,
    requestedBy: row.requested_by,
    requestedByEmail: row.requested_by_email ?? null,
    requestedAt: new Date(row.requested_at),
    expiresAt: dateOf(row.expires_at),
    decidedBy: row.decided_by,
    decidedByEmail: row.decided_by_email ?? null,
    decidedAt: dateOf(row.decided_at),
    decisionReason: row.decision_reason,
    cursor: timeCursor(row.requested_at, row.id),
  };
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
