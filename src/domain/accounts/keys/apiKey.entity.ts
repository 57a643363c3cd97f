import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** An API key as stored, without the key itself. Only the statements in playback/ change the quota columns. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    /** The first 12 characters of the key, so that people can tell keys apart. */
    prefix: p.text(),
    last4: p.text(),
    /** Playback tokens per UTC day. */
    dailyLimit: p.integer(),
    /** The UTC day that `used` counts, as `YYYY-MM-DD`. */
    usageDay: p.string().columnType('date'),
    used: p.integer(),
    revokedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    hash: p.blob(),
    lastGranted: p.integer(),
    mintedAt: p.datetime().nullable(),
    suspended: p.boolean(),
    takenOver: p.integer(),
  },
});
export type ApiKey = InferEntity<typeof ApiKey>;
