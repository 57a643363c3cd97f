import type { Sql } from '../../../db/sql.js';

/**
 * Emails about a changed password, address or second factor. Triggers write them in the transaction that makes the
 * change, so that no way to make one can forget its email. The password of an address that was never confirmed is not
 * news to anybody.
 */
export async function bindNoticesToUsers(sql: Sql): Promise<void> {
  await sql.query({
    name: '',
    text: `
    create or replace function public.queue_password_notice() returns trigger language plpgsql
      security definer set search_path = pg_catalog, public, pg_temp as $$
    begin
      insert into public.notice (account_id, key, kind, data, created_at, send_after)
        select u.id, 'security:' || gen_random_uuid(), 'password.changed', jsonb_build_object('at', at.now), at.now, at.now
        from auth."user" u cross join (select public.service_now() as now offset 0) at
        where u.id = new."userId" and u."emailVerified";
      return null;
    end $$;
    create or replace function public.queue_user_notice() returns trigger language plpgsql
      security definer set search_path = pg_catalog, public, pg_temp as $$
    begin
      insert into public.notice (account_id, key, kind, data, to_address, created_at, send_after)
        select new.id, 'security:' || gen_random_uuid(), said.kind, said.data, said.to_address, at.now, at.now
        from (select public.service_now() as now offset 0) at,
          lateral (values
            ('address.changed', jsonb_build_object('email', new.email), old.email,
              old.email is distinct from new.email and old."emailVerified"),
            ('two_factor.on', jsonb_build_object('at', at.now), null,
              coalesce(new."twoFactorEnabled", false) and not coalesce(old."twoFactorEnabled", false)),
            ('two_factor.off', jsonb_build_object('at', at.now), null,
              coalesce(old."twoFactorEnabled", false) and not coalesce(new."twoFactorEnabled", false))
          ) said(kind, data, to_address, is_news)
        where said.is_news;
      return null;
    end $$;
    do $$
    begin
      -- Replacing one would wait for every user of the table, and hold up every sign-in behind it.
      if not exists (select from pg_trigger where tgrelid = 'auth.account'::regclass and tgname = 'password_is_told') then
        create trigger password_is_told after update of password on auth.account
          for each row when (old.password is distinct from new.password)
          execute function public.queue_password_notice();
      end if;
      if not exists (select from pg_trigger where tgrelid = 'auth."user"'::regclass and tgname = 'user_change_is_told') then
        create trigger user_change_is_told after update on auth."user"
          for each row when (old.email is distinct from new.email
            or old."twoFactorEnabled" is distinct from new."twoFactorEnabled")
          execute function public.queue_user_notice();
      end if;
    end $$`,
  });
}
