import { Migration } from '@mikro-orm/migrations';

/**
 * What is to go wrong with a video, key or webhook endpoint of a test account. The reference makes a fault impossible for
 * anything that is live. A fault is chosen when its subject is created, and does not change.
 */
export class Migration0121TestFaults extends Migration {
  override up(): void {
    this.addSql(`
      create table test_fault (
        account_id uuid not null references test_account (account_id),
        subject_id uuid not null,
        fault text not null check (fault in ('ENCODE_FAILS_AT_HALF', 'READY_AFTER_N_SECONDS', 'QUOTA_NEARLY_USED',
          'TOKENS_EXPIRED', 'TWICE', 'LATE', 'OUT_OF_ORDER', 'PAYMENT_DISPUTED')),
        seconds integer check (seconds between 1 and 600),
        primary key (account_id, subject_id),
        check ((fault = 'READY_AFTER_N_SECONDS') = (seconds is not null))
      )`);
  }
}
