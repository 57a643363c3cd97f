import { Migration } from '@mikro-orm/migrations';

/**
 * Test mode. What an owner makes in it belongs to an account of its own, their test account: with other videos, keys,
 * webhook endpoints and counters, and without a wallet. A statement that names an account, as all do, so keeps the modes
 * apart by itself, and the mode of a thing cannot change.
 */
export class Migration0120TestAccounts extends Migration {
  override up(): void {
    this.addSql(`
      create table test_account (
        account_id uuid primary key references account (id),
        live_account_id uuid not null unique references account (id),
        created_at timestamptz not null default service_now(),
        check (account_id <> live_account_id)
      )`);
    // The lock makes a suspension wait, or be seen. A test account has no test account.
    this.addSql(`
      create function open_test_account(live_id uuid, test_id uuid) returns uuid
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform from public.account where id = live_id for no key update;
        if not found then raise exception 'no account %', live_id using errcode = 'foreign_key_violation'; end if;
        if exists (select from public.test_account where account_id = live_id) then
          raise exception '% is a test account', live_id using errcode = 'check_violation';
        end if;
        insert into public.account (id, suspended_at, suspended_reason, allowed_domains)
          select test_id, suspended_at, suspended_reason, allowed_domains from public.account
          where id = live_id and not exists (select from public.test_account where live_account_id = live_id)
          on conflict do nothing;
        insert into public.test_account (account_id, live_account_id) values (test_id, live_id) on conflict do nothing;
        insert into public.video_count (account_id)
          select account_id from public.test_account where live_account_id = live_id on conflict do nothing;
        return (select account_id from public.test_account where live_account_id = live_id);
      end $$`);
    // A posting names ledger accounts. A test account has none, so nothing can be posted to it.
    this.addSql(`
      create function refuse_test_wallet() returns trigger
      language plpgsql set search_path = pg_catalog, public, pg_temp as $$
      begin
        if exists (select from public.test_account where account_id = new.owner_id) then
          raise exception 'a test account has no wallet' using errcode = 'check_violation', constraint = 'live_wallet';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger live_wallet before insert on ledger_account
      for each row execute function refuse_test_wallet()`);
  }
}
