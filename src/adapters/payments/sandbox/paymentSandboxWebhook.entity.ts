import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A webhook that the sandbox sends, until it is delivered. */
export const PaymentSandboxWebhook = defineEntity({
  name: 'PaymentSandboxWebhook',
  tableName: 'payment_sandbox_webhook',
  properties: {
    id: p.uuid().primary(),
    provider: p.text(),
    orderId: p.text(),
    eventId: p.text(),
    type: p.text(),
    body: p.text(),
    createdAt: p.datetime(),
    dueAt: p.datetime().nullable(),
    attempts: p.integer(),
    lastStatus: p.integer().nullable(),
    deliveredAt: p.datetime().nullable(),
  },
});
export type PaymentSandboxWebhook = InferEntity<typeof PaymentSandboxWebhook>;
