import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A message about a referral from the invitee's shard to the referrer's. */
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
