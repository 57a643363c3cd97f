import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** How many of an account's events have a sequence number. */
export const EventCount = defineEntity({
  name: 'EventCount',
  tableName: 'event_count',
  properties: {
    accountId: p.uuid().primary(),
    lastSeq: p.bigint('bigint'),
  },
});
export type EventCount = InferEntity<typeof EventCount>;
