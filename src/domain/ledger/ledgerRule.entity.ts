import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One leg that a shape of posting may have, as defined in ledgerRules.ts. Migrations write it. */
export const LedgerRule = defineEntity({
  name: 'LedgerRule',
  tableName: 'ledger_rule',
  properties: {
    type: p.text().primary(),
    shape: p.text().primary(),
    accountNo: p.smallint().primary(),
    direction: p.smallint().primary(),
  },
});
export type LedgerRule = InferEntity<typeof LedgerRule>;
