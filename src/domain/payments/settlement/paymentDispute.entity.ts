import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One dispute of a payment. */
export const PaymentDispute = defineEntity({
  name: 'PaymentDispute',
  tableName: 'payment_dispute',
  properties: {
    accountId: p.uuid().primary(),
    provider: p.text().primary(),
    disputeId: p.text().primary(),
    paymentId: p.text(),
    amountMinor: p.bigint('bigint'),
    currency: p.text(),
    state: p.text(),
    providerCreatedAt: p.datetime(),
    openMicros: p.bigint('bigint'),
    lostMicros: p.bigint('bigint'),
    createdAt: p.datetime(),
    conflicts: p.array(),
    lostMinor: p.bigint('bigint').nullable(),
    wasReturned: p.boolean(),
    /** Whether it has become an event. */
    isTold: p.boolean().default(false),
  },
});
export type PaymentDispute = InferEntity<typeof PaymentDispute>;
