import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What one key minted on one past UTC day, and its limit on that day. */
export const ApiKeyDay = defineEntity({
  name: 'ApiKeyDay',
  tableName: 'api_key_day',
  properties: {
    accountId: p.uuid().primary(),
    keyId: p.uuid().primary(),
    day: p.string().columnType('date').primary(),
    used: p.integer(),
    dailyLimit: p.integer(),
  },
});
export type ApiKeyDay = InferEntity<typeof ApiKeyDay>;
