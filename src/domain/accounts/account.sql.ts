export const OPEN_ACCOUNT = {
  name: 'open_account',
  text: 'select open_account($1::uuid)',
};

export const USER_BY_EMAIL = {
  name: 'user_by_email',
  text: 'select id from auth."user" where email = $1',
};

export const LOCK_ACCOUNT = {
  name: 'lock_account',
  text: 'select role, suspended_at from account where id = $1 for update',
};

export const SET_ROLE = {
  name: 'set_account_role',
  text: 'update account set role = $2 where id = $1',
};

export const ALLOWED_DOMAINS = {
  name: 'account_allowed_domains',
  text: 'select allowed_domains from account where id = $1',
};

export const SET_ALLOWED_DOMAINS = {
  name: 'set_account_allowed_domains',
  text: 'update account set allowed_domains = $2 where id = $1 returning allowed_domains',
};

export const SUSPEND_ACCOUNT = {
  name: 'suspend_account',
  text: 'update account set suspended_at = service_now(), suspended_reason = $2 where id = $1',
};

export const RESUME_ACCOUNT = {
  name: 'resume_account',
  text: 'update account set suspended_at = null, suspended_reason = null where id = $1',
};

/** By account id, or by a part of the e-mail address; an exact address comes first. `$2` is the id or null. */
export const FIND_ACCOUNTS = {
  name: 'find_accounts',
  text: `
    select a.id, u.email, u.name, u."emailVerified" as email_verified, a.role, a.suspended_at, a.suspended_reason,
           a.created_at
    from auth."user" u join account a on a.id = u.id
    where case when $2::uuid is null then strpos(u.email, $1) > 0 else a.id = $2::uuid end
    order by u.email <> $1, u.email
    limit $3`,
};

export const SESSIONS = {
  name: 'user_sessions',
  text: `
    select id, "createdAt" as created_at, "expiresAt" as expires_at, "ipAddress" as ip_address,
      "userAgent" as user_agent
    from auth.session where "userId" = $1 and "expiresAt" > now() order by "createdAt" desc, id limit $2`,
};

export const END_SESSION = {
  name: 'end_user_session',
  text: 'delete from auth.session where "userId" = $1 and id = $2',
};

export const END_OTHER_SESSIONS = {
  name: 'end_other_user_sessions',
  text: 'delete from auth.session where "userId" = $1 and id <> $2 returning id',
};
