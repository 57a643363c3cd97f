import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The balance below which an account is warned, and whether it is below it now. */
export const LowBalance = defineEntity({
  name: 'LowBalance',
  tableName: 'low_balance',
  properties: {
    accountId: p.uuid().primary(),
    isDefault: p.boolean(),
    thresholdMicros: p.bigint('bigint').nullable(),
    belowSince: p.datetime().nullable(),
    crossings: p.integer(),
  },
});
export type LowBalance = InferEntity<typeof LowBalance>;
