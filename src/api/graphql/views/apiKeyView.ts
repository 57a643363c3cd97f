import type { KeyRecord } from '../../../domain/accounts/keys/keys.service.js';
import type { ApiKey } from '../types/apiKey.js';

export function apiKeyView(key: KeyRecord): ApiKey {
  return {
    accountId: key.accountId,
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last4: key.last4,
    dailyQuota: key.dailyQuota,
    usedToday: key.usedToday,
    createdAt: key.createdAt,
    revokedAt: key.revokedAt,
  };
}
