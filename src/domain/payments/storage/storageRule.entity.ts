import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Whether MASTER pays for storage automatically. */
export const StorageRule = defineEntity({
  name: 'StorageRule',
  tableName: 'storage_rule',
  properties: {
    accountId: p.uuid().primary(),
    autoAllocate: p.boolean(),
    updatedAt: p.datetime(),
  },
});
export type StorageRule = InferEntity<typeof StorageRule>;
