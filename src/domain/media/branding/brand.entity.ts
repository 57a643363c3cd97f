import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Which version of its logo an account uses. */
export const Brand = defineEntity({
  name: 'Brand',
  tableName: 'brand',
  properties: {
    accountId: p.uuid().primary(),
    currentVersion: p.integer().nullable(),
    lastVersion: p.integer(),
  },
});
export type Brand = InferEntity<typeof Brand>;
