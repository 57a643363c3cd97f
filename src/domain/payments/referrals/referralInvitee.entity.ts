import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The same referral from the referrer's side. */
export const ReferralInvitee = defineEntity({
  name: 'ReferralInvitee',
  tableName: 'referral_invitee',
  properties: {
    accountId: p.uuid().primary(),
    inviteeId: p.uuid().primary(),
    status: p.text(),
    maskedEmail: p.text(),
    joinedAt: p.datetime(),
    grantedAt: p.datetime().nullable(),
    windowEndsAt: p.datetime().nullable(),
    payerHashes: p.array(),
  },
});
export type ReferralInvitee = InferEntity<typeof ReferralInvitee>;
