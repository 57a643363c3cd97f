import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The referral an account signed up with, and its status. */
export const Referral = defineEntity({
  name: 'Referral',
  tableName: 'referral',
  properties: {
    accountId: p.uuid().primary(),
    referrerId: p.uuid(),
    code: p.text(),
    status: p.text(),
    reason: p.text().nullable(),
    maskedEmail: p.text(),
    joinedAt: p.datetime(),
    topupId: p.text().nullable(),
    provider: p.text().nullable(),
    paymentId: p.text().nullable(),
    capturedAt: p.datetime().nullable(),
    payerHashes: p.array(),
    decidedAt: p.datetime().nullable(),
  },
});
export type Referral = InferEntity<typeof Referral>;
