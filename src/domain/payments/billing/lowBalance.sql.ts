import { statement } from '../../../db/sql.js';
import { wasQueuedWithin } from '../../accounts/notices/queueNotice.js';
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
 * Compares the owner's balance with a threshold that has changed, and tells if it is below and was not before. The caller
 * holds the wallet's lock. Owners can change it as often as they like, so this tells only if the last time is an hour
 * ago. If it is not, the next posting that lowers the balance tells.
 */
export const COMPARE_WITH_NEW_THRESHOLD = statement<{ accountId: string }>(
  'low-balance-compare',
  `
    select case
      when exists (
        select from low_balance w
        where w.account_id = :accountId
          and ${wasQueuedWithin("interval '1 hour'", 'w.account_id', "'low-balance:' || w.crossings")})
      then note_risen_balances(array[:accountId]::uuid[])
      else tell_low_balances(array[:accountId]::uuid[])
    end`,
);

/**
 * SQL that tells which owners of the rows of `source` are below their threshold now and were not before, in the statement
 * that has charged them with `postMany`. A trigger does the same for each posting by `post`.
 *
 * @param source what follows `from`; it must read what was posted, so that this comes later
 */
export function tellLowBalancesOf(source: string, ownerId: string): string {
  return `select tell_low_balances(array_agg(${ownerId})) from ${source} having count(*) > 0`;
}

/** The same where `postMany` has only added credits: it notes which balances have risen, and tells nothing. */
export function noteRisenBalancesOf(source: string, ownerId: string): string {
  return `select note_risen_balances(array_agg(${ownerId})) from ${source} having count(*) > 0`;
}
