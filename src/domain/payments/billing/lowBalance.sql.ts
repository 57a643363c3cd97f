import type { Statement } from '../../../db/sql.js';
import { LEDGER_ACCOUNTS } from '../../ledger/ledgerAccounts.js';

const { MASTER, CLOUD, CREATIVE } = LEDGER_ACCOUNTS;
const HELD = `
      select owner_id, sum(balance) as micros from ledger_account
      where account_no in (${MASTER}, ${CLOUD}, ${CREATIVE})`;

/** The default stands for accounts that ever topped up; who never did is not spending either. */
export const FIND_THRESHOLD: Statement = {
  name: 'low-balance-find',
  text: `
    select coalesce(w.is_default, true) as is_default, w.threshold_micros,
      exists (select from ledger_tx t where t.owner_id = $1 and t.type = 'TOPUP') as topped_up
    from (select) one left join low_balance w on w.account_id = $1`,
};

/** Whoever asks for another threshold is warned again only after having been above it; whoever asks for none, forgets. */
export const SET_THRESHOLD: Statement = {
  name: 'low-balance-set',
  text: `
    insert into low_balance (account_id, is_default, threshold_micros) values ($1, false, $2)
    on conflict (account_id) do update set is_default = false, threshold_micros = excluded.threshold_micros,
      below_since = case when excluded.threshold_micros is null then null else low_balance.below_since end`,
};

/** Those that were below and have enough again: the next fall is a new one. */
export const RISEN: Statement = {
  name: 'low-balance-risen',
  text: `
    update low_balance w set below_since = null
    from (${HELD} and owner_id in (select account_id from low_balance where below_since is not null)
      group by owner_id) held
    where w.below_since is not null and held.owner_id = w.account_id
      and (held.micros >= case when w.is_default then $1::bigint else w.threshold_micros end)`,
};

/**
 * Marks up to $2 of those that have fallen below, and returns them; run again until there are none. Owners without a row
 * are looked at for the default ($1).
 */
export const FALLEN: Statement = {
  name: 'low-balance-fallen',
  text: `
    with fallen as (
      select held.owner_id, held.micros, coalesce(w.is_default, true) as is_default,
        case when coalesce(w.is_default, true) then $1::bigint else w.threshold_micros end as threshold
      from (${HELD} group by owner_id) held
        join account a on a.id = held.owner_id
        left join low_balance w on w.account_id = held.owner_id
      where w.below_since is null
        and held.micros < case when coalesce(w.is_default, true) then $1::bigint else w.threshold_micros end
        and (w.is_default is false
          or exists (select from ledger_tx t where t.owner_id = held.owner_id and t.type = 'TOPUP'))
      limit $2
    ), marked as (
      insert into low_balance as w (account_id, is_default, threshold_micros, below_since, crossings)
      select owner_id, is_default, case when not is_default then threshold end, service_now(), 1 from fallen
      on conflict (account_id) do update set below_since = excluded.below_since, crossings = w.crossings + 1
        where w.below_since is null
      returning account_id, crossings
    )
    select marked.account_id, marked.crossings, fallen.micros::text as micros, fallen.threshold::text as threshold
    from marked join fallen on fallen.owner_id = marked.account_id`,
};
