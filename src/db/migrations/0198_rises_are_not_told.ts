import { Migration } from '@mikro-orm/migrations';

/** What a low balance is compared with, as in 0196. */
const LIMIT = 'case when coalesce(w.is_default, true) then 50000000 else w.threshold_micros end';

/**
 * A first top-up below the threshold, a bonus or a refund that comes back adds credits. Until now, the first posting
 * that found a balance below its threshold told it as low, though it had risen. Now only a posting that lowers the
 * balance tells it.
 */
export class Migration0198RisesAreNotTold extends Migration {
  override up(): void {
    // For what only adds, such as a night that is reversed. The caller holds the wallets' locks.
    this.addSql(`
      create function note_risen_balances(owners uuid[]) returns void
      language sql volatile set search_path = pg_catalog, public, pg_temp as $$
        update public.low_balance w set below_since = null
          from (
            select a.owner_id, sum(a.balance) as micros from public.ledger_account a
            where a.owner_id = any (owners) and a.account_no in (1, 2, 4)
            group by a.owner_id
          ) held
          where w.account_id = held.owner_id and w.below_since is not null and held.micros >= ${LIMIT}
            and exists (select from public.account o where o.id = w.account_id)
            and not exists (
              select from public.account_closing c where c.account_id = w.account_id and c.reopened_at is null);
      $$`);
    // Most postings end after two reads by primary key. A balance below its threshold that is not marked takes more:
    // of owners who never topped up, of closed accounts, and after a small first top-up.
    this.addSql(`
      create or replace function tell_low_balance() returns trigger
      language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
      declare
        held numeric;
        threshold bigint;
        is_marked boolean;
      begin
        select sum(a.balance) into held from public.ledger_account a
          where a.owner_id = new.owner_id and a.account_no in (1, 2, 4);
        select ${LIMIT}, w.below_since is not null into threshold, is_marked
          from public.low_balance w where w.account_id = new.owner_id;
        if not found then
          threshold := 50000000;
          is_marked := false;
        end if;
        if held >= threshold and is_marked then
          perform public.note_risen_balances(array[new.owner_id]);
        elsif held < threshold and not is_marked and exists (
          select from public.ledger_entry e
          where e.owner_id = new.owner_id and e.created_at = new.created_at and e.tx_id = new.tx_id
            and e.account_no in (1, 2, 4)
          having sum(e.delta) < 0
        ) then
          perform public.tell_low_balances(array[new.owner_id]);
        end if;
        return null;
      end $$`);
  }
}
