import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One verification of the books, and what it found. */
export const LedgerAudit = defineEntity({
  name: 'LedgerAudit',
  tableName: 'ledger_audit',
  properties: {
    id: p.uuid().primary(),
    night: p.string().columnType('date').nullable(),
    verifiedAt: p.datetime(),
    transactions: p.bigint('bigint'),
    entries: p.bigint('bigint'),
    faults: p.integer(),
    firstFault: p.text().nullable(),
    scope: p.text(),
    lastBlock: p.bigint('bigint'),
    faultyOwners: p.array().columnType('uuid[]'),
  },
});
export type LedgerAudit = InferEntity<typeof LedgerAudit>;
