import type { Statement } from '../../../db/sql.js';
import { LEDGER_ACCOUNTS } from '../../ledger/ledgerAccounts.js';
import { keyOfDay, STANDS, uuidV7 } from './night.sql.js';

const { MASTER, CLOUD, DEBT, REVENUE_STORAGE } = LEDGER_ACCOUNTS;

/** What a reversal from `$1` on would return. Nights that are open count as far as they have come. */
export const PREVIEW: Statement = {
  name: 'storage-reversal-preview',
  text: `
    select count(*) as nights, min(day)::text as first, max(day)::text as last, coalesce(sum(charged_micros), 0) as micros,
      $1::date > (select min(day) from storage_night) as is_charged
    from storage_night where day >= $1::date and reversed_by is null`,
};

/** The one that is under way. */
export const OPEN_REVERSAL: Statement = {
  name: 'storage-reversal-open',
  text: `
    select id, from_day::text as from_day, day::text as day, after_account from storage_reversal
    where finished_at is null for update`,
};

export const BEGIN: Statement = {
  name: 'storage-reversal-begin',
  text: `
    with begun as (
      insert into storage_reversal (id, from_day, reason, started_at, day)
      select $1, $2::date, $3, service_now(), max(day) from storage_night where reversed_by is null
      returning id, from_day
    ), marked as (
      update storage_night n set reversed_by = begun.id, finished_at = coalesce(n.finished_at, service_now())
      from begun where n.day >= begun.from_day and n.reversed_by is null
    )
    update service_clock set nights_confirmed_through = begun.from_day - 1
    from begun where nights_confirmed_through >= begun.from_day`,
};

/**
 * Reverses the day `$1` for every owner after `$2`, up to and including `$3`, for the reversal `$4`.
 *
 * What comes back repays debt first, as all credits that come in. The rest goes to where the charge came from. Reversed
 * from the newest night to the oldest, a wallet that nothing else has changed is what it was to the micro-credit.
 */
export const REVERSE_BATCH: Statement = {
  name: 'storage-reversal-batch',
  text: `
    with charge as materialized (
      select d.account_id, d.day, d.round, d.charged_micros as charged, d.from_cloud_micros as from_cloud,
        ${keyOfDay('d.day')} as key
      from storage_day d
      where d.day = $1::date and d.account_id > $2::uuid and d.account_id <= $3::uuid and ${STANDS}
    ), returned as materialized (
      select charge.*, to_debt, least(from_cloud, charged - to_debt) as to_cloud, clock.now
      from (select * from charge order by account_id) charge
        cross join (select service_now() as now offset 0) clock
        cross join lateral (
          select coalesce(-max(balance) filter (where account_no = ${DEBT}), 0) as owed
          from lock_wallet(charge.account_id)
        ) wallet, lateral (select least(owed, charged) as to_debt) d
    ), reversed as (
      insert into storage_reversed_day (account_id, day, round, reversal_id, to_debt_micros, to_cloud_micros,
        to_master_micros, created_at)
      select account_id, day, round, $4, to_debt, to_cloud, charged - to_debt - to_cloud, now from returned
    ), posted as materialized (
      select ledger_post_many('STORAGE', array_agg(account_id), array_agg(key || ':reversed'),
        array_agg(${uuidV7('now')}),
        array_agg(sha256(convert_to('["STORAGE","' || day || '","' || charged || '"]', 'UTF8'))),
        array_agg(day::text), array_agg(jsonb_build_object('reversal', $4::uuid::text)),
        '{${MASTER},${CLOUD},${DEBT},${REVENUE_STORAGE}}',
        array_agg(array[charged - to_debt - to_cloud, to_cloud, to_debt, -charged]::bigint[])) as postings
      from returned where charged > 0 having count(*) > 0
    )
    select count(*) filter (where charged > 0) as charges, coalesce(sum(charged), 0) as micros,
      (select postings from posted) as postings
    from returned`,
};

/** On to the next batch `$5`, or to the night before. */
export const ADVANCE: Statement = {
  name: 'storage-reversal-advance',
  text: `
    update storage_reversal set charges = charges + $2::bigint, returned_micros = returned_micros + $3::numeric,
      day = case when $4::boolean then day - 1 else day end,
      after_account = case when $4::boolean then '00000000-0000-0000-0000-000000000000' else $5::uuid end,
      finished_at = case when $4::boolean and day = from_day then service_now() end
    where id = $1
    returning finished_at is not null as finished, charges, returned_micros as micros`,
};
