import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What the whole platform did on one UTC day, without test accounts. */
export const PlatformDay = defineEntity({
  name: 'PlatformDay',
  tableName: 'platform_day',
  properties: {
    day: p.string().columnType('date').primary(),
    /** At the end of the day, without erased ones. */
    accounts: p.bigint('bigint'),
    signUps: p.bigint('bigint'),
    toppedUpMicros: p.bigint('bigint'),
    spentMicros: p.bigint('bigint'),
    refundedMicros: p.bigint('bigint'),
    videosUploaded: p.bigint('bigint'),
    videosReady: p.bigint('bigint'),
    videosFailed: p.bigint('bigint'),
    encodedMs: p.bigint('bigint'),
    tokens: p.bigint('bigint'),
    views: p.bigint('bigint'),
    /** At the end of the day; unknown until the night has measured it. */
    storedBytes: p.bigint('bigint').nullable(),
    /** A day is summed up again until nothing of it can change. */
    isFinal: p.boolean(),
    measuredAt: p.datetime(),
  },
});
export type PlatformDay = InferEntity<typeof PlatformDay>;
