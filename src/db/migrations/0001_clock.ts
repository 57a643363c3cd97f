import { Migration } from '@mikro-orm/migrations';

/**
 * One clock for quota days, escrow and payment windows. Production's body is the plain database clock; only
 * `installVirtualClock` (db/virtualClock.ts), which production refuses, puts an adjustable one in its place.
 */
export class Migration0001Clock extends Migration {
  override up(): void {
    this.addSql(`
      create function service_now() returns timestamptz
        language sql volatile parallel safe
        return clock_timestamp()`);
  }
}
