import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** An email to an account, queued in the transaction it reports on and sent once. */
export const Notice = defineEntity({
  name: 'Notice',
  tableName: 'notice',
  properties: {
    accountId: p.uuid().primary(),
    key: p.text().primary(),
    subject: p.text(),
    body: p.text(),
    createdAt: p.datetime(),
    sendAfter: p.datetime().nullable(),
    attempts: p.smallint(),
    sentAt: p.datetime().nullable(),
  },
});
export type Notice = InferEntity<typeof Notice>;
