import { Migration } from '@mikro-orm/migrations';

/**
 * A ladder is published in stages, by one or several runs. Each rendition records the run whose prefix it is under; the
 * video records it only for its poster and storyboard.
 */
export class Migration0024EarlyPlay extends Migration {
  override up(): void {
    this.addSql(`alter table rendition add column prefix text`);
    this.addSql(`
      update rendition r set prefix = coalesce(v.published_prefix, '') from video v
      where v.account_id = r.account_id and v.id = r.video_id`);
    this.addSql(`delete from rendition where prefix is null`);
    this.addSql(`alter table rendition alter column prefix set not null`);
    this.addSql(`alter table video rename column published_prefix to pictures_prefix`);
  }
}
