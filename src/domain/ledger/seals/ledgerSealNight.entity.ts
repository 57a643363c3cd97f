import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** When the seals of one night were made. */
export const LedgerSealNight = defineEntity({
  name: 'LedgerSealNight',
  tableName: 'ledger_seal_night',
  properties: {
    night: p.string().columnType('date').primary(),
    sealedAt: p.datetime(),
  },
});
export type LedgerSealNight = InferEntity<typeof LedgerSealNight>;
