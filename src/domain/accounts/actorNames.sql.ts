import { statement } from '../../db/sql.js';

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
