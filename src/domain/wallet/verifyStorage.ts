import { UNITS_PER_BYTE_MONTH, UNITS_PER_MICRO } from '../storage/storageRate.js';
import { LEDGER_ACCOUNTS } from './ledgerAccounts.js';
import type { LedgerCheck } from './verify.js';

const { MASTER, CLOUD, DEBT, REVENUE_STORAGE } = LEDGER_ACCOUNTS;

/** Storage by the day: what was charged is in the books, from where it says, and nothing is lost by rounding. */
export const STORAGE_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'storage-posting',
    text: `
      select coalesce(p.owner_id, d.account_id) as owner_id, coalesce(p.key, 'storage:' || d.day) as subject,
        coalesce(d.parts, 'no posting') as expected, coalesce(p.parts, 'none') as found
      from (
        select account_id, day, concat_ws(' ', 'MASTER', nullif(-from_master_micros, 0), 'CLOUD',
          nullif(-from_cloud_micros, 0), 'DEBT', nullif(-arrears_micros, 0), 'revenue', charged_micros) as parts
        from storage_day where charged_micros > 0
      ) d full join (
        select t.owner_id, t.idempotency_key as key, concat_ws(' ',
          'MASTER', max(e.delta) filter (where e.account_no = ${MASTER}),
          'CLOUD', max(e.delta) filter (where e.account_no = ${CLOUD}),
          'DEBT', max(e.delta) filter (where e.account_no = ${DEBT}),
          'revenue', max(e.delta) filter (where e.account_no = ${REVENUE_STORAGE})) as parts
        from ledger_tx t left join ledger_entry e using (owner_id, tx_id)
        where t.type = 'STORAGE' group by t.owner_id, t.idempotency_key
      ) p on p.owner_id = d.account_id and p.key = 'storage:' || d.day
      where p.parts is distinct from d.parts`,
  },
  {
    name: 'storage-remainder',
    text: `
      select account_id as owner_id, 'storage:' || day as subject, units::text as expected, booked::text as found
      from (
        select account_id, day,
          coalesce(lag(remainder) over (partition by account_id order by day), 0)::numeric
            + bytes::numeric * (${UNITS_PER_BYTE_MONTH}
              / extract(day from date_trunc('month', day) + interval '1 month - 1 day')::integer) as units,
          charged_micros::numeric * ${UNITS_PER_MICRO} + remainder as booked
        from storage_day
      ) day
      where units <> booked`,
  },
];
