import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The balance of one ledger account of one owner. Only `ledger_post` writes it. */
export const LedgerAccount = defineEntity({
  name: 'LedgerAccount',
  tableName: 'ledger_account',
  properties: {
    ownerId: p.uuid().primary(),
    accountNo: p.smallint().primary(),
    balance: p.bigint('bigint'),
    version: p.bigint('bigint'),
  },
});
export type LedgerAccount = InferEntity<typeof LedgerAccount>;
