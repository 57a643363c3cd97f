import { Migration } from '@mikro-orm/migrations';

/** Staff look for accounts by a video, and read the trail of all accounts: the two statements that know no account. */
export class Migration0009SupportSearch extends Migration {
  override up(): void {
    this.addSql(`create index video_id on video using hash (id)`);
    this.addSql(`create index audit_entry_newest_of_all on audit_entry (created_at desc, account_id desc, id desc)`);
  }
}
