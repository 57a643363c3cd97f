import { statement } from '../../../db/sql.js';
import { hasToppedUp } from '../../ledger/ledgerAccounts.js';

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

/**
 * Tells which of these owners' balances are below their threshold now and were not before, and notes which have risen
 * again. The caller holds the locks of their wallets. A trigger does the same for each posting by `post`.
 */
export const TELL_LOW_BALANCES = statement<{ owners: readonly string[] }>(
  'low-balance-tell',
  'select tell_low_balances(:owners::uuid[])',
);

/**
 * SQL that does the same for the rows of `source`, in the statement that has posted for them with `postMany`.
 *
 * @param source what follows `from`; it must read what was posted, so that this comes later
 */
export function tellLowBalancesOf(source: string, ownerId: string): string {
  return `select tell_low_balances(array_agg(${ownerId})) from ${source} having count(*) > 0`;
}
