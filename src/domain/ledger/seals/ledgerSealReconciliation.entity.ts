import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A person's explanation of why the archive and the database have different blocks. Append-only. */
export const LedgerSealReconciliation = defineEntity({
  name: 'LedgerSealReconciliation',
  tableName: 'ledger_seal_reconciliation',
  properties: {
    id: p.uuid().primary(),
    firstBlock: p.bigint('bigint'),
    lastBlock: p.bigint('bigint'),
    digest: p.text(),
    reason: p.text(),
    reconciledAt: p.datetime(),
  },
});
export type LedgerSealReconciliation = InferEntity<typeof LedgerSealReconciliation>;
