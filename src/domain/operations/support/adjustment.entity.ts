import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One adjustment of a balance by staff, which another staff member may have to approve. */
export const Adjustment = defineEntity({
  name: 'Adjustment',
  tableName: 'adjustment',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    amountMicros: p.bigint('bigint'),
    reason: p.text(),
    idempotencyKey: p.text(),
    status: p.text(),
    requestedBy: p.uuid(),
    requestedAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    decidedBy: p.uuid().nullable(),
    decidedAt: p.datetime().nullable(),
    decisionReason: p.text().nullable(),
    txId: p.uuid().nullable(),
  },
});
export type Adjustment = InferEntity<typeof Adjustment>;
