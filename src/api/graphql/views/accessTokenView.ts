import type { AccessTokenRecord } from '../../../domain/accounts/accessTokens/accessTokens.service.js';
import type { AccessToken, AccessTokenScope } from '../types/accessToken.js';

export function accessTokenView(token: AccessTokenRecord): AccessToken {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes as AccessTokenScope[],
    prefix: token.prefix,
    last4: token.last4,
    createdAt: token.createdAt,
    expiresAt: token.expiresAt,
    lastUsedAt: token.lastUsedAt,
  };
}
