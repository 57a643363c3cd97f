import { Migration } from '@mikro-orm/migrations';

/** Opening an upload adds up the bytes that an account holds without having bought processing. */
export class Migration0049UploadRoom extends Migration {
  override up(): void {
    this.addSql('create index upload_open on upload (account_id) include (size_bytes) where finished_at is null');
    this.addSql(`
      create index stored_object_unswept_of_account on stored_object (account_id)
        where removed_at is not null and swept_at is null`);
  }
}
