import { Migration } from '@mikro-orm/migrations';

/** Whether a dispute has become an event: facts of the event log are forgotten before the longest disputes end. */
export class Migration0092DisputesTold extends Migration {
  override up(): void {
    this.addSql(`alter table payment_dispute add column is_told boolean not null default false`);
    this.addSql(`update payment_dispute set is_told = true`);
  }
}
