import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What one shard owes the other about a referral. */
export const ReferralOutbox = defineEntity({
  name: 'ReferralOutbox',
  tableName: 'referral_outbox',
  properties: {
    accountId: p.uuid().primary(),
    seq: p.smallint().primary(),
    kind: p.text(),
    createdAt: p.datetime(),
    attempts: p.smallint(),
    deliverAfter: p.datetime().nullable(),
    outcome: p.text().nullable(),
    deliveredAt: p.datetime().nullable(),
  },
});
export type ReferralOutbox = InferEntity<typeof ReferralOutbox>;
