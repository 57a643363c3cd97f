import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const PaymentSandboxPayment = defineEntity({
  name: 'PaymentSandboxPayment',
  tableName: 'payment_sandbox_payment',
  properties: {
    paymentId: p.text().primary(),
    orderId: p.text(),
    state: p.text(),
    amountMinor: p.bigint('bigint'),
    payerEmail: p.text(),
    refundsFail: p.boolean(),
    createdAt: p.datetime(),
    capturedAt: p.datetime().nullable(),
  },
});
export type PaymentSandboxPayment = InferEntity<typeof PaymentSandboxPayment>;
