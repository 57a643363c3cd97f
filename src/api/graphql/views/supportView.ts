import type { AccountSummary } from '../../../domain/accounts/account.service.js';
import type { AuditLine } from '../../../domain/shared/auditLog.js';
import type { AuditEntry, SupportAccount } from '../types/support.js';

export function supportAccountView(account: AccountSummary): SupportAccount {
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    emailVerified: account.emailVerified,
    role: account.role,
    createdAt: account.createdAt,
    suspendedAt: account.suspendedAt,
    suspendedReason: account.suspendedReason,
  };
}

export function auditEntryView(line: AuditLine): AuditEntry {
  return {
    id: line.id,
    accountId: line.accountId,
    actorId: line.actorId,
    actorEmail: line.actorEmail,
    action: line.action,
    subject: line.subject,
    reason: line.reason,
    details: Object.entries(line.details).map(([key, value]) => ({ key, value: String(value) })),
    createdAt: line.createdAt,
  };
}
