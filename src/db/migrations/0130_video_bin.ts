import { Migration } from '@mikro-orm/migrations';

/**
 * A deleted video stays in the bin until `purge_after`: `deleted_at` hides it from everyone, and its files, captions and
 * keys stay. Once it is deleted for good, `purge_after` is null again and `deleted_at` is that time.
 *
 * `deletions` tells its deletions apart, since a restored video can be deleted again: each is an event of its own.
 */
export class Migration0130VideoBin extends Migration {
  override up(): void {
    this.addSql(`
      alter table video add column purge_after timestamptz, add column deletions integer not null default 0,
        add constraint video_in_bin_is_deleted check (purge_after is null or deleted_at is not null)`);
    this.addSql(`create index video_bin on video (account_id, deleted_at, id) where purge_after is not null`);
    this.addSql(`create index video_purge on video (purge_after, id) where purge_after is not null`);
    // As in 0059, for videos that are not in the bin.
    this.addSql(`
      create or replace function public.forget_video(p_account uuid, p_video uuid) returns boolean language plpgsql volatile
        security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform from public.video v
          where v.account_id = p_account and v.id = p_video and v.attempt = 0
            and v.deleted_at < public.service_now() - interval '30 days' and v.purge_after is null
            and not exists (select from public.upload u
              where u.account_id = v.account_id and u.video_id = v.id and u.finished_at is null)
            and not exists (select from public.stored_object o
              where o.account_id = v.account_id and o.video_id = v.id and (o.swept_at is null or o.removed_at is null
                or (o.stored_at at time zone 'UTC')::date <> (o.removed_at at time zone 'UTC')::date))
          for update;
        if not found then
          return false;
        end if;
        delete from public.stored_object where account_id = p_account and video_id = p_video;
        delete from public.upload where account_id = p_account and video_id = p_video;
        delete from public.quote where account_id = p_account and video_id = p_video;
        delete from public.video where account_id = p_account and id = p_video;
        return true;
      end $$`);
  }
}
