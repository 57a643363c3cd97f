import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One owner’s entries in one block. Append-only. */
export const LedgerSealOwner = defineEntity({
  name: 'LedgerSealOwner',
  tableName: 'ledger_seal_owner',
  properties: {
    ownerId: p.uuid().primary(),
    blockNo: p.bigint('bigint').primary(),
    previous: p.blob(),
    digest: p.blob(),
    accounts: p.array().columnType('smallint[]'),
    versions: p.array().columnType('bigint[]'),
    parts: p.array().columnType('bytea[]'),
    versionTotal: p.bigint('bigint'),
    entries: p.bigint('bigint'),
  },
});
export type LedgerSealOwner = InferEntity<typeof LedgerSealOwner>;
