import { Migration } from '@mikro-orm/migrations';

/**
 * `recall_key_day` returns the key that it brought back to today, or nothing. Its count of today may now have crossed the
 * quota, and the calling statement writes the events of that.
 */
export class Migration0093RecalledKeys extends Migration {
  override up(): void {
    this.addSql('drop function recall_key_day(bytea)');
    this.addSql(`
      create function recall_key_day(key_hash bytea) returns setof api_key language plpgsql
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
        return query update public.api_key set usage_day = today, used = least(k.used + earlier, 2147483647)
          where account_id = k.account_id and id = k.id returning *;
      end $$`);
  }
}
