import { Migration } from '@mikro-orm/migrations';

/** A new account has rows that the runtime role cannot write, so `open_account` runs as its owner. */
export class Migration0036BirthsAsOwner extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function public.open_account(account_id uuid) returns void language sql
        security definer set search_path = pg_catalog, public, pg_temp as $$
        insert into public.account (id) values ($1) on conflict do nothing;
        insert into public.video_count (account_id) values ($1) on conflict do nothing;
        insert into public.ledger_account (owner_id, account_no)
          select $1, n from unnest(array[1, 2, 3, 4, 10, 11, 12, 50, 60, 61, 62, 63, 64, 65]) n
          on conflict do nothing;
        select public.give_referral_code($1);
      $$`);
  }
}
