import type { Statement } from '../../db/sql.js';

const RECORD = `account_id, id, name, prefix, last4, daily_limit, created_at, revoked_at,
  case when usage_day >= (service_now() at time zone 'UTC')::date then used else 0 end as used_today`;

/** Also taken by whoever suspends an account, so that no key is born beside a suspension. */
export const lockAccount: Statement = {
  name: 'key-lock-account',
  text: `select suspended_at is not null as suspended from account where id = $1 for no key update`,
};

export const countLiveKeys: Statement = {
  name: 'key-count-live',
  text: `select count(*)::int as live from api_key where account_id = $1 and revoked_at is null`,
};

export const insertKey: Statement = {
  name: 'key-insert',
  text: `insert into api_key (account_id, id, name, hash, prefix, last4, created_at)
    values ($1, $2, $3, $4, $5, $6, service_now()) returning ${RECORD}`,
};

export const listKeys: Statement = {
  name: 'key-list',
  text: `select ${RECORD} from api_key where account_id = $1 order by created_at desc, id desc`,
};

export const renameKey: Statement = {
  name: 'key-rename',
  text: `update api_key set name = $3 where account_id = $1 and id = $2 returning ${RECORD}`,
};

export const revokeKey: Statement = {
  name: 'key-revoke',
  text: `update api_key set revoked_at = coalesce(revoked_at, service_now())
    where account_id = $1 and id = $2 returning ${RECORD}`,
};

/** The days gone by on which the key minted, oldest first; today is in the key itself. */
export const keyDays: Statement = {
  name: 'key-days',
  text: `select key_id, day::text, used, daily_limit from (
      select key_id, day, used, daily_limit from api_key_day where account_id = $1 and key_id = any ($2::uuid[])
      union all
      select id, usage_day, used, daily_limit from api_key
      where account_id = $1 and id = any ($2::uuid[]) and used > 0
    ) d
    where day > (service_now() at time zone 'UTC')::date - $3::int
    order by key_id, day`,
};

export const setKeyLimit: Statement = {
  name: 'key-set-limit',
  text: `update api_key set daily_limit = $3 where account_id = $1 and id = $2 returning ${RECORD}`,
};
