import { Migration } from '@mikro-orm/migrations';

/**
 * PostgreSQL planned the reading of `ledger_entry` for every posting, which took longer than the reading: a plan for
 * one owner's partition looks cheaper than one for all, so it never kept one.
 */
export class Migration0217LowBalancePlans extends Migration {
  override up(): void {
    this.addSql('alter function tell_low_balance() set plan_cache_mode = force_generic_plan');
  }
}
