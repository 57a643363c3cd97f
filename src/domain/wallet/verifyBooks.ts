import type { LedgerCheck } from './verify.js';

/** What makes it a ledger: sums, versions, running balances. */
export const BOOK_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'tx-sum',
    text: `
      select owner_id, tx_id::text as subject, '0' as expected, sum(delta)::text as found
      from ledger_entry group by owner_id, tx_id having sum(delta) <> 0`,
  },
  {
    // Both ways: a transaction without entries, and entries without their transaction.
    name: 'tx-entries',
    text: `
      select coalesce(t.owner_id, e.owner_id) as owner_id, coalesce(t.tx_id, e.tx_id)::text as subject,
        case when t.tx_id is null then 'a transaction' else 'entries' end as expected, 'none' as found
      from ledger_tx t full join (select distinct owner_id, tx_id from ledger_entry) e using (owner_id, tx_id)
      where t.tx_id is null or e.tx_id is null`,
  },
  {
    name: 'running-balance',
    text: `
      select owner_id, '@' || account_no || ':' || version as subject,
        nth || ': ' || running as expected, version || ': ' || balance_after as found
      from (
        select owner_id, account_no, version, balance_after,
          row_number() over w as nth, sum(delta) over w as running
        from ledger_entry window w as (partition by owner_id, account_no order by version)
      ) line
      where nth <> version or running <> balance_after`,
  },
  {
    name: 'account-balance',
    text: `
      select coalesce(a.owner_id, s.owner_id) as owner_id, '@' || coalesce(a.account_no, s.account_no) as subject,
        coalesce(s.entries, 0) || ': ' || coalesce(s.total, 0) as expected,
        coalesce(a.version || ': ' || a.balance, 'no account') as found
      from ledger_account a full join (
        select owner_id, account_no, sum(delta) as total, count(*) as entries from ledger_entry group by 1, 2
      ) s using (owner_id, account_no)
      where a.balance is distinct from coalesce(s.total, 0) or a.version is distinct from coalesce(s.entries, 0)`,
  },
];
