import { Migration } from '@mikro-orm/migrations';

/** What the low balances of these owners are compared with. The default is the one of LowBalanceService. */
const LIMIT = 'case when coalesce(w.is_default, true) then 50000000 else w.threshold_micros end';

/**
 * MASTER, CLOUD and CREATIVE of owners who can still be told. The rows of a closed account may be under erasure, and
 * nothing that holds a wallet waits for that.
 */
const HELD = `
  select a.owner_id, sum(a.balance) as micros from public.ledger_account a
  where a.owner_id = any (owners) and a.account_no in (1, 2, 4)
    and exists (select from public.account o where o.id = a.owner_id)
    and not exists (
      select from public.account_closing c where c.account_id = a.owner_id and c.reopened_at is null)
  group by a.owner_id`;

/**
 * A balance that falls below its threshold is told in the transaction that lowers it: the mark, the email and the event.
 * Until now, a chore looked for such balances.
 *
 * The trigger is deferred to the commit, so what a transaction takes and returns is no fall. Storage is charged to many
 * owners in one statement, which calls the function once for all of them; what it draws from MASTER changes no sum.
 */
export class Migration0196LowBalances extends Migration {
  override up(): void {
    // The caller holds the wallets' locks, so nothing else moves these balances or their marks meanwhile.
    this.addSql(`
      create function tell_low_balances(owners uuid[]) returns void
      language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
      declare
        fallen record;
        now timestamptz := public.service_now();
      begin
        update public.low_balance w set below_since = null
          from (${HELD}) held
          where w.account_id = held.owner_id and w.below_since is not null and held.micros >= ${LIMIT};
        for fallen in
          with low as materialized (
            select held.owner_id, held.micros, coalesce(w.is_default, true) as is_default, ${LIMIT} as threshold
            from (${HELD}) held left join public.low_balance w on w.account_id = held.owner_id
            where w.below_since is null and held.micros < ${LIMIT}
              and (w.is_default is false or exists (
                select from public.ledger_tx t where t.owner_id = held.owner_id and t.type = 'TOPUP'))
          ), marked as (
            insert into public.low_balance as w (account_id, is_default, threshold_micros, below_since, crossings)
            select owner_id, is_default, case when not is_default then threshold end, now, 1 from low order by owner_id
            on conflict (account_id) do update set below_since = excluded.below_since, crossings = w.crossings + 1
              where w.below_since is null
            returning account_id, crossings
          )
          select m.account_id, m.crossings, jsonb_build_object(
            'balance', trim_scale(low.micros / 1000000)::text,
            'threshold', trim_scale(low.threshold::numeric / 1000000)::text) as data
          from marked m join low on low.owner_id = m.account_id
          order by m.account_id
        loop
          insert into public.notice (account_id, key, kind, data, created_at, send_after)
            values (fallen.account_id, 'low-balance:' || fallen.crossings, 'wallet.low', fallen.data, now, now)
            on conflict do nothing;
          perform public.append_event(fallen.account_id, 'wallet.low', 1::smallint,
            'wallet.low:' || fallen.crossings, fallen.data);
        end loop;
      end $$`);
    // Most postings cross nothing, and end after two reads by primary key.
    this.addSql(`
      create function tell_low_balance() returns trigger
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
        if (held < threshold) <> is_marked then
          perform public.tell_low_balances(array[new.owner_id]);
        end if;
        return null;
      end $$`);
    this.addSql(`
      create constraint trigger ledger_tx_tells_low_balance after insert on ledger_tx deferrable initially deferred
        for each row when (new.type <> 'STORAGE'
          and not (new.type = 'ALLOCATION' and new.idempotency_key like 'storage:draw:%'))
        execute function tell_low_balance()`);
  }
}
