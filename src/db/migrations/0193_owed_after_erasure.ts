import { Migration } from '@mikro-orm/migrations';

/**
 * To see whether anything is owed to an erased account, a chore looked at all that were ever erased. Now an erasure, and
 * whatever moves money of an erased account, marks its closing, and the chore looks at those that are marked.
 *
 * Links are kept by digests, and belong to their user by its id, so the address that `finish_erasure` also looked for was
 * never there. The rest of the function is as it was.
 */
export class Migration0193OwedAfterErasure extends Migration {
  override up(): void {
    this.addSql('alter table account_closing add column owed_at timestamptz');
    // A mark that is young stays as it is, so that postings seldom wait for each other.
    this.addSql(`
      create function mark_owed() returns trigger
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        update public.account_closing set owed_at = public.service_now()
          where account_id = new.owner_id and erased_at is not null
            and coalesce(owed_at < public.service_now() - interval '1 hour', true);
        return null;
      end $$`);
    this.addSql(`
      create trigger ledger_tx_marks_owed after insert on ledger_tx
        for each row when (new.type in ('TOPUP', 'REFERRAL_BONUS', 'REFUND', 'DISPUTE', 'ADJUSTMENT')
          or (new.type = 'STORAGE' and new.idempotency_key like '%:reversed'))
        execute function mark_owed()`);
    this.addSql(`
      create or replace function finish_erasure(p_account uuid) returns text
      language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        owned uuid[] := array(select p_account union all
          select t.account_id from public.test_account t where t.live_account_id = p_account);
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
        delete from auth.verification where strpos(value, p_account::text) > 0;
        delete from auth."twoFactor" where "userId" = p_account;
        delete from auth.session where "userId" = p_account;
        delete from auth.account where "userId" = p_account;
        delete from auth."user" where id = p_account;
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
        update public.account_closing set erased_at = public.service_now(), owed_at = public.service_now()
          where account_id = p_account and reopened_at is null and erased_at is null;
        return null;
      end $$`);
  }
}
