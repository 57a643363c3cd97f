import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One double-entry transaction. Append-only; only `ledger_post` writes it. */
export const LedgerTx = defineEntity({
  name: 'LedgerTx',
  tableName: 'ledger_tx',
  properties: {
    ownerId: p.uuid().primary(),
    idempotencyKey: p.text().primary(),
    txId: p.uuid(),
    type: p.text(),
    requestHash: p.blob(),
    reference: p.text().nullable(),
    metadata: p.json().$type<unknown>(),
    createdAt: p.datetime(),
  },
});
export type LedgerTx = InferEntity<typeof LedgerTx>;
