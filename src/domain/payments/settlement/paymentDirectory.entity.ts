import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Who owns a provider’s payment or order. */
export const PaymentDirectory = defineEntity({
  name: 'PaymentDirectory',
  tableName: 'payment_directory',
  properties: {
    provider: p.text().primary(),
    reference: p.text().primary(),
    accountId: p.uuid(),
    topupId: p.uuid().nullable(),
  },
});
export type PaymentDirectory = InferEntity<typeof PaymentDirectory>;
