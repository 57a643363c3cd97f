import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { AccessTokenScope } from '../../../ports/identity.js';

/** An access token as stored, without the token itself. An owner's program uses it for GraphQL. */
export const AccessToken = defineEntity({
  name: 'AccessToken',
  tableName: 'access_token',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    /** Always includes `read`. */
    scopes: p.array().$type<AccessTokenScope[]>(),
    hash: p.blob(),
    /** The first 12 characters of the token, so that people can tell tokens apart. */
    prefix: p.text(),
    last4: p.text(),
    createdAt: p.datetime(),
    /** `null` if it does not expire. */
    expiresAt: p.datetime().nullable(),
    /** Accurate to the minute. */
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});
export type AccessToken = InferEntity<typeof AccessToken>;
