import { UNITS_PER_BYTE_MONTH, UNITS_PER_MICRO } from '../storage/storageRate.js';
import type { LedgerCheck } from './verify.js';
import { dateIn, type TxForm } from './verifyForms.js';

/** Storage by the day: from where its row says. */
export const STORAGE_FORMS: readonly TxForm[] = [
  {
    name: 'storage-posting',
    applies: `t.type = 'STORAGE' and starts_with(t.key, 'storage:')`,
    fact: `
      select d.* from storage_day d
      where d.account_id = t.owner_id and d.day = ${dateIn('t.reference')}
        and 'storage:' || d.day = t.key and t.metadata ->> 'bytes' = d.bytes::text`,
    moves: {
      MASTER: '-f.from_master_micros',
      CLOUD: '-f.from_cloud_micros',
      DEBT: '-f.arrears_micros',
      REVENUE_STORAGE: 'f.charged_micros',
    },
    intent: 'f.charged_micros',
  },
];

export const STORAGE_CLAIMS = `
  select account_id as owner_id, 'storage:' || day as key from fact_storage_day where charged_micros > 0`;

export const STORAGE_CHECKS: readonly LedgerCheck[] = [
  {
    // Nothing is lost by rounding: what a day does not charge is carried to the next.
    name: 'storage-remainder',
    text: `
      select d.account_id as owner_id, 'storage:' || d.day as subject, units::text as expected, booked::text as found
      from fact_storage_day d cross join lateral (
        select coalesce((
            select b.remainder from storage_day b where b.account_id = d.account_id and b.day < d.day
            order by b.day desc limit 1), 0)::numeric
          + d.bytes::numeric * (${UNITS_PER_BYTE_MONTH}
            / extract(day from date_trunc('month', d.day) + interval '1 month - 1 day')::integer) as units,
          d.charged_micros::numeric * ${UNITS_PER_MICRO} + d.remainder as booked
      ) reckoned
      where units <> booked`,
  },
];

/**
 * What was stored at the end of each night that was charged, from the rows of the objects. They say so for ever: a
 * correction of a size closes one row and opens another.
 */
export const STORED_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'storage-bytes',
    text: `
      select coalesce(d.account_id, o.account_id) as owner_id, 'storage:' || coalesce(d.day, o.day) as subject,
        coalesce(o.bytes, 0) || ' bytes' as expected, coalesce(d.bytes || ' bytes', 'not charged') as found
      from fact_storage_day d full join (
        select account_id, n.day, bytes
        from (
          select account_id, day as since, sum(sum(bytes)) over w as bytes, lead(day, 1, 'infinity'::date) over w as until
          from (
            select account_id, (stored_at at time zone 'UTC')::date as day, size_bytes as bytes
            from stored_object where account_id in (select owner_id from owner)
            union all
            select account_id, (removed_at at time zone 'UTC')::date, -size_bytes
            from stored_object where account_id in (select owner_id from owner) and removed_at is not null
          ) change group by account_id, day window w as (partition by account_id order by day)
        ) stored join (
          select day from storage_night where finished_at is not null and day > (select min(day) from storage_night)
        ) n on n.day >= since and n.day < until
        where bytes > 0
      ) o on o.account_id = d.account_id and o.day = d.day
      where d.bytes is distinct from o.bytes and coalesce(d.day, o.day) in (
        select day from storage_night where finished_at is not null)`,
  },
];
