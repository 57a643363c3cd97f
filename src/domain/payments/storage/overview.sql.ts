import type { Statement } from '../../../db/sql.js';
import { LEDGER_ACCOUNTS } from '../../ledger/ledgerAccounts.js';
import { STANDS } from './night.sql.js';

/** What is stored at this moment, and what there is to pay for it. */
export const OVERVIEW: Statement = {
  name: 'storage-overview',
  text: `
    select a.bytes, coalesce(r.auto_allocate, false) as auto_allocate, cloud.balance as cloud, master.balance as master,
      extract(day from date_trunc('month', t.today) + interval '1 month - 1 day')::integer as month_days
    from (
      select coalesce(sum(size_bytes), 0) as bytes from stored_object where account_id = $1 and removed_at is null
    ) a
      cross join (select service_now() at time zone 'UTC' as today) t
      join ledger_account cloud on cloud.owner_id = $1 and cloud.account_no = ${LEDGER_ACCOUNTS.CLOUD}
      join ledger_account master on master.owner_id = $1 and master.account_no = ${LEDGER_ACCOUNTS.MASTER}
      left join storage_rule r on r.account_id = $1`,
};

export const HISTORY: Statement = {
  name: 'storage-history',
  text: `
    select day::text as day, bytes, charged_micros, from_cloud_micros, from_master_micros, arrears_micros
    from storage_day d where account_id = $1 and day between $2 and $3 and ${STANDS}
    order by day`,
};

export const SET_RULE: Statement = {
  name: 'storage-set-rule',
  text: `
    insert into storage_rule (account_id, auto_allocate, updated_at)
    select owner_id, $2, service_now() from ledger_account
    where owner_id = $1 and account_no = ${LEDGER_ACCOUNTS.MASTER}
    on conflict (account_id) do update set auto_allocate = excluded.auto_allocate, updated_at = excluded.updated_at
    returning true as set`,
};
