import { Migration } from '@mikro-orm/migrations';

/** When a run's breaking last counted against its attempt: an outage breaks many in a row. */
export class Migration0035FaultsInTime extends Migration {
  override up(): void {
    this.addSql('alter table processing add column faulted_at timestamptz');
  }
}
