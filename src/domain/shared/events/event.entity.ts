import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One event of an account's log, in the partition of its month. */
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
    /** The place in the account's log; `null` until somebody reads it. */
    seq: p.bigint('bigint').nullable(),
  },
});
export type Event = InferEntity<typeof Event>;
