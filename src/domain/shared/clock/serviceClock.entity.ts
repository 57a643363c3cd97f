import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The latest time the service has seen, and why it is held. One row. */
export const ServiceClock = defineEntity({
  name: 'ServiceClock',
  tableName: 'service_clock',
  properties: {
    onlyRow: p.boolean().primary(),
    seenAt: p.datetime(),
    heldSince: p.datetime().nullable(),
    heldWhy: p.text().nullable(),
    nightsConfirmedThrough: p.string().columnType('date').nullable(),
  },
});
export type ServiceClock = InferEntity<typeof ServiceClock>;
