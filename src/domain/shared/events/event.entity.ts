import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One event of an account's log, in its month's partition. */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    accountId: p.uuid().primary(),
    createdAt: p.datetime().primary(),
    id: p.uuid().primary(),
    type: p.text(),
    version: p.smallint(),
    data: p.json(),
    /** The event's position in the account's log; `null` until someone reads the log. */
    seq: p.bigint('bigint').nullable(),
  },
});
export type Event = InferEntity<typeof Event>;
