import { Migration } from '@mikro-orm/migrations';

/**
 * The one clock for quota days, escrow and payment windows. In production its body is the plain database clock. Only
 * `installVirtualClock` (db/virtualClock.ts), which production refuses, replaces it with an adjustable one.
 */
export class Migration0001Clock extends Migration {
  override up(): void {
    this.addSql(`
      create function service_now() returns timestamptz
        language sql volatile parallel safe
        return clock_timestamp()`);
  }
}
