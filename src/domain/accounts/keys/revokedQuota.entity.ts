import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Tokens that revoked keys used today. New keys start from this count instead of getting a fresh quota. */
export const RevokedQuota = defineEntity({
  name: 'RevokedQuota',
  tableName: 'revoked_quota',
  properties: {
    accountId: p.uuid().primary(),
    day: p.string().columnType('date'),
    tokens: p.integer(),
  },
});
export type RevokedQuota = InferEntity<typeof RevokedQuota>;
