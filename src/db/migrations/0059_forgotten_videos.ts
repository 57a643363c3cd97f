import { Migration } from '@mikro-orm/migrations';

/**
 * The books need nothing of a deleted video that was never bought, unless its file was stored over a midnight: then
 * storage was charged for it. The others are forgotten after 30 days.
 *
 * The runtime role cannot delete rows that storage is charged from, so the function runs as its owner and checks for
 * itself.
 */
export class Migration0059ForgottenVideos extends Migration {
  override up(): void {
    this.addSql(`
      create index video_forgettable on video (deleted_at, id) where deleted_at is not null and attempt = 0`);
    this.addSql(`
      create function public.forget_video(p_account uuid, p_video uuid) returns boolean language plpgsql volatile
        security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform from public.video v
          where v.account_id = p_account and v.id = p_video and v.attempt = 0
            and v.deleted_at < public.service_now() - interval '30 days'
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
