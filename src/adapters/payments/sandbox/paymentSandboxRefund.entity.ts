import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const PaymentSandboxRefund = defineEntity({
  name: 'PaymentSandboxRefund',
  tableName: 'payment_sandbox_refund',
  properties: {
    refundId: p.text().primary(),
    paymentId: p.text(),
    amountMinor: p.bigint('bigint'),
    state: p.text(),
    requestKey: p.text().nullable(),
    createdAt: p.datetime(),
  },
});
export type PaymentSandboxRefund = InferEntity<typeof PaymentSandboxRefund>;
