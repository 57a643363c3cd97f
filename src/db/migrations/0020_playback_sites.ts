import { Migration } from '@mikro-orm/migrations';

/** The sites where an account's videos may play; empty for any site. */
export class Migration0020PlaybackSites extends Migration {
  override up(): void {
    this.addSql(`alter table account add column allowed_domains text[] not null default '{}'`);
  }
}
