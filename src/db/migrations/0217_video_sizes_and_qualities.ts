import { Migration } from '@mikro-orm/migrations';

/**
 * The list of videos is also sorted by size and by quality, as `videoSorts.ts` writes both. Sorting by status walks the
 * index that filters by it.
 */
const ORDERS = [
  ['video_size', 'coalesce(size_bytes, 0)'],
  [
    'video_quality',
    `(case when attempt = 0 then 0 else coalesce(
      array_position(array['audio', '480p', '720p', '1080p', '1440p', '2160p'], quality), 0) end)::bigint`,
  ],
] as const;

export class Migration0217VideoSizesAndQualities extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [name, key] of ORDERS) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`
        create index concurrently ${name} on video (account_id, (${key}), id) where deleted_at is null`);
    }
  }
}
