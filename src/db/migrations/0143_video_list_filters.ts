import { Migration } from '@mikro-orm/migrations';

/**
 * The list of videos is also sorted by length, and filtered by metadata: `metadata ? key` and `metadata @> {key: value}`.
 * Videos that are not measured yet count as having no length.
 */
export class Migration0143VideoListFilters extends Migration {
  override up(): void {
    this.addSql(`
      create index video_length on video (account_id, (coalesce(duration_ms, 0)), id) where deleted_at is null`);
    this.addSql(`create index video_metadata on video using gin (account_id, metadata) where deleted_at is null`);
  }
}
