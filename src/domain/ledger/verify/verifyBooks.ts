import type { LedgerCheck } from './verifyForms.js';

/** The basics of a ledger: sums, versions, running balances, one time per transaction. */
export const BOOK_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'tx-sum',
    text: `
      select owner_id, tx_id::text as subject, '0' as expected, sum(delta)::text as found
      from line group by owner_id, tx_id having sum(delta) <> 0`,
  },
  {
    // Both ways: a transaction without entries, and entries without their transaction. Both have the same time.
    name: 'tx-entries',
    text: `
      select owner_id, tx_id::text as subject, 'entries of its time' as expected, 'none' as found from tx where entries = 0
      union
      select l.owner_id, l.tx_id::text, 'a transaction of its time', 'none'
      from line l where not exists (
        select from ledger_tx t where t.owner_id = l.owner_id and t.tx_id = l.tx_id and t.created_at = l.created_at)`,
  },
  {
    // Compares each row with the previous one, so that one error is reported once, and not again for every later row.
    name: 'running-balance',
    text: `
      select owner_id, '@' || account_no || ':' || version as subject,
        nth || ': ' || running as expected, version || ': ' || balance_after as found
      from (
        select owner_id, account_no, version, balance_after,
          lag(version, 1, sealed) over w + 1 as nth, lag(balance_after, 1, base) over w + delta as running
        from line window w as (partition by owner_id, account_no order by version)
      ) line
      where nth <> version or running <> balance_after`,
  },
  {
    name: 'account-balance',
    text: `
      select coalesce(a.owner_id, s.owner_id) as owner_id, '@' || coalesce(a.account_no, s.account_no) as subject,
        coalesce(a.sealed, 0) + coalesce(s.entries, 0) || ': ' || coalesce(a.base, 0) + coalesce(s.total, 0) as expected,
        coalesce(a.version || ': ' || a.balance, 'no account') as found
      from span a full join (
        select owner_id, account_no, sum(delta) as total, count(*) as entries from line group by 1, 2
      ) s using (owner_id, account_no)
      where a.balance is distinct from a.base + coalesce(s.total, 0)
        or a.version is distinct from a.sealed + coalesce(s.entries, 0)`,
  },
];
