import { Migration } from '@mikro-orm/migrations';

/** The page of a video lists its events, which know it by its UUID. */
export class Migration0144VideoActivity extends Migration {
  override up(): void {
    // Not concurrently, because the table has partitions.
    this.addSql(`
      create index event_of_video on event (account_id, (data ->> 'uuid'), created_at, id) where type like 'video.%'`);
  }
}
