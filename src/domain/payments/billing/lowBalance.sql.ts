import { statement } from '../../../db/sql.js';
import { hasAccount } from '../../accounts/account.sql.js';
import { hasToppedUp, heldByOwner } from '../../ledger/ledgerAccounts.js';

export interface FallenRow {
  account_id: string;
  crossings: number;
  micros: string;
  threshold: string;
}

const HELD = heldByOwner(['MASTER', 'CLOUD', 'CREATIVE']);

/** The default applies to accounts that have topped up; the others have nothing to spend. */
export const FIND_THRESHOLD = statement<
  { accountId: string },
  {
    is_default: boolean;
    threshold_micros: string | null;
    topped_up: boolean;
  }
>(
  'low-balance-find',
  `
    select coalesce(w.is_default, true) as is_default, w.threshold_micros,
      ${hasToppedUp(':accountId')} as topped_up
    from (select) one left join low_balance w on w.account_id = :accountId`,
);

/**
 * Setting another threshold keeps the warning state, so the next warning needs a rise above it first. Turning warnings
 * off clears the state.
 */
export const SET_THRESHOLD = statement<{ accountId: string; thresholdMicros: string | null }>(
  'low-balance-set',
  `
    insert into low_balance (account_id, is_default, threshold_micros) values (:accountId, false, :thresholdMicros)
    on conflict (account_id) do update set is_default = false, threshold_micros = excluded.threshold_micros,
      below_since = case when excluded.threshold_micros is null then null else low_balance.below_since end`,
);

/** Resets accounts that were below and have enough again, so that the next fall warns again. */
export const RISEN = statement<{ defaultThresholdMicros: string }>(
  'low-balance-risen',
  `
    update low_balance w set below_since = null
    from (${HELD} and owner_id in (select account_id from low_balance where below_since is not null)
      group by owner_id) held
    where w.below_since is not null and held.owner_id = w.account_id
      and (held.micros >= case when w.is_default then :defaultThresholdMicros::bigint else w.threshold_micros end)`,
);

/**
 * Marks and returns up to `:batch` accounts that have fallen below; repeat until there are none. Owners without a row
 * have the default threshold (:defaultThresholdMicros).
 */
export const FALLEN = statement<{ defaultThresholdMicros: string; batch: number }, FallenRow>(
  'low-balance-fallen',
  `
    with fallen as (
      select held.owner_id, held.micros, coalesce(w.is_default, true) as is_default,
        case when coalesce(w.is_default, true) then :defaultThresholdMicros::bigint else w.threshold_micros end as threshold
      from (${HELD} group by owner_id) held
        left join low_balance w on w.account_id = held.owner_id
      where w.below_since is null and ${hasAccount('held.owner_id')}
        and held.micros < case when coalesce(w.is_default, true) then :defaultThresholdMicros::bigint else w.threshold_micros end
        and (w.is_default is false
          or ${hasToppedUp('held.owner_id')})
      limit :batch
    ), marked as (
      insert into low_balance as w (account_id, is_default, threshold_micros, below_since, crossings)
      select owner_id, is_default, case when not is_default then threshold end, service_now(), 1 from fallen
      on conflict (account_id) do update set below_since = excluded.below_since, crossings = w.crossings + 1
        where w.below_since is null
      returning account_id, crossings
    )
    select marked.account_id, marked.crossings, fallen.micros::text as micros, fallen.threshold::text as threshold
    from marked join fallen on fallen.owner_id = marked.account_id`,
);
