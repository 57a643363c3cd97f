import { statement } from '../../../db/sql.js';
import { drawsFromMaster } from '../../ledger/automaticAllocation.js';
import { balanceOf } from '../../ledger/ledgerAccounts.js';
import { STANDS } from './night.sql.js';

export interface DayRow {
  day: string;
  bytes: string;
  charged_micros: string;
  from_cloud_micros: string;
  from_master_micros: string;
  arrears_micros: string;
}

export interface OverviewRow {
  bytes: string;
  auto_allocate: boolean;
  cloud: string;
  master: string;
  month_days: number;
}

/** What is stored now, and the credits that can pay for it. */
export const OVERVIEW = statement<{ accountId: string }, OverviewRow>(
  'storage-overview',
  `
    select a.bytes, ${drawsFromMaster(':accountId', 'CLOUD')} as auto_allocate, wallet.cloud, wallet.master,
      extract(day from date_trunc('month', t.today) + interval '1 month - 1 day')::integer as month_days
    from (
      select coalesce(sum(size_bytes), 0) as bytes from stored_object where account_id = :accountId and removed_at is null
    ) a
      cross join (select service_now() at time zone 'UTC' as today) t
      cross join (
        select ${balanceOf(':accountId', 'CLOUD')} as cloud, ${balanceOf(':accountId', 'MASTER')} as master
      ) wallet
    where wallet.cloud is not null`,
);

/** What an account stores now. Also for accounts without a wallet, such as test accounts. */
export const STORED_BYTES = statement<{ accountId: string }, { bytes: string }>(
  'storage-bytes',
  'select coalesce(sum(size_bytes), 0) as bytes from stored_object where account_id = :accountId and removed_at is null',
);

export const HISTORY = statement<{ accountId: string; from: string; to: string }, DayRow>(
  'storage-history',
  `
    select day::text as day, bytes, charged_micros, from_cloud_micros, from_master_micros, arrears_micros
    from storage_day d where account_id = :accountId and day between :from and :to and ${STANDS}
    order by day`,
);
