import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Tokens of today that keys revoked since have used: a new key does not get them again. */
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
