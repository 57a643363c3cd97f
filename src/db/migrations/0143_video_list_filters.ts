import { Migration } from '@mikro-orm/migrations';

/**
 * The list of videos is also sorted by length, and filtered by metadata: `metadata ? key` and `metadata @> {key: value}`.
 * Videos that are not measured yet count as having no length. The page of a video lists what staff did to it.
 */
export class Migration0143VideoListFilters extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`drop index concurrently if exists video_length`);
    this.addSql(`
      create index concurrently video_length on video (account_id, (coalesce(duration_ms, 0)), id)
        where deleted_at is null`);
    this.addSql(`drop index concurrently if exists video_metadata`);
    this.addSql(`
      create index concurrently video_metadata on video using gin (account_id, metadata) where deleted_at is null`);
    this.addSql(`drop index concurrently if exists audit_entry_of_video`);
    this.addSql(`
      create index concurrently audit_entry_of_video on audit_entry (account_id, subject, created_at, id)
        where action like 'video.%'`);
  }
}
