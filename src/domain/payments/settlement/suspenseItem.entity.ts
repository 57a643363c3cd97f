import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Money that matches no top-up, until staff decide. */
export const SuspenseItem = defineEntity({
  name: 'SuspenseItem',
  tableName: 'suspense_item',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    provider: p.text(),
    paymentId: p.text(),
    topupId: p.uuid().nullable(),
    orderId: p.text().nullable(),
    amountMinor: p.bigint('bigint'),
    currency: p.text(),
    amountMicros: p.bigint('bigint').nullable(),
    reason: p.text(),
    status: p.text(),
    resolution: p.text().nullable(),
    resolvedBy: p.uuid().nullable(),
    createdAt: p.datetime(),
    resolvedAt: p.datetime().nullable(),
  },
});
export type SuspenseItem = InferEntity<typeof SuspenseItem>;
