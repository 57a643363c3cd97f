import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A requested refund, until the provider has made it. */
export const RefundRequest = defineEntity({
  name: 'RefundRequest',
  tableName: 'refund_request',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    idempotencyKey: p.text(),
    topupId: p.uuid(),
    provider: p.text(),
    paymentId: p.text(),
    amountMinor: p.bigint('bigint'),
    amountMicros: p.bigint('bigint'),
    heldMicros: p.bigint('bigint'),
    actorId: p.uuid().nullable(),
    reason: p.text().nullable(),
    status: p.text(),
    refundId: p.text().nullable(),
    attempts: p.integer(),
    lastError: p.text().nullable(),
    nextAttemptAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    resolvedAt: p.datetime().nullable(),
    approvedBy: p.uuid().nullable(),
  },
});
export type RefundRequest = InferEntity<typeof RefundRequest>;
