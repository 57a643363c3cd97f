import { Migration } from '@mikro-orm/migrations';

/** The I-frame track beside the storyboard. Videos that were made before have none. */
export class Migration0108TrickPlay extends Migration {
  override up(): void {
    this.addSql(`alter table video add column trick_play jsonb`);
  }
}
