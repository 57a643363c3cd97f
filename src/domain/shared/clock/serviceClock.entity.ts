import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The latest trusted time, and why daily charges are on hold. A single row. */
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
