import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What one staff member requests and another approves. */
export const StaffRequest = defineEntity({
  name: 'StaffRequest',
  tableName: 'staff_request',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text(),
    apiKeyId: p.uuid().nullable(),
    dailyQuota: p.integer().nullable(),
    topupId: p.uuid().nullable(),
    amountMinor: p.bigint('bigint').nullable(),
    reason: p.text(),
    idempotencyKey: p.text(),
    status: p.text(),
    requestedBy: p.uuid(),
    requestedAt: p.datetime(),
    expiresAt: p.datetime(),
    decidedBy: p.uuid().nullable(),
    decidedAt: p.datetime().nullable(),
    decisionReason: p.text().nullable(),
  },
});
export type StaffRequest = InferEntity<typeof StaffRequest>;
