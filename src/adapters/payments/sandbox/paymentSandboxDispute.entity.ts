import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const PaymentSandboxDispute = defineEntity({
  name: 'PaymentSandboxDispute',
  tableName: 'payment_sandbox_dispute',
  properties: {
    disputeId: p.text().primary(),
    paymentId: p.text(),
    amountMinor: p.bigint('bigint'),
    state: p.text(),
    createdAt: p.datetime(),
  },
});
export type PaymentSandboxDispute = InferEntity<typeof PaymentSandboxDispute>;
