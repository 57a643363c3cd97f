import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What staff did to an account, why, and when, and what its owner did to webhook endpoints. Append-only. */
export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    /** The affected account. */
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** Who did it; `null` for the command line. */
    actorId: p.uuid().nullable(),
    action: p.text(),
    subject: p.text(),
    reason: p.text(),
    details: p.json().$type<Record<string, unknown>>(),
    createdAt: p.datetime(),
  },
});
export type AuditEntry = InferEntity<typeof AuditEntry>;
