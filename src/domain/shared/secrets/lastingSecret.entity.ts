import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A secret that outlives restarts, sealed by the master key. */
export const LastingSecret = defineEntity({
  name: 'LastingSecret',
  tableName: 'lasting_secret',
  properties: {
    purpose: p.text().primary(),
    masterKeyId: p.text(),
    sealed: p.blob(),
    createdAt: p.datetime(),
  },
});
export type LastingSecret = InferEntity<typeof LastingSecret>;
