import { statement } from '../../../db/sql.js';
import { appendEventSql } from '../../shared/events/appendEvent.js';
import { isTestAccount } from '../testMode/testAccount.sql.js';
import { testFaultOf } from '../testMode/testFaults.js';
import { quotaEventsSql } from './quotaEvents.js';

export interface KeyDayRow {
  key_id: string;
  day: string;
  used: number;
  daily_limit: number;
}

export interface KeyRow {
  account_id: string;
  id: string;
  name: string;
  prefix: string;
  last4: string;
  daily_limit: number;
  used_today: number;
  created_at: string;
  revoked_at: string | null;
}

const RECORD = `account_id, id, name, prefix, last4, daily_limit, created_at, revoked_at,
  case when usage_day >= (service_now() at time zone 'UTC')::date then used else 0 end as used_today`;

/** SQL for the RETURNING of a statement on `api_key`: writes the event. */
const keyEvent = (type: 'key.created' | 'key.revoked'): string =>
  appendEventSql(type, {
    accountId: 'account_id',
    fact: 'id',
    data: { keyId: 'id', name: 'name', prefix: 'prefix', last4: 'last4' },
  });

/** Suspending an account takes this lock too, so that no key is created next to a suspension. */
export const lockAccount = statement<{ accountId: string }, { suspended: boolean; is_test: boolean }>(
  'key-lock-account',
  `
    select suspended_at is not null as suspended, ${isTestAccount('id')} as is_test from account
    where id = :accountId for no key update`,
);

/** Counts live keys, and keys created today, including revoked ones. */
export const countKeys = statement<{ accountId: string }, { live: number; created_today: number }>(
  'key-count',
  `
    select count(*) filter (where revoked_at is null)::int as live,
      count(*) filter (where created_at >= date_trunc('day', service_now(), 'UTC'))::int as created_today
    from api_key where account_id = :accountId`,
);

/**
 * The new key's count starts at what revoked keys minted today and no other new key has taken over, up to its own
 * quota.
 */
export const insertKey = statement<
  { accountId: string; id: string; name: string; hash: Buffer; prefix: string; last4: string; dailyQuota: number },
  KeyRow
>(
  'key-insert',
  `
    with now as (select service_now() as at),
    left_over as (
      select r.account_id, r.day, least(r.tokens, :dailyQuota::int) as tokens from revoked_quota r, now
      where r.account_id = :accountId and r.day = (now.at at time zone 'UTC')::date and r.tokens > 0
    ), lowered as (
      update revoked_quota r set tokens = r.tokens - left_over.tokens
      from left_over where r.account_id = left_over.account_id
    )
    insert into api_key (account_id, id, name, hash, prefix, last4, daily_limit, created_at, usage_day, used, taken_over)
    select :accountId, :id, :name, :hash, :prefix, :last4, :dailyQuota, now.at, coalesce(left_over.day, '1970-01-01'), coalesce(left_over.tokens, 0),
      coalesce(left_over.tokens, 0)
    from now left join left_over on true
    returning ${RECORD}, ${keyEvent('key.created')}, ${quotaEventsSql('api_key', '0')}`,
);

/**
 * Deletes all but the `:kept` most recently revoked keys, with their days. Keeps keys created today, which still count
 * towards the daily limit on new keys.
 */
export const removeRevokedKeys = statement<{ accountId: string; kept: number }>(
  'key-remove-revoked',
  `
    with removed as (
      delete from api_key where account_id = :accountId and id in (
        select id from api_key
        where account_id = :accountId and revoked_at is not null and created_at < date_trunc('day', service_now(), 'UTC')
        order by revoked_at desc, id offset :kept)
      returning id
    )
    delete from api_key_day d using removed where d.account_id = :accountId and d.key_id = removed.id`,
);

/** All live keys and the `:revokedListed` most recently revoked ones, newest first. */
export const listKeys = statement<{ accountId: string; revokedListed: number }, KeyRow>(
  'key-list',
  `
    select ${RECORD} from api_key
    where account_id = :accountId and (revoked_at is null or id in (
      select id from api_key where account_id = :accountId and revoked_at is not null order by revoked_at desc, id limit :revokedListed))
    order by created_at desc, id desc`,
);

/** Most recently revoked first, at most `:first`, starting after the key `:after` if it is given. */
export const listRevokedKeys = statement<{ accountId: string; first: number; after: string | null }, KeyRow>(
  'key-list-revoked',
  `
    select ${RECORD} from api_key k
    where account_id = :accountId and revoked_at is not null and (:after::uuid is null or
      (select last.revoked_at > k.revoked_at or (last.revoked_at = k.revoked_at and last.id < k.id)
       from api_key last where last.account_id = :accountId and last.id = :after))
    order by revoked_at desc, id limit :first`,
);

export const renameKey = statement<{ accountId: string; keyId: string; name: string }, KeyRow>(
  'key-rename',
  `update api_key set name = :name where account_id = :accountId and id = :keyId returning ${RECORD}`,
);

export const findKey = statement<{ accountId: string; keyId: string }, KeyRow>(
  'key-find',
  `select ${RECORD} from api_key where account_id = :accountId and id = :keyId`,
);

/**
 * Revokes a live key, and saves what it minted today (at most `:defaultQuota`, the quota of a new key) for the keys
 * that replace it. RETURNING reads day and count, so they are those after waiting for a mint that holds the row.
 */
export const revokeKey = statement<{ accountId: string; keyId: string; defaultQuota: number }>(
  'key-revoke',
  `
    with ended as (
      update api_key set revoked_at = service_now() where account_id = :accountId and id = :keyId and revoked_at is null
      returning account_id, usage_day, used, (service_now() at time zone 'UTC')::date as today,
        ${keyEvent('key.revoked')}
    )
    insert into revoked_quota (account_id, day, tokens)
    select account_id, today, least(used, :defaultQuota::int) from ended where usage_day >= today and used > 0
    on conflict (account_id) do update set day = excluded.day,
      tokens = excluded.tokens + case when revoked_quota.day = excluded.day then revoked_quota.tokens else 0 end`,
);

/** As `revokeKey`, for all live keys of these accounts. */
export const REVOKE_ALL_KEYS = statement<{ accountIds: readonly string[]; defaultQuota: number }>(
  'key-revoke-all',
  `
    with ended as (
      update api_key set revoked_at = service_now() where account_id = any (:accountIds::uuid[]) and revoked_at is null
      returning account_id, usage_day, used, (service_now() at time zone 'UTC')::date as today,
        ${keyEvent('key.revoked')}
    )
    insert into revoked_quota (account_id, day, tokens)
    select account_id, today, sum(least(used, :defaultQuota::int)) from ended where usage_day >= today and used > 0
    group by account_id, today
    on conflict (account_id) do update set day = excluded.day,
      tokens = excluded.tokens + case when revoked_quota.day = excluded.day then revoked_quota.tokens else 0 end`,
);

/** The days on which the keys minted, oldest first. The current day comes from the key's own row. */
export const keyDays = statement<{ accountId: string; keyIds: readonly string[]; days: number }, KeyDayRow>(
  'key-days',
  `select key_id, day::text, used, daily_limit from (
      select key_id, day, used, daily_limit from api_key_day where account_id = :accountId and key_id = any (:keyIds::uuid[])
      union all
      select id, usage_day,
        used - case when usage_day = (created_at at time zone 'UTC')::date then taken_over else 0 end, daily_limit
      from api_key where account_id = :accountId and id = any (:keyIds::uuid[])
    ) d
    where used > 0 and day > (service_now() at time zone 'UTC')::date - :days::int
      and day <= (service_now() at time zone 'UTC')::date + 1
    order by key_id, day`,
);

export const setKeyLimit = statement<{ accountId: string; keyId: string; dailyQuota: number }, KeyRow>(
  'key-set-limit',
  `
    with before as (
      select id as key_id, daily_limit as previous from api_key where account_id = :accountId and id = :keyId
      for no key update
    )
    update api_key set daily_limit = :dailyQuota from before
    where account_id = :accountId and id = before.key_id
    returning ${RECORD}, case when daily_limit <> before.previous then ${appendEventSql('quota.changed', {
      accountId: 'account_id',
      fact: `id || ':' || gen_random_uuid()`,
      data: { keyId: 'id', name: 'name', previousQuota: 'before.previous', dailyQuota: 'daily_limit' },
    })} end,
    case when revoked_at is null and usage_day >= (service_now() at time zone 'UTC')::date
      then ${quotaEventsSql('api_key', '0')} end`,
);

/** Leaves a test key one token of today, if that was asked for when it was created. */
export const nearlyUseQuota = statement<{ accountId: string; keyId: string }, KeyRow>(
  'key-nearly-use-quota',
  `
    update api_key set usage_day = (service_now() at time zone 'UTC')::date, used = daily_limit - 1
    where account_id = :accountId and id = :keyId and daily_limit > 0
      and ${testFaultOf('api_key.account_id', 'api_key.id')} = 'QUOTA_NEARLY_USED'
    returning ${RECORD}, ${quotaEventsSql('api_key', '0')}`,
);

/** For a test account whose clock has passed midnight: what its keys have used counts for an earlier day. */
export const beginDaysAnew = statement<{ accountId: string; days: number }>(
  'key-begin-days-anew',
  `
    with revoked as (update revoked_quota set tokens = 0 where account_id = :accountId)
    update api_key set usage_day = usage_day - :days::int where account_id = :accountId and used > 0`,
);

export const SUSPEND_KEYS = statement<{ accountIds: readonly string[]; suspended: boolean }>(
  'suspend_keys',
  'update api_key set suspended = :suspended where account_id = any (:accountIds::uuid[]) and suspended <> :suspended',
);

export interface NamedKeyRow extends Pick<KeyRow, 'id' | 'name' | 'prefix' | 'last4' | 'revoked_at'> {
  hash: Buffer;
}

/** The account's keys by id, by hash, or by their beginning and, if it is given, their end. At most two. */
export const NAMED_KEYS = statement<
  { accountId: string; keyId: string | null; hash: Buffer | null; prefix: string | null; last4: string | null },
  NamedKeyRow
>(
  'key-named',
  `
    select id, name, prefix, last4, revoked_at, hash from api_key
    where account_id = :accountId and (id = :keyId or hash = :hash
      or (prefix = :prefix and (:last4::text is null or last4 = :last4)))
    order by id limit 2`,
);

/** For staff: the accounts with a key that begins so. */
export const ACCOUNTS_BY_KEY_PREFIX = statement<{ prefix: string; most: number }, { account_id: string }>(
  'support-accounts-by-key-prefix',
  'select distinct account_id from api_key where prefix = :prefix order by account_id limit :most',
);

/** Before a change of the limit, so that the audit entry says what it was. */
export const LOCK_KEY_LIMIT = statement<{ accountId: string; apiKeyId: string }, { daily_limit: number }>(
  'support-lock-key',
  'select daily_limit from api_key where account_id = :accountId and id = :apiKeyId for update',
);
