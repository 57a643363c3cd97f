import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One leg of a transaction. Append-only; only `ledger_post` writes it. */
export const LedgerEntry = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger_entry',
  properties: {
    ownerId: p.uuid().primary(),
    accountNo: p.smallint().primary(),
    version: p.bigint('bigint').primary(),
    txId: p.uuid(),
    delta: p.bigint('bigint'),
    balanceAfter: p.bigint('bigint'),
    createdAt: p.datetime(),
  },
});
export type LedgerEntry = InferEntity<typeof LedgerEntry>;
