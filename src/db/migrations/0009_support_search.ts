import { Migration } from '@mikro-orm/migrations';

/**
 * Staff search for accounts by a video, and read the audit trail of all accounts. Only these two statements run without
 * an account.
 */
export class Migration0009SupportSearch extends Migration {
  override up(): void {
    this.addSql(`create index video_id on video using hash (id)`);
    this.addSql(`create index audit_entry_newest_of_all on audit_entry (created_at desc, account_id desc, id desc)`);
  }
}
