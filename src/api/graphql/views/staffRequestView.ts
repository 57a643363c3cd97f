import { formatAmount } from '../../../domain/payments/topUps/amounts.js';
import type { StaffRequest as StaffRequestRecord } from '../../../domain/operations/support/staffRequest.js';
import type { StaffRequest } from '../types/staffRequest.js';

export function staffRequestView(request: StaffRequestRecord): StaffRequest {
  return {
    id: request.id,
    accountId: request.accountId,
    kind: request.kind,
    apiKeyId: request.apiKeyId,
    apiKeyName: request.apiKeyName,
    dailyQuota: request.dailyQuota,
    topUpId: request.topUpId,
    amount: request.amountMinor === null ? null : formatAmount(request.amountMinor),
    currency: request.currency,
    reason: request.reason,
    status: request.status,
    requestedBy: request.requestedBy,
    requestedByEmail: request.requestedByEmail,
    requestedAt: request.requestedAt,
    expiresAt: request.expiresAt,
    decidedByEmail: request.decidedByEmail,
    decidedAt: request.decidedAt,
    decisionReason: request.decisionReason,
  };
}
