import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A member of staff looked at an account as its owner sees it, in one session. The audit trail has the reason. */
export const StaffView = defineEntity({
  name: 'StaffView',
  tableName: 'staff_view',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    staffId: p.uuid(),
    sessionId: p.uuid(),
    startedAt: p.datetime(),
    endsAt: p.datetime(),
    /** When the member of staff went back; the view itself ends at `endsAt` at the latest. */
    endedAt: p.datetime().nullable(),
  },
});
export type StaffView = InferEntity<typeof StaffView>;
