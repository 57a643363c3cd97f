import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export type AccountRole = 'owner' | 'support';

/** One tenant. Its id is its user's id; the wallet and the video counters are opened with it. */
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
  },
});
export type Account = InferEntity<typeof Account>;
