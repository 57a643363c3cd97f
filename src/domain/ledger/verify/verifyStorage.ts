import { wasClosedOn } from '../../shared/closedAccounts.js';
import { SYSTEM_OWNER } from '../../shared/ids.js';
import { UNITS_PER_BYTE_MONTH, UNITS_PER_MICRO } from '../storageRate.js';
import { LEDGER_ACCOUNTS } from '../ledgerAccounts.js';
import type { LedgerCheck } from './verifyForms.js';
import { dateIn, NOBODY, type TxForm } from './verifyForms.js';

const DAY_KEY = keyOfDay('storage:');
const DRAW_KEY = keyOfDay('storage:draw:');

function keyOfDay(prefix: string): string {
  return `'${prefix}' || d.day || case when d.round > 0 then ':' || d.round else '' end`;
}

/** Whether the charge of the row `d` of \`storage_day\` was not reversed. */
const STANDS = `not exists (
  select from storage_reversed_day r where r.account_id = d.account_id and r.day = d.day and r.round = d.round)`;

/** Daily storage charges, what CLOUD drew for them, and reversals, from and to the accounts that their rows say. */
export const STORAGE_FORMS: readonly TxForm[] = [
  {
    // What MASTER adds before a charge: at most what is missing, so CLOUD then has just what it pays.
    name: 'storage-draw',
    applies: `t.type = 'ALLOCATION' and starts_with(t.key, 'storage:draw:') and t.key not like '%:reversed'`,
    fact: `
      select d.drawn_micros from storage_day d
        join ledger_entry filled on filled.owner_id = t.owner_id and filled.created_at = t.created_at
          and filled.tx_id = t.tx_id and filled.account_no = ${LEDGER_ACCOUNTS.CLOUD}
      where d.account_id = t.owner_id and d.day = ${dateIn('t.reference')} and ${DRAW_KEY} = t.key
        and filled.balance_after = d.from_cloud_micros`,
    moves: { MASTER: '-f.drawn_micros', CLOUD: 'f.drawn_micros' },
    intent: 'f.drawn_micros',
  },
  {
    // What CLOUD got back beyond what it had paid by itself.
    name: 'storage-draw-reversal',
    applies: `t.type = 'ALLOCATION' and starts_with(t.key, 'storage:draw:') and t.key like '%:reversed'`,
    fact: `
      select r.to_cloud_micros - (d.from_cloud_micros - d.drawn_micros) as undrawn
      from storage_day d join storage_reversed_day r using (account_id, day, round)
      where d.account_id = t.owner_id and d.day = ${dateIn('t.reference')}
        and ${DRAW_KEY} || ':reversed' = t.key and t.metadata ->> 'reversal' = r.reversal_id::text`,
    moves: { MASTER: 'f.undrawn', CLOUD: '-f.undrawn' },
    intent: 'f.undrawn',
  },
  {
    name: 'storage-posting',
    applies: `t.type = 'STORAGE' and starts_with(t.key, 'storage:') and t.key not like '%:reversed'`,
    fact: `
      select d.* from storage_day d
      where d.account_id = t.owner_id and d.day = ${dateIn('t.reference')}
        and ${DAY_KEY} = t.key and t.metadata ->> 'bytes' = d.bytes::text`,
    moves: {
      MASTER: '-f.from_master_micros',
      CLOUD: '-f.from_cloud_micros',
      DEBT: '-f.arrears_micros',
      REVENUE_STORAGE: 'f.charged_micros',
    },
    intent: 'f.charged_micros',
  },
  {
    name: 'storage-reversal-posting',
    applies: `t.type = 'STORAGE' and starts_with(t.key, 'storage:') and t.key like '%:reversed'`,
    fact: `
      select d.charged_micros as charged, r.to_debt_micros as to_debt, r.to_master_micros as to_master, r.to_cloud_micros as to_cloud
      from storage_day d join storage_reversed_day r using (account_id, day, round)
        join storage_reversal v on v.id = r.reversal_id and v.from_day <= d.day
      where d.account_id = t.owner_id and d.day = ${dateIn('t.reference')}
        and ${DAY_KEY} || ':reversed' = t.key and t.metadata ->> 'reversal' = v.id::text`,
    moves: {
      MASTER: 'f.to_master',
      CLOUD: 'f.to_cloud',
      // Debt is repaid first, completely.
      DEBT: 'case when f.to_debt > 0 and f.to_debt < f.charged and t.debt_after <> 0 then f.charged else f.to_debt end',
      REVENUE_STORAGE: '-f.charged',
    },
    intent: 'f.charged',
  },
];

export const STORAGE_CLAIMS = `
  select account_id as owner_id, ${DAY_KEY} as key from fact_storage_day d where charged_micros > 0
  union all
  select d.account_id, ${DAY_KEY} || ':reversed'
  from fact_storage_reversed_day join storage_day d using (account_id, day, round) where d.charged_micros > 0
  union all
  select account_id, ${DRAW_KEY} from fact_storage_day d where drawn_micros > 0
  union all
  select d.account_id, ${DRAW_KEY} || ':reversed'
  from fact_storage_reversed_day r join storage_day d using (account_id, day, round)
  where r.to_cloud_micros > d.from_cloud_micros - d.drawn_micros`;

export const STORAGE_CHECKS: readonly LedgerCheck[] = [
  {
    // Rounding loses nothing: what a day does not charge is carried to the next day.
    name: 'storage-remainder',
    text: `
      select d.account_id as owner_id, 'storage:' || d.day as subject, units::text as expected, booked::text as found
      from fact_storage_day d cross join lateral (
        select coalesce((
            select b.remainder from storage_day b
            where b.account_id = d.account_id and b.day < d.day and not exists (
              select from storage_reversed_day r
              where r.account_id = b.account_id and r.day = b.day and r.round = b.round)
            order by b.day desc limit 1), 0)::numeric
          + d.bytes::numeric * (${UNITS_PER_BYTE_MONTH}
            / extract(day from date_trunc('month', d.day) + interval '1 month - 1 day')::integer) as units,
          d.charged_micros::numeric * ${UNITS_PER_MICRO} + d.remainder as booked
      ) reckoned
      where units <> booked and ${STANDS}`,
  },
  {
    // A reversal goes back where the charge came from, after debt.
    name: 'storage-reversal',
    text: `
      select d.account_id as owner_id, ${DAY_KEY} || ':reversed' as subject,
        'from CLOUD ' || d.from_cloud_micros || ' of ' || d.charged_micros as expected,
        'DEBT ' || r.to_debt_micros || ', CLOUD ' || r.to_cloud_micros || ', MASTER ' || r.to_master_micros as found
      from fact_storage_reversed_day r join storage_day d using (account_id, day, round)
        left join storage_reversal v on v.id = r.reversal_id
      where r.to_debt_micros + r.to_cloud_micros + r.to_master_micros <> d.charged_micros
        or r.to_cloud_micros <> least(d.from_cloud_micros, d.charged_micros - r.to_debt_micros)
        or v.from_day > d.day or not exists (
          select from audit_entry a where a.account_id = '${SYSTEM_OWNER}' and a.action = 'storage.reverse'
            and a.reason = v.reason and a.details ->> 'reversal' = v.id::text)
      union all
      select r.account_id, 'storage:' || r.day || ' round ' || r.round, 'a day that was charged', 'none'
      from fact_storage_reversed_day r
      where not exists (
        select from storage_day d where d.account_id = r.account_id and d.day = r.day and d.round = r.round)`,
  },
  {
    // Debt is repaid before anything comes back as credits. After a correction of the clock, times no longer show which
    // posting came first, and only the database's own check remains.
    name: 'storage-reversal-debt',
    text: `
      select d.account_id as owner_id, ${DAY_KEY} || ':reversed' as subject, 'DEBT 0' as expected,
        'DEBT ' || debt.balance_after as found
      from fact_storage_reversed_day r join storage_day d using (account_id, day, round)
        join ledger_tx t on t.owner_id = d.account_id and t.idempotency_key = ${DAY_KEY} || ':reversed'
        cross join lateral (
          select e.balance_after from ledger_entry e
          where e.owner_id = t.owner_id and e.account_no = ${LEDGER_ACCOUNTS.DEBT} and e.created_at <= t.created_at
          order by e.version desc limit 1
        ) debt
      where r.to_cloud_micros + r.to_master_micros > 0 and debt.balance_after <> 0
        and not exists (select from audit_entry a where a.action = 'clock.accept')`,
  },
];

/** A reversal as a whole covers every owner and every night from its first one on, or none. */
export const REVERSAL_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'storage-reversal-total',
    text: `
      select '${NOBODY}'::uuid as owner_id, 'reversal ' || v.id as subject,
        v.charges || ' charges, ' || v.returned_micros || ' micro-credits' as expected,
        counted.charges || ' charges, ' || counted.micros || ' micro-credits' as found
      from storage_reversal v cross join lateral (
        select count(*) filter (where d.charged_micros > 0) as charges, coalesce(sum(d.charged_micros), 0) as micros
        from storage_reversed_day r join storage_day d using (account_id, day, round) where r.reversal_id = v.id
      ) counted
      where v.charges <> counted.charges or v.returned_micros <> counted.micros`,
  },
  {
    name: 'storage-reversal-left-out',
    text: `
      select d.account_id as owner_id, ${DAY_KEY} as subject, 'reversed with its night' as expected,
        'a charge that stands' as found
      from storage_night n join storage_reversal v on v.id = n.reversed_by and v.finished_at is not null
        join storage_day d on d.day = n.day
      where ${STANDS}`,
  },
  {
    name: 'storage-night-order',
    text: `
      select '${NOBODY}'::uuid as owner_id, 'night ' || n.day as subject, 'charged again before later nights' as expected,
        'reversed, while a later night is charged' as found
      from storage_night n
      where n.reversed_by is not null and exists (
        select from storage_night later where later.day > n.day and later.reversed_by is null)`,
  },
];

/**
 * What was stored at the end of each charged night, from the rows of the objects. Those never change: correcting a size
 * closes one row and opens another.
 */
export const STORED_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'storage-bytes',
    text: `
      select coalesce(d.account_id, o.account_id) as owner_id, 'storage:' || coalesce(d.day, o.day) as subject,
        coalesce(o.bytes, 0) || ' bytes' as expected, coalesce(d.bytes || ' bytes', 'not charged') as found
      from (select * from fact_storage_day d where ${STANDS}) d full join (
        select account_id, n.day, bytes
        from (
          select account_id, day as since, sum(sum(bytes)) over w as bytes, lead(day, 1, 'infinity'::date) over w as until
          from (
            select account_id, (stored_at at time zone 'UTC')::date as day, size_bytes as bytes
            from stored_object where account_id in (select owner_id from owner)
              and (removed_at is null or removed_at > stored_at)
            union all
            select account_id, (removed_at at time zone 'UTC')::date, -size_bytes
            from stored_object where account_id in (select owner_id from owner) and removed_at > stored_at
          ) change group by account_id, day window w as (partition by account_id order by day)
        ) stored join (
          select day from storage_night
          where finished_at is not null and reversed_by is null and day > (select min(day) from storage_night)
        ) n on n.day >= since and n.day < until
        where bytes > 0 and not ${wasClosedOn('stored.account_id', 'n.day')}
      ) o on o.account_id = d.account_id and o.day = d.day
      where d.bytes is distinct from o.bytes and coalesce(d.day, o.day) in (
        select day from storage_night where finished_at is not null and reversed_by is null)`,
  },
];
