import { Migration } from '@mikro-orm/migrations';

/**
 * Erasing `ann@example.com` also deleted the open links of `joann@example.com`, since the one address is a part of the
 * other. The rest of the function is as it was.
 */
export class Migration0160ErasureOfOneAddress extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function finish_erasure(p_account uuid) returns text
      language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        owned uuid[] := array(select p_account union all
          select t.account_id from public.test_account t where t.live_account_id = p_account);
        address text;
      begin
        if not public.is_erasable(p_account) or not exists (select from public.account_closing where account_id = p_account) then
          raise exception 'the account is not closed, or can still be reopened' using errcode = '42501';
        end if;
        perform from public.account where id = p_account for update;
        if exists (select from public.video where account_id = any (owned) and (deleted_at is null or purge_after is not null))
          then return 'videos'; end if;
        if exists (select from public.upload where account_id = any (owned) and finished_at is null) then return 'uploads'; end if;
        if exists (select from public.stored_object where account_id = any (owned) and swept_at is null)
          or exists (select from public.processing_output where account_id = any (owned) and sweep_after <= public.service_now())
          then return 'files'; end if;
        if exists (select from public.webhook_event where account_id = any (owned) and redacted_at is null)
          then return 'webhooks'; end if;
        select u.email into address from auth."user" u where u.id = p_account;
        if address is not null then
          -- As a word of its own: it may be a part of another user's address.
          delete from auth.verification
            where address = any (regexp_split_to_array(identifier || ' ' || value, '[][\\s"'':;,<>()]+'))
              or strpos(value, p_account::text) > 0;
          delete from auth."twoFactor" where "userId" = p_account;
          delete from auth.session where "userId" = p_account;
          delete from auth.account where "userId" = p_account;
          delete from auth."user" where id = p_account;
        end if;
        -- Play payments, outside production.
        if to_regclass('public.payment_sandbox_order') is not null then
          delete from public.payment_sandbox_webhook w using public.payment_sandbox_order o
            where o.order_id = w.order_id and o.account_id = any (owned);
          update public.payment_sandbox_payment p set payer_email = 'erased' from public.payment_sandbox_order o
            where o.order_id = p.order_id and o.account_id = any (owned);
          update public.payment_sandbox_order set payer_email = 'erased', description = '', return_url = ''
            where account_id = any (owned);
        end if;
        update public.account set suspended_reason = 'Erased.', allowed_domains = '{}' where id = any (owned);
        update public.account_closing set erased_at = public.service_now()
          where account_id = p_account and reopened_at is null and erased_at is null;
        return null;
      end $$`);
  }
}
