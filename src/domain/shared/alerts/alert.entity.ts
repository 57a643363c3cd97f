import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Something that staff must look at. Repeated occurrences only increase a counter. */
export const Alert = defineEntity({
  name: 'Alert',
  tableName: 'alert',
  properties: {
    id: p.uuid().primary(),
    kind: p.text(),
    subject: p.text(),
    message: p.text(),
    accountId: p.uuid().nullable(),
    times: p.integer(),
    raisedAt: p.datetime(),
    lastRaisedAt: p.datetime(),
    announcedAt: p.datetime().nullable(),
    resolvedAt: p.datetime().nullable(),
    resolvedBy: p.uuid().nullable(),
  },
});
export type Alert = InferEntity<typeof Alert>;
