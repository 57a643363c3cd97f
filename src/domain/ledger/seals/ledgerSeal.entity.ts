import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One block in the chain of seals. Append-only. */
export const LedgerSeal = defineEntity({
  name: 'LedgerSeal',
  tableName: 'ledger_seal',
  properties: {
    blockNo: p.bigint('bigint').primary(),
    sealedAt: p.datetime(),
    previousDigest: p.blob(),
    digest: p.blob(),
    owners: p.bigint('bigint'),
    entries: p.bigint('bigint'),
  },
});
export type LedgerSeal = InferEntity<typeof LedgerSeal>;
