import { Migration } from '@mikro-orm/migrations';

/**
 * Test mode can let time pass, and has payments that nobody makes. Both are facts of a test account: rows that never
 * change, from which every figure is computed. `about_id` is the payment of a dispute, or the dispute of its end.
 */
export class Migration0170TestFacts extends Migration {
  override up(): void {
    this.addSql(`
      alter table test_fault add column about_id uuid, add column amount_micros bigint, add column created_at timestamptz`);
    this.addSql(`
      alter table test_fault drop constraint test_fault_fault_check, drop constraint test_fault_seconds_check,
        drop constraint test_fault_check`);
    this.addSql(`
      alter table test_fault
        add constraint test_fault_known check (fault in ('ENCODE_FAILS_AT_HALF', 'READY_AFTER_N_SECONDS',
          'QUOTA_NEARLY_USED', 'TOKENS_EXPIRED', 'TOKENS_LIVE_ON', 'TWICE', 'LATE', 'OUT_OF_ORDER', 'CLOCK_MOVED',
          'PAYMENT_MADE', 'PAYMENT_DISPUTED', 'DISPUTE_WON', 'DISPUTE_LOST', 'STORAGE_CHARGED')) not valid,
        add constraint test_fault_time check (case fault
          when 'READY_AFTER_N_SECONDS' then coalesce(seconds between 1 and 600, false)
          when 'CLOCK_MOVED' then coalesce(seconds between 1 and 2678400, false)
          else seconds is null end) not valid,
        add constraint test_fault_amount check (case
          when fault in ('PAYMENT_MADE', 'STORAGE_CHARGED') then coalesce(amount_micros > 0, false)
          else amount_micros is null end) not valid,
        add constraint test_fault_dated check (created_at is not null or fault not in
          ('CLOCK_MOVED', 'PAYMENT_MADE', 'DISPUTE_WON', 'DISPUTE_LOST', 'STORAGE_CHARGED')) not valid`);
  }
}
