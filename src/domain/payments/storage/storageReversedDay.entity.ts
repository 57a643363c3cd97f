import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What one account got back for one day. */
export const StorageReversedDay = defineEntity({
  name: 'StorageReversedDay',
  tableName: 'storage_reversed_day',
  properties: {
    accountId: p.uuid().primary(),
    day: p.string().columnType('date').primary(),
    round: p.smallint().primary(),
    reversalId: p.uuid(),
    toDebtMicros: p.bigint('bigint'),
    toCloudMicros: p.bigint('bigint'),
    toMasterMicros: p.bigint('bigint'),
    createdAt: p.datetime(),
  },
});
export type StorageReversedDay = InferEntity<typeof StorageReversedDay>;
