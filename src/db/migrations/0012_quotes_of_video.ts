import { Migration } from '@mikro-orm/migrations';

/** A new quote removes the outdated quotes of its video. */
export class Migration0012QuotesOfVideo extends Migration {
  override up(): void {
    this.addSql('create index quote_video on quote (account_id, video_id, expires_at)');
  }
}
