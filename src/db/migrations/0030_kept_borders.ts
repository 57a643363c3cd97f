import { Migration } from '@mikro-orm/migrations';

/**
 * Where the segments of an attempt begin when a rung of it was copied: all other rungs, whichever run makes them, are cut
 * there. Whole milliseconds; null is by the clock.
 */
export class Migration0030KeptBorders extends Migration {
  override up(): void {
    this.addSql(`alter table processing add column borders jsonb`);
  }
}
