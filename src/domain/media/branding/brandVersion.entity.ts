import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One logo with its placement. Immutable, because videos are bought with it. */
export const BrandVersion = defineEntity({
  name: 'BrandVersion',
  tableName: 'brand_version',
  properties: {
    accountId: p.uuid().primary(),
    version: p.integer().primary(),
    logoSha256: p.text(),
    position: p.text(),
    widthPercent: p.integer(),
    marginPercent: p.integer(),
    opacityPercent: p.integer(),
    createdAt: p.datetime(),
  },
});
export type BrandVersion = InferEntity<typeof BrandVersion>;
