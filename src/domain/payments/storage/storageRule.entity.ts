import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Whether credits move to storage by themselves. */
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
