import { Migration } from '@mikro-orm/migrations';

/** Only one connection at a time writes to an upload, whichever process it reached. */
export class Migration0008UploadLeases extends Migration {
  override up(): void {
    this.addSql(`
      alter table upload
        add column lease_token uuid,
        add column leased_until timestamptz,
        add column release_wanted boolean not null default false`);
  }
}
