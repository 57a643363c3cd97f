import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What staff want colleagues to know about an account. */
export const AccountNote = defineEntity({
  name: 'AccountNote',
  tableName: 'account_note',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    authorId: p.uuid(),
    body: p.text(),
    createdAt: p.datetime(),
    editedBy: p.uuid().nullable(),
    editedAt: p.datetime().nullable(),
    /** Counts changes, so that nobody overwrites one that they have not seen. */
    version: p.integer(),
  },
});
export type AccountNote = InferEntity<typeof AccountNote>;
