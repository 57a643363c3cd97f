import { raw } from '@mikro-orm/core';

import type { Queries } from '../../db/sql.js';
import { AuditEntry } from './auditEntry.entity.js';
import { newId } from './ids.js';

export type AuditAction =
  | 'user.promote'
  | 'account.suspend'
  | 'account.resume'
  | 'account.close'
  | 'account.reopen'
  | 'account.erase'
  | 'account.view'
  | 'account.end_view'
  | 'account.add_note'
  | 'account.edit_note'
  | 'account.delete_note'
  | 'api_key.set_daily_quota'
  | 'wallet.adjust'
  | 'wallet.set_automatic_allocation'
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
  | 'playback.explain'
  | 'video.retry'
  | 'webhook_endpoint.create'
  | 'webhook_endpoint.update'
  | 'webhook_endpoint.enable'
  | 'webhook_endpoint.disable'
  | 'webhook_endpoint.delete'
  | 'webhook_endpoint.rotate_secret'
  | 'webhook_endpoint.replay'
  | 'clock.accept'
  | 'storage.reverse'
  | 'ledger.reconcile_seals'
  | 'account.export'
  | 'account.import';

export interface AuditRecord {
  /** The affected account. */
  readonly accountId: string;
  /** The staff member, or the owner; `null` for the command line. */
  readonly actorId: string | null;
  readonly action: AuditAction;
  /** What was acted on, such as an email address or an id. */
  readonly subject: string;
  readonly reason: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Appends to the audit trail in the transaction of the action itself, so neither exists without the other. */
export async function recordAudit(tx: Queries, record: AuditRecord): Promise<void> {
  const { details = {}, ...said } = record;
  await tx.em().insert(AuditEntry, { ...said, details, id: newId(), createdAt: raw('service_now()') });
}
