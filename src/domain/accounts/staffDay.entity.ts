import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What one staff member has moved on one UTC day. */
export const StaffDay = defineEntity({
  name: 'StaffDay',
  tableName: 'staff_day',
  properties: {
    actorId: p.uuid().primary(),
    day: p.string().columnType('date').primary(),
    micros: p.bigint('bigint'),
  },
});
export type StaffDay = InferEntity<typeof StaffDay>;
