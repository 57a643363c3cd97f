import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** An account that came from another service. Its adjustment is posted because of this row. */
export const AccountImport = defineEntity({
  name: 'AccountImport',
  tableName: 'account_import',
  properties: {
    accountId: p.uuid().primary(),
    archiveId: p.uuid(),
    /** The address of the other service. */
    origin: p.text(),
    exportedAt: p.datetime(),
    amountMicros: p.bigint('bigint'),
    /** `null` if it brought no credits. */
    txId: p.uuid().nullable(),
    importedAt: p.datetime(),
  },
});
export type AccountImport = InferEntity<typeof AccountImport>;
