import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The buyer named on an account’s invoices. */
export const BillingDetails = defineEntity({
  name: 'BillingDetails',
  tableName: 'billing_details',
  properties: {
    accountId: p.uuid().primary(),
    legalName: p.text(),
    addressLines: p.array().$type<readonly string[]>(),
    country: p.text(),
    stateCode: p.text().nullable(),
    gstin: p.text().nullable(),
    email: p.text().nullable(),
    updatedAt: p.datetime(),
  },
});
export type BillingDetails = InferEntity<typeof BillingDetails>;
