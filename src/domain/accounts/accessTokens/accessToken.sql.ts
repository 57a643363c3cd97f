import type { AccessTokenScope } from '../../../ports/identity.js';
import { statement } from '../../../db/sql.js';

export interface AccessTokenRow {
  id: string;
  name: string;
  scopes: AccessTokenScope[];
  prefix: string;
  last4: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

const COLUMNS = 'id, name, scopes, prefix, last4, created_at, expires_at, last_used_at';
const IS_LIVE = '(revoked_at is null and (expires_at is null or expires_at > service_now()))';

/** Returns no row if the account already has `max` live tokens. The caller must hold the lock on the account's row. */
export const insertToken = statement<
  {
    accountId: string;
    id: string;
    name: string;
    scopes: readonly AccessTokenScope[];
    hash: Buffer;
    prefix: string;
    last4: string;
    expiresInDays: number | null;
    max: number;
  },
  AccessTokenRow
>(
  'access-token-insert',
  `insert into access_token (account_id, id, name, scopes, hash, prefix, last4, created_at, expires_at)
   select :accountId, :id, :name, :scopes, :hash, :prefix, :last4, service_now(),
     service_now() + make_interval(days => :expiresInDays::int)
   where (select count(*) from access_token where account_id = :accountId and ${IS_LIVE}) < :max::int
   returning ${COLUMNS}`,
);

/** Live tokens, newest first. */
export const listTokens = statement<{ accountId: string }, AccessTokenRow>(
  'access-token-list',
  `select ${COLUMNS} from access_token where account_id = :accountId and ${IS_LIVE} order by id desc`,
);

export const revokeToken = statement<{ accountId: string; id: string }, { id: string }>(
  'access-token-revoke',
  `update access_token set revoked_at = coalesce(revoked_at, service_now())
   where account_id = :accountId and id = :id returning id`,
);

export const revokeAllTokens = statement<{ accountId: string }>(
  'access-token-revoke-all',
  'update access_token set revoked_at = service_now() where account_id = :accountId and revoked_at is null',
);

/** Deletes tokens that were revoked or expired a month ago. */
export const forgetTokens = statement<{ accountId: string }>(
  'access-token-forget',
  `delete from access_token
   where account_id = :accountId and least(revoked_at, expires_at) < service_now() - interval '30 days'`,
);

export const findToken = statement<
  { hash: Buffer },
  { account_id: string; id: string; scopes: AccessTokenScope[]; is_stale: boolean }
>(
  'access-token-find',
  `select account_id, id, scopes,
     coalesce(last_used_at < service_now() - interval '1 minute', true) as is_stale
   from access_token where hash = :hash and ${IS_LIVE}`,
);

/** Writes at most once a minute, so that a busy program does not cause a write per request. */
export const touchToken = statement<{ accountId: string; id: string }>(
  'access-token-touch',
  `update access_token set last_used_at = service_now()
   where account_id = :accountId and id = :id
     and coalesce(last_used_at < service_now() - interval '1 minute', true)`,
);
