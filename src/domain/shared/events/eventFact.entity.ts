import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A fact that already has an event. It never gets a second one. */
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
