import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The digest of a means of payment that an account has used. */
export const Payer = defineEntity({
  name: 'Payer',
  tableName: 'payer',
  properties: {
    accountId: p.uuid().primary(),
    hash: p.text().primary(),
  },
});
export type Payer = InferEntity<typeof Payer>;
