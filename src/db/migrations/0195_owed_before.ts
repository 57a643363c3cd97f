import { Migration } from '@mikro-orm/migrations';

/** Finds closings that are marked, and marks those of accounts that were erased before and have credits. */
export class Migration0195OwedBefore extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists account_closing_owed');
    this.addSql(
      'create index concurrently account_closing_owed on account_closing (owed_at) where owed_at is not null',
    );
    this.addSql(`
      do $$
      declare
        marked integer;
      begin
        loop
          update account_closing set owed_at = service_now() where (account_id, id) in (
            select c.account_id, c.id from account_closing c join ledger_account l on l.owner_id = c.account_id
            where c.erased_at is not null and c.owed_at is null and l.account_no in (1, 2, 3, 4) and l.balance > 0
            limit 1000);
          get diagnostics marked = row_count;
          commit;
          exit when marked = 0;
        end loop;
      end $$`);
  }
}
