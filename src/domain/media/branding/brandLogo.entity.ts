import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One logo that an account uploaded, by its digest. */
export const BrandLogo = defineEntity({
  name: 'BrandLogo',
  tableName: 'brand_logo',
  properties: {
    accountId: p.uuid().primary(),
    sha256: p.text().primary(),
    png: p.blob(),
    width: p.integer(),
    height: p.integer(),
    createdAt: p.datetime(),
  },
});
export type BrandLogo = InferEntity<typeof BrandLogo>;
