import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The account that holds what an owner makes in test mode. Rows are never changed. */
export const TestAccount = defineEntity({
  name: 'TestAccount',
  tableName: 'test_account',
  properties: {
    accountId: p.uuid().primary(),
    liveAccountId: p.uuid(),
    createdAt: p.datetime(),
  },
});
export type TestAccount = InferEntity<typeof TestAccount>;
