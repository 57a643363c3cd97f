import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What has become an event: the same fact never becomes another. */
export const EventFact = defineEntity({
  name: 'EventFact',
  tableName: 'event_fact',
  properties: {
    accountId: p.uuid().primary(),
    fact: p.text().primary(),
    createdAt: p.datetime(),
  },
});
export type EventFact = InferEntity<typeof EventFact>;
