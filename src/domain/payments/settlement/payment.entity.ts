import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One payment according to its provider, and what was posted for it. */
export const Payment = defineEntity({
  name: 'Payment',
  tableName: 'payment',
  properties: {
    accountId: p.uuid().primary(),
    provider: p.text().primary(),
    paymentId: p.text().primary(),
    topupId: p.uuid().nullable(),
    orderId: p.text().nullable(),
    amountMinor: p.bigint('bigint').nullable(),
    currency: p.text().nullable(),
    capturedAt: p.datetime().nullable(),
    refundedAt: p.datetime().nullable(),
    payerHashes: p.array(),
    fate: p.text(),
    microsPerMinor: p.bigint('bigint').nullable(),
    creditedMicros: p.bigint('bigint'),
    taken: p.json().$type<unknown>(),
    held: p.json().$type<unknown>(),
    disputedMicros: p.bigint('bigint'),
    revision: p.integer(),
    createdAt: p.datetime(),
    failedAt: p.datetime().nullable(),
    contradiction: p.text().nullable(),
    withdrawnMicros: p.bigint('bigint').nullable(),
  },
});
export type Payment = InferEntity<typeof Payment>;
