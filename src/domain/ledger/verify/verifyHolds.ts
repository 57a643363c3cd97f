import { LEDGER_ACCOUNTS } from '../ledgerAccounts.js';
import type { LedgerCheck } from './verifyForms.js';

/** Checks that an account holds exactly the sum of some rows: `owner_id` and `total`, one row per owner. */
function holds(name: string, accountNo: number, rows: string): LedgerCheck {
  return {
    name,
    text: `
      select coalesce(a.owner_id, o.owner_id) as owner_id, '@${accountNo}' as subject,
        coalesce(o.total, 0)::text as expected, coalesce(a.balance, 0)::text as found
      from (
        select owner_id, balance from ledger_account
        where account_no = ${accountNo} and owner_id in (select owner_id from owner)
      ) a full join (${rows}) o using (owner_id)
      where coalesce(a.balance, 0) <> coalesce(o.total, 0)`,
  };
}

const OF_OWNERS = 'account_id in (select owner_id from owner)';

/** What has gone back of a payment for good, by its provider's refunds and lost disputes. */
const GONE = `
  select account_id, provider, payment_id, counted_micros as micros from payment_refund where ${OF_OWNERS}
  union all
  select account_id, provider, payment_id, lost_micros from payment_dispute where ${OF_OWNERS}`;

/** Every hold has a reason, and money that came in and has not gone back is still there. */
export const HOLD_CHECKS: readonly LedgerCheck[] = [
  holds(
    'escrow',
    LEDGER_ACCOUNTS.ESCROW,
    `select account_id as owner_id, sum(locked_micros) as total from escrow
      where status = 'locked' and ${OF_OWNERS} group by 1`,
  ),
  holds(
    'refund-hold',
    LEDGER_ACCOUNTS.REFUND_HOLD,
    `select account_id as owner_id, sum(held_micros) as total from refund_request
      where status = 'requested' and ${OF_OWNERS} group by 1`,
  ),
  holds(
    'dispute-hold',
    LEDGER_ACCOUNTS.DISPUTE_HOLD,
    `select account_id as owner_id, sum(h.value::bigint) as total
      from payment cross join lateral jsonb_each_text(held) h
      where fate = 'credited' and ${OF_OWNERS} group by 1`,
  ),
  // Independent of items resolved by a person: resolving an item posts nothing, only returning money does.
  holds(
    'suspense',
    LEDGER_ACCOUNTS.SUSPENSE,
    `select i.account_id as owner_id, sum(coalesce(i.amount_micros, 0) - coalesce(g.micros, 0)) as total
      from suspense_item i left join (
        select account_id, provider, payment_id, sum(micros) as micros from (${GONE}) gone group by 1, 2, 3
      ) g using (account_id, provider, payment_id)
      where ${OF_OWNERS} group by 1`,
  ),
  // The counterpart of all money: minus what came in, plus what has gone back.
  holds(
    'cash',
    LEDGER_ACCOUNTS.CASH,
    `select account_id as owner_id, sum(micros) as total from (
        select account_id, -credited_micros as micros from payment where fate <> 'none' and ${OF_OWNERS}
        union all
        select account_id, micros from (${GONE}) gone
      ) flow group by 1`,
  ),
];
