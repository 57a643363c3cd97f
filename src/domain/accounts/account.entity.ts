import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export type AccountRole = 'owner' | 'support';

/** An account. Its id is its user's id; its wallet and video counters are created with it. */
export const Account = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.uuid().primary(),
    role: p.text().$type<AccountRole>(),
    suspendedAt: p.datetime().nullable(),
    suspendedReason: p.text().nullable(),
    createdAt: p.datetime(),
    allowedDomains: p.array(),
    /** The download of all its data that is under way, until its lease ends. */
    dataDownloadId: p.uuid().nullable(),
    dataDownloadUntil: p.datetime().nullable(),
  },
});
export type Account = InferEntity<typeof Account>;
