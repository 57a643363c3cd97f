import { Migration } from '@mikro-orm/migrations';

/**
 * Test videos end by themselves. To find those that do, chores read all videos of every test account, several times an
 * hour. Now a test video says that it is one, whichever version creates it, and an index has only those.
 */
export class Migration0215TestVideos extends Migration {
  override up(): void {
    this.addSql('alter table video add column is_test boolean not null default false');
    this.addSql(`
      create function mark_test_video() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        new.is_test := exists (select from public.test_account t where t.account_id = new.account_id);
        return new;
      end $$`);
    this.addSql(`
      create trigger video_marks_test before insert on video
        for each row execute function mark_test_video()`);
  }
}
