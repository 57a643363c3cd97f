import type { LedgerTxType } from './ledgerRules.js';
import type { LedgerLineRow } from './ledgerWalks.js';
import { statement } from '../../db/sql.js';
import { FIRST_COMPANY_ACCOUNT_NO } from './ledgerAccounts.js';

export interface TotalRow {
  account_no: number;
  type: LedgerTxType;
  total: string;
  entries: number;
}

export interface HolderRow {
  name: string | null;
  email: string | null;
  now: string;
  born: string;
}

/** The account's months, newest first, from its opening or its first entry, whichever is earlier. */
export const MONTHS = statement<
  { accountId: string },
  { month: string; is_to_date: boolean; change: string; closing: string }
>(
  'statement-months',
  `
    with change as (
      select date_trunc('month', created_at at time zone 'UTC') as month, sum(delta) as total from ledger_entry
      where owner_id = :accountId and account_no < ${FIRST_COMPANY_ACCOUNT_NO} group by 1
    ), life as (
      select date_trunc('month', service_now() at time zone 'UTC') as this_month,
        least(date_trunc('month', created_at at time zone 'UTC'), (select min(month) from change)) as first_month
      from account where id = :accountId
    )
    select to_char(month, 'YYYY-MM') as month, month = this_month as is_to_date, coalesce(total, 0)::text as change,
      (sum(coalesce(total, 0)) over (order by month))::text as closing
    from life, generate_series(least(first_month, this_month), this_month, interval '1 month') month
      left join change using (month)
    order by month desc`,
);

/** Whose statement it is, and the times between which statements exist. */
export const HOLDER = statement<{ accountId: string }, HolderRow>(
  'statement-holder',
  `
    select u.name, u.email, service_now() as now,
      least(a.created_at, (select min(created_at) from ledger_entry where owner_id = :accountId)) as born
    from account a left join auth."user" u on u.id = a.id where a.id = :accountId`,
);

/**
 * The last version of each account that the statement includes. Versions have no gaps, so those entries exist and never
 * change, whatever is posted while the statement is read.
 */
export const OPENINGS = statement<
  { accountId: string; from: Date },
  { account_no: number; version: string; opening: string }
>(
  'statement-openings',
  `
    select a.account_no, a.version, coalesce(before.total, 0)::text as opening
    from ledger_account a left join lateral (
      select sum(delta) as total from ledger_entry e
      where e.owner_id = :accountId and e.account_no = a.account_no and e.created_at < :from
    ) before on true
    where a.owner_id = :accountId and a.account_no < ${FIRST_COMPANY_ACCOUNT_NO}
    order by a.account_no`,
);

/** `:versions` holds the last version of each account, indexed by its number. */
const WITHIN = `e.owner_id = :accountId and e.account_no < ${FIRST_COMPANY_ACCOUNT_NO} and e.created_at < :to::timestamptz
      and e.version <= (:versions::bigint[])[e.account_no]`;

export const TOTALS = statement<{ accountId: string; from: Date; to: Date; versions: readonly string[] }, TotalRow>(
  'statement-totals',
  `
    select e.account_no, t.type, sum(e.delta)::text as total, count(*)::int as entries
    from ledger_entry e join ledger_tx t on t.owner_id = e.owner_id and t.tx_id = e.tx_id
    where ${WITHIN} and e.created_at >= :from::timestamptz
    group by 1, 2`,
);

/** Oldest first, after the last page's end: its time, tx and account (:afterTime, :afterTxId, :afterAccountNo). */
export const ENTRIES = statement<
  {
    accountId: string;
    afterTime: string;
    to: Date;
    versions: readonly string[];
    afterTxId: string;
    afterAccountNo: number;
    entriesPerPage: number;
  },
  LedgerLineRow
>(
  'statement-entries',
  `
    select e.account_no, e.version, e.delta, e.balance_after, e.tx_id, e.created_at,
      t.type, t.reference, t.metadata, t.idempotency_key
    from ledger_entry e join ledger_tx t on t.owner_id = e.owner_id and t.tx_id = e.tx_id
    where ${WITHIN} and (e.created_at, e.tx_id, e.account_no) > (:afterTime::timestamptz, :afterTxId::uuid, :afterAccountNo::smallint)
    order by e.created_at, e.tx_id, e.account_no limit :entriesPerPage`,
);
