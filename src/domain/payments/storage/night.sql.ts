import type { ShortOfCredits } from './nightNotices.js';
import { type NoParams, statement } from '../../../db/sql.js';
import { accountAfter } from '../../accounts/account.sql.js';
import { drawsFromMaster } from '../../ledger/automaticAllocation.js';
import { LEDGER_ACCOUNTS } from '../../ledger/ledgerAccounts.js';
import { CLOCK_STATE } from '../../shared/clock/clock.sql.js';
import { wasClosedOn } from '../../shared/closedAccounts.js';
import { postMany } from '../../ledger/posting.js';
import { tellLowBalancesOf } from '../billing/lowBalance.sql.js';
import { UNITS_PER_BYTE_MONTH, UNITS_PER_MICRO, WARN_BELOW_DAYS } from '../../ledger/storageRate.js';

export interface BatchRow {
  accounts: string;
  charged_micros: string;
  arrears_micros: string;
  short: ShortOfCredits[];
}

export interface NightRow {
  day: string;
  accounts: string;
  charged_micros: string;
  arrears_micros: string;
}

export interface NextNight {
  readonly day: string;
  readonly due: boolean;
  readonly waits: boolean;
  readonly held: boolean;
  /** The number of nights from this one to yesterday's. */
  readonly nights: number;
  /** How long it has been due; 0 if it is not due yet. */
  readonly lag_seconds: number;
}

const { MASTER, CLOUD } = LEDGER_ACCOUNTS;

/** Whether the charge of a row `d` of `storage_day` was not reversed. */
export const STANDS = `not exists (
  select from storage_reversed_day r where r.account_id = d.account_id and r.day = d.day and r.round = d.round)`;

/** Owners per batch. Their wallets are locked until it commits, so a larger batch would delay them noticeably. */
const OWNERS_PER_BATCH = 1000;

/**
 * The open night, or the one after the last charged night, whether it is due, and whether it waits for a person. It
 * waits if many nights are due at once: either a clock is wrong, or the service was down for days. While nights are
 * being reversed, all others wait.
 */
export const NEXT_NIGHT = statement<NoParams, NextNight>(
  'storage-next-night',
  `
    select day::text as day, now >= due_at as due, ((now - interval '15 minutes') at time zone 'UTC')::date - day as nights,
      greatest(extract(epoch from now - due_at), 0)::float8 as lag_seconds,
      clock.held_since is not null or reversing as held, clock.held_since is not null or reversing
        or now > due_at + interval '48 hours' and day > coalesce(clock.nights_confirmed_through, '-infinity') as waits
    from (
      select coalesce(min(day) filter (where finished_at is null), max(day) filter (where reversed_by is null) + 1) as day,
        exists (select from storage_reversal where finished_at is null) as reversing
      from storage_night
    ) next cross join lateral (
      select (day + 1)::timestamp at time zone 'UTC' + interval '15 minutes' as due_at, service_now() as now offset 0
    ) t cross join ${CLOCK_STATE} clock`,
);

/** The first row is the day before charging began, so it is skipped. */
export const FIND_NIGHT = statement<{ day: string }, NightRow>(
  'storage-find-night',
  `
    select day::text as day, accounts, charged_micros, arrears_micros from storage_night
    where day = :day and finished_at is not null and reversed_by is null and day > (select min(day) from storage_night)`,
);

/** Opening a night and beginning a reversal exclude each other, so that each sees the other. */
export const LOCK_NIGHTS = statement(
  'storage-lock-nights',
  'select from storage_night where day = (select min(day) from storage_night) for update',
);

/**
 * A reversed night is charged again. Does nothing if the night is no longer the next one, because others were reversed
 * meanwhile.
 */
export const OPEN_NIGHT = statement<{ day: string }>(
  'storage-open-night',
  `
    insert into storage_night (day, started_at)
    select :day::date, service_now()
    where not exists (select from storage_reversal where finished_at is null) and :day::date = (
      select coalesce(min(day) filter (where finished_at is null), max(day) filter (where reversed_by is null) + 1)
      from storage_night)
    on conflict (day) do update set started_at = excluded.started_at, finished_at = null, reversed_by = null,
      after_account = default, accounts = 0, charged_micros = 0, arrears_micros = 0, measuring_since = null,
      measured_at = null
    where storage_night.reversed_by is not null`,
);

/** The lock gives its holder the next batch: several processes take turns, and none repeats another's work. */
export const LOCK_NIGHT = statement<{ day: string }, { after_account: string }>(
  'storage-lock-night',
  'select after_account from storage_night where day = :day and finished_at is null for update',
);

/** The last owner of the batch after `:afterAccount`; no row for the last batch. */
export const LAST_OF_BATCH = statement<{ afterAccount: string }, { id: string }>(
  'storage-last-of-batch',
  accountAfter(':afterAccount', OWNERS_PER_BATCH),
);

export const ADVANCE_NIGHT = statement<{
  day: string;
  through: string;
  accounts: string;
  charged: string;
  arrears: string;
  isLast: boolean;
}>(
  'storage-advance-night',
  `
    update storage_night set after_account = :through, accounts = accounts + :accounts, charged_micros = charged_micros + :charged,
      arrears_micros = arrears_micros + :arrears, finished_at = case when :isLast::boolean then service_now() end
    where day = :day`,
);

/** Claims the night's measurement: one process at a time, and again after six hours if the first was lost. */
export const CLAIM_MEASUREMENT = statement<NoParams, { day: string; now_ms: string }>(
  'storage-measure-claim',
  `
    update storage_night set measuring_since = service_now()
    where day = (select max(day) from storage_night where finished_at is not null and reversed_by is null)
      and measured_at is null
      and (measuring_since is null or measuring_since < service_now() - interval '6 hours')
    returning day::text as day, extract(epoch from service_now()) * 1000 as now_ms`,
);

export const END_MEASUREMENT = statement<{ day: string; isDone: boolean }>(
  'storage-measure-done',
  `
    update storage_night set measured_at = case when :isDone::boolean then service_now() end, measuring_since = null
    where day = :day`,
);

/**
 * Charges the day `:day` to every owner after `:afterAccount`, up to and including `:through`, in one round trip.
 *
 * CLOUD pays. What it lacks it draws from MASTER, by an allocation that is posted first; the rest becomes DEBT. The split
 * depends on balances that are locked before both, owner by owner, in the order in which a posting locks. After waiting
 * for a lock, the balance is read again, whatever the statement's snapshot saw.
 * The remainder comes from the owner's last charged day, since a day without a byte adds nothing to it.
 *
 * A charged day has a row and a posting with the same key; either refuses a second charge. Avoid joins of intermediate
 * results: the planner cannot estimate those, and a wrong guess costs the square of the batch.
 */
export const CHARGE_BATCH = statement<{ day: string; afterAccount: string; through: string }, BatchRow>(
  'storage-charge-batch',
  `
    with night as materialized (
      select :day::date::text as day,
        extract(day from date_trunc('month', :day::date) + interval '1 month - 1 day')::integer as month_days,
        service_now() as now
    ), stored as (
      select account_id, size_bytes from stored_object
      where removed_at is null and stored_at < (:day::date + 1)::timestamp at time zone 'UTC'
        and account_id > :afterAccount::uuid and account_id <= :through::uuid
      union all
      select account_id, size_bytes from stored_object
      where removed_at >= (:day::date + 1)::timestamp at time zone 'UTC'
        and stored_at < (:day::date + 1)::timestamp at time zone 'UTC'
        and account_id > :afterAccount::uuid and account_id <= :through::uuid
    ), used as materialized (
      select s.account_id, s.bytes, s.bytes * (${UNITS_PER_BYTE_MONTH} / night.month_days) as units,
        coalesce(last.remainder, 0) as carried, ${drawsFromMaster('s.account_id', 'CLOUD')} as auto_allocate,
        coalesce(before.round, 0::smallint) as round
      from (select account_id, sum(size_bytes) as bytes from stored group by account_id) s
        cross join night
        left join lateral (
          select remainder from storage_day d
          where d.account_id = s.account_id and d.day < :day::date and ${STANDS}
          order by d.day desc limit 1
        ) last on true
        left join lateral (
          select (max(round) + 1)::smallint as round from storage_day d
          where d.account_id = s.account_id and d.day = :day::date
        ) before on true
      where s.bytes > 0 and not ${wasClosedOn('s.account_id', ':day::date')}
        and not exists (select from storage_day d where d.account_id = s.account_id and d.day = :day::date and ${STANDS})
    ), due as materialized (
      select account_id, bytes, units, auto_allocate, round, charged, carried + units - charged * ${UNITS_PER_MICRO} as remainder,
        night.day, night.now
      from used cross join night, lateral (select div(carried + units, ${UNITS_PER_MICRO}) as charged) c
    ), paid as materialized (
      select due.*, own + drawn as from_cloud, drawn, charged - own - drawn as arrears,
        cloud - own + master - drawn as left_over
      from (select * from due order by account_id) due, lateral (
        select max(balance) filter (where account_no = ${CLOUD}) as cloud,
          coalesce(max(balance) filter (where account_no = ${MASTER} and due.auto_allocate), 0) as master
        from lock_wallet(due.account_id)
      ) wallet, lateral (select least(cloud, charged) as own) c, lateral (select least(master, charged - own) as drawn) m
      where cloud is not null
    ), charged_day as (
      insert into storage_day (account_id, day, round, bytes, charged_micros, remainder, from_cloud_micros,
        from_master_micros, drawn_micros, arrears_micros, created_at)
      select account_id, day::date, round, bytes, charged, remainder, from_cloud, 0, drawn, arrears, now from paid
    ), draws as materialized (
      ${postMany('paid where drawn > 0', {
        type: 'ALLOCATION',
        ownerId: 'account_id',
        idempotencyKey: keyOfDay('day', 'storage:draw:'),
        deltas: { MASTER: '-drawn', CLOUD: 'drawn' },
        reference: 'day',
        intent: 'drawn',
        metadata: `'{}'::jsonb`,
        now: 'now',
      })}
    ), posted as materialized (
      ${postMany('paid cross join (select count(*) from draws) drawn_first where charged > 0', {
        type: 'STORAGE',
        ownerId: 'account_id',
        idempotencyKey: keyOfDay('day'),
        deltas: { CLOUD: '-from_cloud', DEBT: '-arrears', REVENUE_STORAGE: 'charged' },
        reference: 'day',
        intent: 'charged',
        metadata: `jsonb_build_object('bytes', bytes::text)`,
        now: 'now',
      })}
    ), told as materialized (
      ${tellLowBalancesOf('paid cross join (select count(*) from posted) posted_first where charged > 0', 'account_id')}
    ), short as (
      select account_id, bytes::text as bytes, arrears::text as arrears, auto_allocate,
        div(left_over * ${UNITS_PER_MICRO}, units)::text as days_left
      from paid where (arrears > 0 or left_over * ${UNITS_PER_MICRO} < ${WARN_BELOW_DAYS} * units)
    )
    select count(*) as accounts, coalesce(sum(charged), 0) as charged_micros, coalesce(sum(arrears), 0) as arrears_micros,
      coalesce((select json_agg(short) from short), '[]') as short, (select postings from posted) as postings,
      (select count(*) from told) as told
    from paid`,
);

/** The key of a day's charge, or of another posting about that day, for a row with its `round`. */
export function keyOfDay(day: string, prefix = 'storage:'): string {
  return `'${prefix}' || ${day} || case when round > 0 then ':' || round else '' end`;
}
