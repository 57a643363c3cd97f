import type { SessionRow } from './userSession.js';
import type { AccountRole } from './account.entity.js';
import { statement } from '../../db/sql.js';
import { isClosed } from '../shared/closedAccounts.js';

export interface AccountRow {
  id: string;
  email: string;
  name: string;
  email_verified: boolean;
  role: AccountRole;
  suspended_at: string | null;
  suspended_reason: string | null;
  created_at: string;
}

export const OPEN_ACCOUNT = statement<{ userId: string }>('open_account', 'select open_account(:userId::uuid)');

export const USER_BY_EMAIL = statement<{ address: string }, { id: string }>(
  'user_by_email',
  'select id from auth."user" where email = :address',
);

/** By account id, its test account's id, or a part of the email address, an exact match first. */
export const FIND_ACCOUNTS = statement<{ email: string; id: string | null; most: number }, AccountRow>(
  'find_accounts',
  `
    select a.id, u.email, u.name, u."emailVerified" as email_verified, a.role, a.suspended_at, a.suspended_reason,
           a.created_at
    from auth."user" u join account a on a.id = u.id
    where case when :id::uuid is null then strpos(u.email, :email) > 0
      else a.id = coalesce((select live_account_id from test_account where account_id = :id::uuid), :id::uuid) end
    order by u.email <> :email, u.email
    limit :most`,
);

export const SESSIONS = statement<{ userId: string; most: number }, SessionRow>(
  'user_sessions',
  `
    select id, "createdAt" as created_at, "expiresAt" as expires_at, "ipAddress" as ip_address,
      "userAgent" as user_agent
    from auth.session where "userId" = :userId and "expiresAt" > now() order by "createdAt" desc, id limit :most`,
);

export const END_SESSION = statement<{ userId: string; sessionId: string }>(
  'end_user_session',
  'delete from auth.session where "userId" = :userId and id = :sessionId',
);

export const END_OTHER_SESSIONS = statement<{ userId: string; sessionId: string }>(
  'end_other_user_sessions',
  'delete from auth.session where "userId" = :userId and id <> :sessionId returning id',
);

export const END_ALL_SESSIONS = statement<{ userId: string }>(
  'end_all_user_sessions',
  'delete from auth.session where "userId" = :userId',
);

/** A closed account is a suspended one, so that everything refuses it that refuses those. */
export const SET_CLOSED = statement<{ accountIds: readonly string[]; closed: boolean }>(
  'account-set-closed',
  `
    update account set suspended_at = case when :closed::boolean then service_now() end,
      suspended_reason = case when :closed::boolean then 'Closed by its owner.' end
    where id = any (:accountIds::uuid[])`,
);

export const IS_CLOSED = statement<{ accountId: string }, { closed: boolean }>(
  'account-is-closed',
  `select ${isClosed(':accountId::uuid')} as closed`,
);

/** SQL that is true for a suspended account. @param accountId a parameter, or a column with its table */
export const isSuspended = (accountId: string): string =>
  `exists (select from account a where a.id = ${accountId} and a.suspended_at is not null)`;

/**
 * A row if the session still exists. Whatever ends it then waits for the caller's transaction, and so finds what that has
 * made. Lock the account first, as what ends sessions and accounts does.
 */
export const KEEP_SESSION = statement<{ sessionId: string }, { id: string }>(
  'account-keep-session',
  'select id from auth.session where id = :sessionId for share',
);

/** SQL for the id of the account that comes `nth` after an id, in the order of ids; no row if fewer come after it. */
export const accountAfter = (id: string, nth: number): string =>
  `select id from account where id > ${id} order by id offset ${nth - 1} limit 1`;

/** For callers that must not act for a suspended account. */
export const IS_SUSPENDED = statement<{ accountId: string }, { suspended: boolean }>(
  'account-is-suspended',
  'select suspended_at is not null as suspended from account where id = :accountId',
);

/** The same, and locks the account's row until the transaction ends. */
export const LOCK_SUSPENDED = statement<{ accountId: string }, { suspended: boolean }>(
  'account-lock-suspended',
  'select suspended_at is not null as suspended from account where id = :accountId for update',
);

/**
 * What the owner calls those who changed something: the user's name, or the address if it has none, and the names of access
 * tokens and API keys. A test account has its live account's tokens. Those that no longer exist have no name.
 */
export const ACTOR_NAMES = statement<{ accountId: string; ids: readonly string[] }, { id: string; name: string }>(
  'actor-names',
  `
    with owned as (
      select :accountId::uuid as account_id
      union all select live_account_id from test_account where account_id = :accountId::uuid
    )
    select u.id, coalesce(nullif(btrim(u.name), ''), u.email) as name from auth."user" u
      where u.id = any (:ids::uuid[])
    union all
    select t.id, t.name from owned o join access_token t on t.account_id = o.account_id and t.id = any (:ids::uuid[])
    union all
    select k.id, k.name from api_key k where k.account_id = :accountId::uuid and k.id = any (:ids::uuid[])`,
);
