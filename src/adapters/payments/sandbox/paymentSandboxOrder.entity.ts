import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const PaymentSandboxOrder = defineEntity({
  name: 'PaymentSandboxOrder',
  tableName: 'payment_sandbox_order',
  properties: {
    orderId: p.text().primary(),
    provider: p.text(),
    accountId: p.uuid(),
    topupId: p.uuid(),
    amountMinor: p.bigint('bigint'),
    currency: p.text(),
    description: p.text(),
    payerEmail: p.text(),
    returnUrl: p.text(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
  },
});
export type PaymentSandboxOrder = InferEntity<typeof PaymentSandboxOrder>;
