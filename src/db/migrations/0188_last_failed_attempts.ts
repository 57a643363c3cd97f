import { Migration } from '@mikro-orm/migrations';

/** When an attempt at an endpoint last failed: failures from before a long quiet time do not count. */
export class Migration0188LastFailedAttempts extends Migration {
  override up(): void {
    this.addSql(`alter table webhook_endpoint add column last_failed_at timestamptz`);
  }
}
