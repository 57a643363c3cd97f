import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Staff said why blocks of the archive and of the database differ. Append-only. */
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
