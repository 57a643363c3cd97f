import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A reversal of nights and its progress. */
export const StorageReversal = defineEntity({
  name: 'StorageReversal',
  tableName: 'storage_reversal',
  properties: {
    id: p.uuid().primary(),
    fromDay: p.string().columnType('date'),
    reason: p.text(),
    startedAt: p.datetime(),
    day: p.string().columnType('date'),
    afterAccount: p.uuid(),
    charges: p.bigint('bigint'),
    returnedMicros: p.decimal('string').columnType('numeric'),
    finishedAt: p.datetime().nullable(),
  },
});
export type StorageReversal = InferEntity<typeof StorageReversal>;
