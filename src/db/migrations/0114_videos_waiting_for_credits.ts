import { Migration } from '@mikro-orm/migrations';

/** Finds the videos that wait for credits, oldest first, without reading all others every minute. */
export class Migration0114VideosWaitingForCredits extends Migration {
  override up(): void {
    this.addSql(`
      create index video_waiting_for_credits on video (created_at, id)
        where status = 'uploaded' and auto_process and attempt = 0 and deleted_at is null
          and failure_code in ('INSUFFICIENT_CREDITS', 'DEBT_OUTSTANDING')`);
  }
}
