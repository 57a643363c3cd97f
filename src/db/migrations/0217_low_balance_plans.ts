import { Migration } from '@mikro-orm/migrations';

/** What a low balance is compared with, as in 0196. */
const LIMIT = 'case when coalesce(w.is_default, true) then 50000000 else w.threshold_micros end';

/**
 * Asks for a posting's entries in an expression of its own, which only a low balance that is not marked evaluates.
 * As part of a longer one it was planned for every posting, for all partitions, even when nothing had to be read.
 */
export class Migration0217LowBalancePlans extends Migration {
  override up(): void {
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
        if held >= threshold then
          if is_marked then
            perform public.note_risen_balances(array[new.owner_id]);
          end if;
        elsif not is_marked then
          if exists (
            select from public.ledger_entry e
            where e.owner_id = new.owner_id and e.created_at = new.created_at and e.tx_id = new.tx_id
              and e.account_no in (1, 2, 4)
            having sum(e.delta) < 0
          ) then
            perform public.tell_low_balances(array[new.owner_id]);
          end if;
        end if;
        return null;
      end $$`);
  }
}
