import { statement } from '../../db/sql.js';
import { isClosed } from '../shared/closedAccounts.js';

/** An account's user and settings, as they move. */
export interface MovedAccountRow {
  /** `null` if the account has no user. */
  readonly email: string | null;
  readonly name: string | null;
  readonly email_verified: boolean | null;
  readonly allowed_domains: string[];
  readonly is_test: boolean;
  readonly is_closed: boolean;
}

export const MOVED_ACCOUNT = statement<{ accountId: string }, MovedAccountRow>(
  'moved-account',
  `
    select u.email, u.name, u."emailVerified" as email_verified, a.allowed_domains,
      exists (select from test_account t where t.account_id = a.id) as is_test,
      ${isClosed('a.id')} as is_closed
    from account a left join auth."user" u on u.id = a.id where a.id = :accountId`,
);

export const TAKEN = statement<{ accountId: string; email: string }, { account: boolean; email: boolean }>(
  'moved-taken',
  `
    select exists (select from account where id = :accountId::uuid)
        or exists (select from auth."user" where id = :accountId::uuid) as account,
      exists (select from auth."user" where email = :email) as email`,
);

/** Opens the account, too (`open_account_of_user`). The user has no password until they ask for a new one. */
export const ADD_USER = statement<{ accountId: string; email: string; name: string; emailVerified: boolean }>(
  'moved-add-user',
  `
    insert into auth."user" (id, email, name, "emailVerified") values (:accountId, :email, :name, :emailVerified)`,
);

export const SET_MOVED_ACCOUNT = statement<{ accountId: string; allowedDomains: readonly string[] }>(
  'moved-set-account',
  'update account set allowed_domains = :allowedDomains::text[] where id = :accountId',
);
