import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One purchase of credits, from the checkout to the credits. */
export const TopUp = defineEntity({
  name: 'TopUp',
  tableName: 'topup',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    idempotencyKey: p.text(),
    provider: p.text(),
    sandbox: p.boolean(),
    currency: p.text(),
    amountMinor: p.bigint('bigint'),
    microsPerMinor: p.bigint('bigint'),
    creditMicros: p.bigint('bigint'),
    rateAsOf: p.datetime().nullable(),
    returnPath: p.text(),
    status: p.text(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    orderId: p.text().nullable(),
    checkoutMethod: p.text().nullable(),
    checkoutUrl: p.text().nullable(),
    checkoutFields: p.json().$type<unknown>().nullable(),
    paymentId: p.text().nullable(),
    capturedAt: p.datetime().nullable(),
    creditedAt: p.datetime().nullable(),
    nextCheckAt: p.datetime().nullable(),
    providerPaidAt: p.datetime().nullable(),
    webhookMissingSince: p.datetime().nullable(),
  },
});
export type TopUp = InferEntity<typeof TopUp>;
