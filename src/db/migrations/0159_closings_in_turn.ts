import { Migration } from '@mikro-orm/migrations';

/**
 * Chores take up the closings that they have not tried for longest. By age alone, a hundred closings that must wait, for a
 * night or for a provider, would hold up all younger ones.
 */
export class Migration0159ClosingsInTurn extends Migration {
  override up(): void {
    this.addSql(`
      alter table account_closing add column settle_tried_at timestamptz, add column erase_tried_at timestamptz`);
  }
}
