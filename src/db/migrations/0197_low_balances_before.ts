import { Migration } from '@mikro-orm/migrations';

/**
 * Tells the falls and rises since the chore last looked, as every transaction does from now on. Owners are taken in
 * the order of their ids, and their wallets are locked before they are compared, as everywhere. Here, because the first
 * releases have no function for it.
 */
export class Migration0197LowBalancesBefore extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      do $$
      declare
        after uuid := '00000000-0000-0000-0000-000000000000';
        owners uuid[];
      begin
        loop
          owners := array(select id from account where id > after order by id limit 1000);
          exit when owners = '{}';
          after := owners[cardinality(owners)];
          owners := array(
            select held.owner_id from (
              select owner_id, sum(balance) as micros from ledger_account
              where owner_id = any (owners) and account_no in (1, 2, 4) group by owner_id
            ) held left join low_balance w on w.account_id = held.owner_id
            where (held.micros < case when coalesce(w.is_default, true) then 50000000 else w.threshold_micros end)
              <> (w.below_since is not null)
            order by held.owner_id);
          perform from ledger_account where owner_id = any (owners) and account_no <= 50
            order by owner_id, account_no for no key update;
          perform tell_low_balances(owners);
          commit;
        end loop;
      end $$`);
  }
}
