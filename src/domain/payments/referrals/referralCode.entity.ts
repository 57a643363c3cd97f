import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The code with which an account invites others. */
export const ReferralCode = defineEntity({
  name: 'ReferralCode',
  tableName: 'referral_code',
  properties: {
    accountId: p.uuid().primary(),
    code: p.text(),
  },
});
export type ReferralCode = InferEntity<typeof ReferralCode>;
