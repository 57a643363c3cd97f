import { type NoParams, statement } from '../../../db/sql.js';
import { isTestAccount } from '../../accounts/testMode/testAccount.sql.js';
import { LEDGER_ACCOUNTS } from '../../ledger/ledgerAccounts.js';
import { ALL_VIDEOS } from '../../playback/analytics/rollups.js';

const { CASH, SUSPENSE, REVENUE_PROCESSING, REVENUE_STORAGE } = LEDGER_ACCOUNTS;

/** The longest period that the console shows, and how far back days are summed up. */
export const MAX_TOTAL_DAYS = 400;
/** Views and tokens of a day are counted a few minutes after it at the latest. */
const SETTLED_AFTER = `interval '1 hour'`;
/** A day waits at most this long for the night that measures its storage, and is final after that. */
const NIGHT_COMES_WITHIN = `interval '30 days'`;

const TODAY = `(service_now() at time zone 'UTC')::date`;
const BEGINS = `((:day::date)::timestamp at time zone 'UTC')`;
const ENDS = `((:day::date + 1)::timestamp at time zone 'UTC')`;

const isOfDay = (column: string): string => `${column} >= ${BEGINS} and ${column} < ${ENDS}`;
const isLive = (accountId: string): string => `not ${isTestAccount(accountId)}`;

/**
 * Days that are not final, oldest first: the running one and the last ones every few minutes, and those that wait for their
 * storage night once an hour.
 */
export const DUE_DAYS = statement<{ most: number }, { day: string }>(
  'platform-due-days',
  `
    select d::date::text as day
    from generate_series(
      greatest(${TODAY} - ${MAX_TOTAL_DAYS - 1}, coalesce((select (min(created_at) at time zone 'UTC')::date from account), ${TODAY})),
      ${TODAY}, interval '1 day') d
    left join platform_day kept on kept.day = d::date
    where kept.day is null or not kept.is_final and (kept.measured_at > service_now() or kept.measured_at
      < service_now() - case when kept.day < ${TODAY} - 1 then interval '1 hour' else interval '5 minutes' end)
    order by d limit :most`,
);

/**
 * Sums up one day and keeps it. All of it is one statement, so that a token of a key is counted once while the key begins its
 * next day. It reads only rows of that day, with two exceptions: all keys, because a mint must not have to change an index, and
 * all accounts while the day before is not final.
 */
export const MEASURE_DAY = statement<{ day: string }, { is_final: boolean }>(
  // No name: PostgreSQL plans it for each day, because the rows of a day are few or many.
  '',
  `
    with people as (
      select
        (select count(*) from account a where ${isOfDay('a.created_at')} and ${isLive('a.id')}) as sign_ups,
        (select count(*) from account_closing c where ${isOfDay('c.erased_at')}) as erased
    ), money as (
      select
        coalesce(-sum(e.delta) filter (where t.type = 'TOPUP' and e.account_no in (${CASH}, ${SUSPENSE})), 0) as topped_up,
        coalesce(sum(e.delta) filter (where t.type in ('REFUND', 'DISPUTE') and e.account_no in (${CASH}, ${SUSPENSE})), 0)
          as refunded,
        coalesce(sum(e.delta) filter (where e.account_no in (${REVENUE_PROCESSING}, ${REVENUE_STORAGE})), 0) as spent
      from ledger_entry e join ledger_tx t on t.owner_id = e.owner_id and t.tx_id = e.tx_id
      where ${isOfDay('e.created_at')} and e.account_no in (${CASH}, ${SUSPENSE}, ${REVENUE_PROCESSING}, ${REVENUE_STORAGE})
    ), videos as (
      select
        (select count(*) from upload u where ${isOfDay('u.finished_at')} and ${isLive('u.account_id')}) as uploaded,
        count(*) filter (where p.state = 'succeeded') as ready,
        count(*) filter (where p.state = 'failed') as failed,
        coalesce(sum(q.duration_ms) filter (where p.state = 'succeeded'), 0) as encoded_ms
      from processing p left join quote q on q.account_id = p.account_id and q.id = p.quote_id
      where ${isOfDay('p.finished_at')} and ${isLive('p.account_id')}
    ), tokens as (
      select coalesce(sum(minted.used), 0) as minted from (
        select d.used from api_key_day d where d.day = :day::date and ${isLive('d.account_id')}
        union all
        -- On its first day, a key takes over what revoked keys minted. Those count it themselves.
        select k.used - case when (k.created_at at time zone 'UTC')::date = k.usage_day then k.taken_over else 0 end
        from api_key k where k.usage_day = :day::date and ${isLive('k.account_id')}
      ) minted
    ), watched as (
      select coalesce(sum(d.views), 0) as views
      from playback_month_state m join playback_day d on d.account_id = m.account_id
        and d.dimension = 'all' and d.video_id = '${ALL_VIDEOS}' and d.starts_at = ${BEGINS}
      where m.starts_at = date_trunc('month', ${BEGINS}, 'UTC') and ${isLive('m.account_id')}
    ), night as (
      select exists (select from storage_night n where n.day = :day::date and n.finished_at is not null) as is_over
    ), stored as (
      -- A day that was charged again has several rows.
      select coalesce(sum(latest.bytes), 0) as bytes from (
        select distinct on (s.account_id) s.bytes from storage_day s where s.day = :day::date
        order by s.account_id, s.round desc
      ) latest
    )
    insert into platform_day as kept (day, accounts, sign_ups, topped_up_micros, spent_micros, refunded_micros,
      videos_uploaded, videos_ready, videos_failed, encoded_ms, tokens, views, stored_bytes, is_final, measured_at)
    select :day::date,
      coalesce(
        (select b.accounts + people.sign_ups - people.erased from platform_day b where b.day = :day::date - 1 and b.is_final),
        (select count(*) from account a where a.created_at < ${ENDS} and ${isLive('a.id')}
          and not exists (select from account_closing c where c.account_id = a.id and c.erased_at < ${ENDS}))),
      people.sign_ups, money.topped_up, money.spent, money.refunded, videos.uploaded, videos.ready, videos.failed,
      videos.encoded_ms, tokens.minted, watched.views, case when night.is_over then stored.bytes end,
      service_now() >= ${ENDS} + case when night.is_over then ${SETTLED_AFTER} else ${NIGHT_COMES_WITHIN} end,
      service_now()
    from people, money, videos, tokens, watched, night, stored
    on conflict (day) do update set accounts = excluded.accounts, sign_ups = excluded.sign_ups,
      topped_up_micros = excluded.topped_up_micros, spent_micros = excluded.spent_micros,
      refunded_micros = excluded.refunded_micros, videos_uploaded = excluded.videos_uploaded,
      videos_ready = excluded.videos_ready, videos_failed = excluded.videos_failed, encoded_ms = excluded.encoded_ms,
      tokens = excluded.tokens, views = excluded.views, stored_bytes = excluded.stored_bytes,
      is_final = excluded.is_final, measured_at = excluded.measured_at
    where not kept.is_final
    returning is_final`,
);

export interface PlatformDayRow {
  readonly day: string;
  readonly accounts: string;
  readonly sign_ups: string;
  readonly topped_up_micros: string;
  readonly spent_micros: string;
  readonly refunded_micros: string;
  readonly videos_uploaded: string;
  readonly videos_ready: string;
  readonly videos_failed: string;
  readonly encoded_ms: string;
  readonly tokens: string;
  readonly views: string;
  readonly stored_bytes: string | null;
  readonly is_final: boolean;
  readonly measured_at: string;
}

/** The last days, oldest first, with the running one. */
export const PLATFORM_DAYS = statement<{ days: number }, PlatformDayRow>(
  'platform-days',
  `
    select day::text, accounts, sign_ups, topped_up_micros, spent_micros, refunded_micros, videos_uploaded, videos_ready,
      videos_failed, encoded_ms, tokens, views, stored_bytes, is_final, measured_at
    from platform_day where day > ${TODAY} - :days::integer and day <= ${TODAY} order by day`,
);

/** Attempts at processing that failed in the last 24 hours. */
export const FAILED_ATTEMPTS = statement<NoParams, { failed: string }>(
  'platform-failed-attempts',
  `
    select count(*) as failed from processing p
    where p.finished_at > service_now() - interval '24 hours' and p.state = 'failed' and ${isLive('p.account_id')}`,
);
