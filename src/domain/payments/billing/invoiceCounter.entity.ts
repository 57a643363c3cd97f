import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The last number issued in one series and financial year. */
export const InvoiceCounter = defineEntity({
  name: 'InvoiceCounter',
  tableName: 'invoice_counter',
  properties: {
    series: p.text().primary(),
    kind: p.text().primary(),
    financialYear: p.text().primary(),
    lastNumber: p.integer(),
  },
});
export type InvoiceCounter = InferEntity<typeof InvoiceCounter>;
