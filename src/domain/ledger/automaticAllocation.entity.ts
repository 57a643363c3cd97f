import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Whether a bucket that is short draws from MASTER. Without a row it does. */
export const AutomaticAllocation = defineEntity({
  name: 'AutomaticAllocation',
  tableName: 'automatic_allocation',
  properties: {
    accountId: p.uuid().primary(),
    bucket: p.smallint().primary(),
    enabled: p.boolean(),
    updatedAt: p.datetime(),
  },
});
export type AutomaticAllocation = InferEntity<typeof AutomaticAllocation>;
