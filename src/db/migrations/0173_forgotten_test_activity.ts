import { Migration } from '@mikro-orm/migrations';

/** As 0148, with the activity of the video. */
export class Migration0173ForgottenTestActivity extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function forget_test_video(p_account uuid, p_video uuid) returns boolean language plpgsql volatile
        security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform from public.video v
          where v.account_id = p_account and v.id = p_video
            and exists (select from public.test_account t where t.account_id = p_account)
            and v.deleted_at < public.service_now() - interval '30 days' and v.purge_after is null
            and not exists (select from public.upload u
              where u.account_id = v.account_id and u.video_id = v.id and u.finished_at is null)
            and not exists (select from public.stored_object o
              where o.account_id = v.account_id and o.video_id = v.id and (o.swept_at is null or o.removed_at is null))
            and not exists (select from public.processing p
              where p.account_id = v.account_id and p.video_id = v.id and p.state in ('queued', 'running'))
            and not exists (select from public.processing_output o
              where o.account_id = v.account_id and o.video_id = v.id and o.sweep_after is not null)
          for update;
        if not found then
          return false;
        end if;
        delete from public.stored_object where account_id = p_account and video_id = p_video;
        delete from public.upload where account_id = p_account and video_id = p_video;
        delete from public.quote where account_id = p_account and video_id = p_video;
        delete from public.processing_chunk where account_id = p_account and video_id = p_video;
        delete from public.processing_output where account_id = p_account and video_id = p_video;
        delete from public.processing where account_id = p_account and video_id = p_video;
        delete from public.caption where account_id = p_account and video_id = p_video;
        delete from public.rendition where account_id = p_account and video_id = p_video;
        delete from public.media_key where account_id = p_account and video_id = p_video;
        delete from public.video_change where account_id = p_account and video_id = p_video;
        delete from public.test_fault where account_id = p_account and subject_id = p_video;
        delete from public.video where account_id = p_account and id = p_video;
        return true;
      end $$`);
  }
}
