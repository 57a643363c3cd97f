import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One object of an account, for as long as it takes space in the store. */
export const StoredObject = defineEntity({
  name: 'StoredObject',
  tableName: 'stored_object',
  properties: {
    accountId: p.uuid().primary(),
    key: p.text().primary(),
    generation: p.integer().primary(),
    videoId: p.uuid().nullable(),
    sizeBytes: p.bigint('bigint'),
    storedAt: p.datetime(),
    removedAt: p.datetime().nullable(),
    sweptAt: p.datetime().nullable(),
  },
});
export type StoredObject = InferEntity<typeof StoredObject>;
