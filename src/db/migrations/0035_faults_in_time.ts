import { Migration } from '@mikro-orm/migrations';

/** When a broken run last counted as a fault of its attempt: an outage breaks many runs in a row. */
export class Migration0035FaultsInTime extends Migration {
  override up(): void {
    this.addSql('alter table processing add column faulted_at timestamptz');
  }
}
