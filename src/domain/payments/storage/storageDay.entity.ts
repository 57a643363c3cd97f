import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What one account’s storage cost on one UTC day. */
export const StorageDay = defineEntity({
  name: 'StorageDay',
  tableName: 'storage_day',
  properties: {
    accountId: p.uuid().primary(),
    day: p.string().columnType('date').primary(),
    round: p.smallint().primary(),
    bytes: p.bigint('bigint'),
    chargedMicros: p.bigint('bigint'),
    remainder: p.bigint('bigint'),
    fromCloudMicros: p.bigint('bigint'),
    /** Of days that were charged when MASTER still paid without a draw. */
    fromMasterMicros: p.bigint('bigint'),
    /** The part of `fromCloudMicros` that CLOUD drew from MASTER for this day. */
    drawnMicros: p.bigint('bigint').defaultRaw('0'),
    arrearsMicros: p.bigint('bigint'),
    createdAt: p.datetime(),
  },
});
export type StorageDay = InferEntity<typeof StorageDay>;
