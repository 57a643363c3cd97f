import { Migration } from '@mikro-orm/migrations';

/**
 * How many tokens an account's revoked keys minted today. New keys start with this count, so that revoking and creating
 * keys never gives more tokens than keeping them.
 */
export class Migration0047RevokedQuota extends Migration {
  override up(): void {
    this.addSql(`
      create table revoked_quota (
        account_id uuid primary key,
        day date not null,
        tokens integer not null check (tokens >= 0)
      ) with (fillfactor = 50)`);
    // Counts as used on the key's first day, though another key minted it. The chart of days leaves it out.
    this.addSql('alter table api_key add column taken_over integer not null default 0 check (taken_over >= 0)');
    this.addSql(`
      create or replace function keep_key_day() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      declare
        minted integer := old.used;
      begin
        if old.usage_day = (old.created_at at time zone 'UTC')::date then
          minted := greatest(old.used - old.taken_over, 0);
        end if;
        if minted > 0 then
          insert into public.api_key_day (account_id, key_id, day, used, daily_limit)
          values (old.account_id, old.id, old.usage_day, minted, old.daily_limit)
          on conflict do nothing;
        end if;
        return null;
      end $$`);
    this.addSql(
      'create index api_key_revoked on api_key (account_id, revoked_at desc, id) where revoked_at is not null',
    );
  }
}
