import { Migration } from '@mikro-orm/migrations';

/**
 * What was done to a video, and by whom. `record_video_change` writes in the statement that makes the change: both commit,
 * or neither.
 *
 * Changes of the same kind by the same actor are one row per hour, with the time of the last: a program that writes
 * without end cannot fill the table. What the row names are ids, so an erased account leaves no name behind; its rows go
 * in the statement that says that the erasure is done.
 */
export class Migration0166VideoChanges extends Migration {
  override up(): void {
    this.addSql(`
      create table video_change (
        account_id uuid not null,
        video_id uuid not null,
        fact text not null,
        kind text not null,
        actor text not null check (actor in ('owner', 'access_token', 'api_key', 'support', 'service')),
        actor_id uuid,
        created_at timestamptz not null,
        primary key (account_id, video_id, fact)
      )`);
    this.addSql(`create index video_change_newest on video_change (account_id, video_id, created_at desc, fact desc)`);
    this.addSql(`create index video_change_by_age on video_change (created_at)`);
    this.addSql(`
      create function record_video_change(p_account uuid, p_video uuid, p_kind text, p_actor text, p_actor_id uuid)
      returns boolean language plpgsql set search_path = pg_catalog, public, pg_temp as $$
      declare
        now timestamptz := public.service_now();
        -- The event log has each of these, so each is a row here.
        slot timestamptz := case when p_kind in ('video.uploaded', 'video.deleted', 'video.restored') then now
          else date_trunc('hour', now) end;
      begin
        insert into public.video_change (account_id, video_id, fact, kind, actor, actor_id, created_at)
          values (p_account, p_video, concat_ws(':', p_kind, p_actor, p_actor_id, extract(epoch from slot)), p_kind, p_actor,
            p_actor_id, now)
          on conflict (account_id, video_id, fact) do update set created_at = excluded.created_at;
        return true;
      end $$`);
    this.addSql(`
      create or replace function erase_staff_records() returns trigger
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        kept_table text;
      begin
        foreach kept_table in array array['account_note', 'staff_view', 'video_change'] loop
          execute format('delete from public.%I where account_id = any ($1)', kept_table)
            using array(select new.account_id union all
              select t.account_id from public.test_account t where t.live_account_id = new.account_id);
        end loop;
        return null;
      end $$`);
  }
}
