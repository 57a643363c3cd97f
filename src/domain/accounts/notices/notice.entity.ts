import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * An email to an account, queued in the transaction it reports on and sent once. Without a `kind`, an earlier version
 * queued it: `subject` and `body` are its text. `toAddress` is set if it does not go to the user's current address.
 */
export const Notice = defineEntity({
  name: 'Notice',
  tableName: 'notice',
  properties: {
    accountId: p.uuid().primary(),
    key: p.text().primary(),
    subject: p.text(),
    body: p.text(),
    kind: p.text().nullable(),
    data: p.json().nullable(),
    toAddress: p.text().nullable(),
    createdAt: p.datetime(),
    sendAfter: p.datetime().nullable(),
    attempts: p.smallint(),
    sentAt: p.datetime().nullable(),
  },
});
export type Notice = InferEntity<typeof Notice>;
