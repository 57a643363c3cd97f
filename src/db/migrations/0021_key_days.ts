import { Migration } from '@mikro-orm/migrations';

/**
 * How many tokens each key minted on past days. The key's own row counts today. Its first mint of a later day records
 * the day before, so history costs one row per key and day, and nothing per mint.
 */
export class Migration0021KeyDays extends Migration {
  override up(): void {
    this.addSql(`
      create table api_key_day (
        account_id uuid not null,
        key_id uuid not null,
        day date not null,
        used integer not null,
        daily_limit integer not null,
        primary key (account_id, key_id, day)
      )`);
    this.addSql(`
      create function keep_key_day() returns trigger language plpgsql as $$
      begin
        insert into api_key_day (account_id, key_id, day, used, daily_limit)
        values (old.account_id, old.id, old.usage_day, old.used, old.daily_limit)
        on conflict do nothing;
        return null;
      end $$`);
    this.addSql(`
      create trigger api_key_day_kept after update of usage_day on api_key for each row
        when (new.usage_day > old.usage_day and old.used > 0) execute function keep_key_day()`);
  }
}
