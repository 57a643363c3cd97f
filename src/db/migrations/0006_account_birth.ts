import { Migration } from '@mikro-orm/migrations';

/**
 * `open_account` creates a complete account: its row, its wallet, its counters. The trigger on the identity schema's
 * users (db/migrate.ts) calls it in the transaction of the sign-up. Idempotent.
 */
export class Migration0006AccountBirth extends Migration {
  override up(): void {
    this.addSql(`
      create function open_account(account_id uuid) returns void language sql
        set search_path = public as $$
        insert into account (id) values ($1) on conflict do nothing;
        insert into video_count (account_id) values ($1) on conflict do nothing;
        insert into ledger_account (owner_id, account_no)
          select $1, n from unnest(array[1, 2, 3, 4, 10, 11, 12, 50, 60, 61, 62, 63, 64, 65]) n
          on conflict do nothing;
      $$`);
    // Amounts without a known owner, such as a payment for an unknown order, are posted under the nil owner.
    this.addSql(`
      insert into ledger_account (owner_id, account_no)
        select '00000000-0000-0000-0000-000000000000', n
        from unnest(array[1, 2, 3, 4, 10, 11, 12, 50, 60, 61, 62, 63, 64, 65]) n`);
  }
}
