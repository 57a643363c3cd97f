import { Migration } from '@mikro-orm/migrations';

/**
 * Who downloads all data of an account, and until when: one at a time, whichever process answers. A process that ends
 * leaves a lease that expires.
 */
export class Migration0161OneDataDownload extends Migration {
  override up(): void {
    this.addSql(`alter table account add column data_download_id uuid, add column data_download_until timestamptz`);
  }
}
