import { Migration } from '@mikro-orm/migrations';

/**
 * The segment boundaries of an attempt with a passthrough rendition. All other renditions, whichever run makes them,
 * are cut there. Whole milliseconds; null for constant intervals.
 */
export class Migration0030KeptBorders extends Migration {
  override up(): void {
    this.addSql(`alter table processing add column borders jsonb`);
  }
}
