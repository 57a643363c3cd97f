import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** When one night was sealed. */
export const LedgerSealNight = defineEntity({
  name: 'LedgerSealNight',
  tableName: 'ledger_seal_night',
  properties: {
    night: p.string().columnType('date').primary(),
    sealedAt: p.datetime(),
  },
});
export type LedgerSealNight = InferEntity<typeof LedgerSealNight>;
