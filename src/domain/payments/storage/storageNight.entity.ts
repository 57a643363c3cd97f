import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The progress of a night’s charges. */
export const StorageNight = defineEntity({
  name: 'StorageNight',
  tableName: 'storage_night',
  properties: {
    day: p.string().columnType('date').primary(),
    afterAccount: p.uuid(),
    accounts: p.bigint('bigint'),
    chargedMicros: p.decimal('string').columnType('numeric'),
    arrearsMicros: p.decimal('string').columnType('numeric'),
    startedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    measuringSince: p.datetime().nullable(),
    measuredAt: p.datetime().nullable(),
    reversedBy: p.uuid().nullable(),
  },
});
export type StorageNight = InferEntity<typeof StorageNight>;
