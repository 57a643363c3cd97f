import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** An API key as stored: never the key itself. Quota columns change only by the statements in playback/. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    /** First 12 characters of the key, so that people can tell keys apart. */
    prefix: p.text(),
    last4: p.text(),
    /** Playback tokens per UTC day. */
    dailyLimit: p.integer(),
    /** `YYYY-MM-DD`: the UTC day that `used` counts. */
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
