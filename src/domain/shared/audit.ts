import { execute, type Sql, statement } from '../../db/sql.js';
import { newId } from './ids.js';

const INSERT_AUDIT_ENTRY = statement<{
  accountId: string;
  id: string;
  actorId: string | null;
  action: AuditAction;
  subject: string;
  reason: string;
  details: string;
}>(
  'insert_audit_entry',
  `
    insert into audit_entry (account_id, id, actor_id, action, subject, reason, details, created_at)
    values (:accountId, :id, :actorId, :action, :subject, :reason, :details, service_now())`,
);

export type AuditAction =
  | 'user.promote'
  | 'account.suspend'
  | 'account.resume'
  | 'api_key.set_daily_quota'
  | 'wallet.adjust'
  | 'wallet.propose_adjustment'
  | 'wallet.refuse_adjustment'
  | 'api_key.propose_daily_quota'
  | 'api_key.refuse_daily_quota'
  | 'payment.propose_refund'
  | 'payment.refuse_refund'
  | 'alert.resolve'
  | 'payment.refund'
  | 'payment.replay_webhook'
  | 'payment.resolve_suspense'
  | 'video.retry'
  | 'clock.accept'
  | 'storage.reverse'
  | 'ledger.reconcile_seals';

export interface AuditRecord {
  /** The affected account. */
  readonly accountId: string;
  /** The staff member; `null` for the command line. */
  readonly actorId: string | null;
  readonly action: AuditAction;
  /** What was acted on, such as an email address or an id. */
  readonly subject: string;
  readonly reason: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Appends to the audit trail in the transaction of the action itself, so neither exists without the other. */
export async function recordAudit(sql: Sql, record: AuditRecord): Promise<void> {
  const { accountId, actorId, action, subject, reason, details = {} } = record;
  await execute(sql, INSERT_AUDIT_ENTRY, {
    accountId,
    id: newId(),
    actorId,
    action,
    subject,
    reason,
    details: JSON.stringify(details),
  });
}
