import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { AccessTokenScope } from '../../../ports/identity.js';

/** A token with which a program uses GraphQL for an owner, as stored: never the token itself. */
export const AccessToken = defineEntity({
  name: 'AccessToken',
  tableName: 'access_token',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    /** `read` is always among them. */
    scopes: p.array().$type<AccessTokenScope[]>(),
    hash: p.blob(),
    /** First 12 characters of the token, so that people can tell tokens apart. */
    prefix: p.text(),
    last4: p.text(),
    createdAt: p.datetime(),
    /** `null`: it does not expire. */
    expiresAt: p.datetime().nullable(),
    /** To the minute. */
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});
export type AccessToken = InferEntity<typeof AccessToken>;
