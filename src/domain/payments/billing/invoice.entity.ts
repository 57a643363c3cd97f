import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One numbered document for a top-up or its refund. Append-only. */
export const Invoice = defineEntity({
  name: 'Invoice',
  tableName: 'invoice',
  properties: {
    accountId: p.uuid().primary(),
    topUpId: p.uuid().primary(),
    refundId: p.text().primary(),
    kind: p.text(),
    series: p.text(),
    financialYear: p.text(),
    number: p.integer(),
    issuedAt: p.datetime(),
    facts: p.json().$type<unknown>(),
  },
});
export type Invoice = InferEntity<typeof Invoice>;
