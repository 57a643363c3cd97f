import { Migration } from '@mikro-orm/migrations';

/**
 * Brings a key back to today if its day is ahead of a corrected clock. Tokens minted on days that are not over count as
 * today's, since they may have been: setting a clock back and forth gives no second quota.
 *
 * Locks the row first and reads its days in a later statement, so that none of them is missed.
 */
export class Migration0042KeyDayAhead extends Migration {
  override up(): void {
    this.addSql(`
      create function recall_key_day(key_hash bytea) returns void language plpgsql
        set search_path = pg_catalog, pg_temp as $$
      declare
        k public.api_key;
        today date;
        earlier bigint;
      begin
        select * into k from public.api_key where hash = key_hash for no key update;
        today := (public.service_now() at time zone 'UTC')::date;
        if k.usage_day is null or k.usage_day <= today + 1 then return; end if;
        with gone as (
          delete from public.api_key_day d
          where d.account_id = k.account_id and d.key_id = k.id and d.day >= today returning d.used
        )
        select coalesce(sum(gone.used), 0) into earlier from gone;
        -- What revoked keys had minted stands in the key's own first day, and not in what was kept of it.
        if (k.created_at at time zone 'UTC')::date = today then earlier := earlier + k.taken_over; end if;
        update public.api_key set usage_day = today, used = least(k.used + earlier, 2147483647)
        where account_id = k.account_id and id = k.id;
      end $$`);
  }
}
