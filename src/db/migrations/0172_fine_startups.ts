import { Migration } from '@mikro-orm/migrations';

/**
 * Startup times in buckets of 2 %, beside those of 4 %. Rows that exist have none and need none: a percentile reads the
 * wider buckets for the plays that the narrower ones do not count. That includes plays that the version before still adds.
 */
export class Migration0172FineStartups extends Migration {
  override up(): void {
    for (const table of ['playback_hour', 'playback_day']) {
      this.addSql(`alter table ${table} add column fine_startups integer[]`);
    }
  }
}
