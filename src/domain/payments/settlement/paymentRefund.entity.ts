import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One refund of a payment. */
export const PaymentRefund = defineEntity({
  name: 'PaymentRefund',
  tableName: 'payment_refund',
  properties: {
    accountId: p.uuid().primary(),
    provider: p.text().primary(),
    refundId: p.text().primary(),
    paymentId: p.text(),
    amountMinor: p.bigint('bigint'),
    currency: p.text(),
    state: p.text(),
    providerCreatedAt: p.datetime(),
    wasProcessed: p.boolean(),
    requestId: p.uuid().nullable(),
    countedMicros: p.bigint('bigint'),
    fromHoldMicros: p.bigint('bigint'),
    bookings: p.integer(),
    createdAt: p.datetime(),
    conflicts: p.array(),
  },
});
export type PaymentRefund = InferEntity<typeof PaymentRefund>;
