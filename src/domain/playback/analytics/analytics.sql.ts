import { NOW_ONCE } from '../../shared/clock/now.js';
import { microsOf, timeOf } from '../../shared/micros.js';
import { statement } from '../../../db/sql.js';
import type { ReportedError } from './report.js';
import { COUNTER_COLUMNS as COLUMNS } from './rollupColumns.js';
import type { Audience } from './visitor.js';

/** Inserts what is new, in the given order, and returns it. */
export const ADD_VIEWS = statement<
  {
    accountIds: readonly string[];
    ids: readonly string[];
    mintedAt: readonly number[];
    exchangedAt: readonly number[];
    testClocks: readonly (number | null)[];
    videoIds: readonly string[];
    keyIds: readonly (string | null)[];
    audiences: readonly Audience[];
    durations: readonly number[];
    countries: readonly string[];
    browsers: readonly string[];
    devices: readonly string[];
  },
  { id: string }
>(
  'playback-add-views',
  `
    insert into playback_view (account_id, id, minted_at, exchanged_at, test_clock_seconds, video_id, key_id, audience,
      duration_ms, country, browser, device)
    select account_id, id, to_timestamp(minted_at), to_timestamp(exchanged_at), test_clock_seconds, video_id, key_id,
      audience, duration_ms, country, browser, device
    from unnest(:accountIds::uuid[], :ids::uuid[], :mintedAt::float8[], :exchangedAt::float8[], :testClocks::float8[],
      :videoIds::uuid[], :keyIds::uuid[], :audiences::text[], :durations::int[], :countries::text[], :browsers::text[],
      :devices::text[])
      with ordinality v (account_id, id, minted_at, exchanged_at, test_clock_seconds, video_id, key_id, audience, duration_ms,
        country, browser, device, n)
    order by n
    on conflict do nothing
    returning id`,
);

/** Inserts visitors who are new on their day, in the given order, and returns them. */
export const ADD_VISITORS = statement<
  {
    accountIds: readonly string[];
    videoIds: readonly string[];
    visitors: readonly Buffer[];
    days: readonly string[];
  },
  { account_id: string; video_id: string; visitor: Buffer; day: string }
>(
  'playback-add-visitors',
  `
    insert into playback_visitor (account_id, video_id, visitor, minted_on)
    select account_id, video_id, visitor, day
    from unnest(:accountIds::uuid[], :videoIds::uuid[], :visitors::bytea[], :days::date[])
      with ordinality v (account_id, video_id, visitor, day, n)
    order by n
    on conflict do nothing
    returning account_id, video_id, visitor, minted_on::text as day`,
);

/** Times are epoch seconds. */
export interface ViewRow {
  id: string;
  minted_at: number;
  exchanged_at: number | null;
  test_clock_seconds: number | null;
  video_id: string;
  key_id: string | null;
  audience: Audience;
  duration_ms: number;
  country: string;
  browser: string;
  device: string;
  seq: number;
  reported_at: number | null;
  startup_ms: number | null;
  watched_ms: number;
  stalled_ms: number;
  stalls: number;
  switches: number;
  ranges: number[];
  errors: ReportedError[];
  ended: boolean;
}

/** A view that reports may still change. */
export interface OpenViewRow extends Omit<ViewRow, 'exchanged_at' | 'test_clock_seconds' | 'reported_at'> {
  account_id: string;
  age_ms: number;
}

/**
 * Reports come for as long as the grant lives: the video's length and six hours. Compared with `NOW_ONCE`, so that
 * PostgreSQL leaves out the partitions of earlier days.
 */
const MAX_AGE = `interval '4 days'`;

/** Locks the views in the given order, until the transaction ends. Leaves out those that do not exist. */
export const LOCK_VIEWS = statement<{ accountIds: readonly string[]; ids: readonly string[] }, OpenViewRow>(
  'playback-lock-views',
  `
    select v.account_id, v.id, extract(epoch from v.minted_at)::float8 as minted_at, v.video_id, v.key_id, v.audience,
      v.duration_ms, v.country, v.browser, v.device, v.seq, v.startup_ms, v.watched_ms, v.stalled_ms, v.stalls,
      v.switches, v.ranges, v.errors, v.ended,
      (extract(epoch from service_now() - v.minted_at) * 1000)::float8 as age_ms
    from unnest((select :accountIds::uuid[]), (select :ids::uuid[])) asked (account_id, id)
    cross join lateral (
      select * from playback_view w
      where w.account_id = asked.account_id and w.id = asked.id and w.minted_at > ${NOW_ONCE} - ${MAX_AGE}
      for no key update
    ) v`,
);

/**
 * One view of the account. If it is known when its token was created (`mintedAt`, in epoch seconds), only the partition
 * of that day is read; otherwise one row of the index of each day.
 */
export const FIND_VIEW = statement<{ accountId: string; viewId: string; mintedAt: number | null }, ViewRow>(
  'playback-find-view',
  `
    select id, extract(epoch from minted_at)::float8 as minted_at, extract(epoch from exchanged_at)::float8 as exchanged_at,
      test_clock_seconds, video_id, key_id, audience, duration_ms, country, browser, device, seq,
      extract(epoch from reported_at)::float8 as reported_at, startup_ms, watched_ms, stalled_ms, stalls, switches, ranges,
      errors, ended
    from playback_view
    where account_id = :accountId and id = :viewId
      and minted_at >= coalesce(to_timestamp(:mintedAt::float8), '-infinity')
      and minted_at <= coalesce(to_timestamp(:mintedAt::float8), 'infinity')`,
);

/** Stores the latest of locked views. Returns nothing. */
export const STORE_REPORTS = statement<{
  accountIds: readonly string[];
  ids: readonly string[];
  mintedAt: readonly number[];
  seqs: readonly number[];
  startups: readonly (number | null)[];
  watched: readonly number[];
  stalled: readonly number[];
  stalls: readonly number[];
  switches: readonly number[];
  ranges: readonly string[];
  errors: readonly string[];
  ended: readonly boolean[];
}>(
  'playback-store-reports',
  `
    update playback_view v
    set seq = r.seq, reported_at = service_now(), startup_ms = r.startup_ms, watched_ms = r.watched_ms,
      stalled_ms = r.stalled_ms, stalls = r.stalls, switches = r.switches, ranges = r.ranges::integer[],
      errors = r.errors::jsonb, ended = r.ended
    from unnest((select :accountIds::uuid[]), (select :ids::uuid[]), (select :mintedAt::float8[]),
      (select :seqs::int[]), (select :startups::int[]), (select :watched::int[]), (select :stalled::int[]),
      (select :stalls::int[]), (select :switches::int[]), (select :ranges::text[]), (select :errors::text[]),
      (select :ended::boolean[]))
      r (account_id, id, minted_at, seq, startup_ms, watched_ms, stalled_ms, stalls, switches, ranges, errors, ended)
    where v.account_id = r.account_id and v.id = r.id and v.minted_at = to_timestamp(r.minted_at)
      and v.minted_at > ${NOW_ONCE} - ${MAX_AGE}`,
);

export interface RollupParams {
  accountIds: readonly string[];
  dimensions: readonly string[];
  videoIds: readonly string[];
  startsAt: readonly number[];
  values: readonly string[];
  /** An array of arrays, one per counter, in the order of COUNTERS. */
  counts: readonly string[];
  /** Array literals, or `null` for no change. */
  startups: readonly (string | null)[];
  fineStartups: readonly (string | null)[];
  retentions: readonly (string | null)[];
}

/** Adds to rollup rows, in the given order, and creates those that do not exist. */
const addTo = (table: 'playback_hour' | 'playback_day', name: string) =>
  statement<RollupParams>(
    name,
    `
    insert into ${table} as kept (account_id, dimension, video_id, starts_at, value, ${COLUMNS.join(', ')}, startups,
      fine_startups, retention)
    select account_id, dimension, video_id, to_timestamp(starts_at), value,
      ${COLUMNS.map((_, n) => `counts[${n + 1}]`).join(', ')}, startups::integer[], fine_startups::integer[],
      retention::integer[]
    from (
      select account_id, dimension, video_id, starts_at, value, counts::bigint[] as counts, startups, fine_startups,
        retention, n
      from unnest(:accountIds::uuid[], :dimensions::text[], :videoIds::uuid[], :startsAt::float8[], :values::text[],
        :counts::text[], :startups::text[], :fineStartups::text[], :retentions::text[])
        with ordinality r (account_id, dimension, video_id, starts_at, value, counts, startups, fine_startups, retention, n)
    ) r
    order by n
    on conflict (account_id, dimension, video_id, starts_at, value) do update set
      ${COLUMNS.map((column) => `${column} = kept.${column} + excluded.${column}`).join(', ')},
      startups = add_counts(kept.startups, excluded.startups),
      fine_startups = add_counts(kept.fine_startups, excluded.fine_startups),
      retention = add_counts(kept.retention, excluded.retention)`,
  );

export const ADD_TO_HOURS = addTo('playback_hour', 'playback-add-to-hours');
export const ADD_TO_DAYS = addTo('playback_day', 'playback-add-to-days');

/** Views and plays of today and of the last 30 days (UTC). */
export const RECENT_VIEWS = statement<
  { accountId: string; all: string },
  { today: string; last_30_days: string; plays_today: string; plays_30_days: string; ever: boolean }
>(
  'playback-recent-views',
  `
    select coalesce(sum(views) filter (where starts_at >= d.today), 0) as today, coalesce(sum(views), 0) as last_30_days,
      coalesce(sum(plays) filter (where starts_at >= d.today), 0) as plays_today, coalesce(sum(plays), 0) as plays_30_days,
      exists (
        select from playback_day e where e.account_id = :accountId and e.dimension = 'all' and e.video_id = :all and e.views > 0
      ) as ever
    from (select date_trunc('day', service_now()) as today offset 0) d
    left join playback_day on account_id = :accountId and dimension = 'all' and video_id = :all
      and starts_at > d.today - interval '30 days' and starts_at <= d.today`,
);

/** Plays of each of these videos in the last 30 days with today (UTC); videos without any are left out. */
export const RECENT_PLAYS = statement<
  { accountId: string; videoIds: readonly string[] },
  { video_id: string; plays: string }
>(
  'playback-recent-plays',
  `
    select p.video_id, sum(p.plays) as plays
    from (select date_trunc('day', service_now()) as today offset 0) d
      join playback_day p on p.account_id = :accountId and p.dimension = 'all' and p.video_id = any (:videoIds::uuid[])
        and p.starts_at > d.today - interval '30 days' and p.starts_at <= d.today
    group by p.video_id`,
);

/** Days before a moment on which a video was watched, newest first. */
export const DAYS_OF_VIDEO = statement<
  { accountId: string; videoId: string; beforeMicros: string; first: number },
  { at_micros: string; views: number }
>(
  'playback-days-of-video',
  `
    select ${microsOf('starts_at')} as at_micros, views from playback_day
    where account_id = :accountId and dimension = 'all' and video_id = :videoId and views > 0
      and starts_at < ${timeOf(':beforeMicros')}
    order by starts_at desc limit :first`,
);

/** Creates the day's salt unless another process has. */
export const ADD_SALT = statement<{ day: string; salt: Buffer }>(
  'playback-add-salt',
  'insert into playback_salt (day, salt) values (:day, :salt) on conflict do nothing',
);

export const FIND_SALT = statement<{ day: string }, { salt: Buffer }>(
  'playback-find-salt',
  'select salt from playback_salt where day = :day',
);

/** Creates the partitions of coming days and months, drops expired ones, and deletes old salts. */
export const KEEP_PARTS = statement<{ viewDays: number; hourMonths: number }, { changes: number }>(
  'playback-keep-parts',
  'select keep_playback_parts(:viewDays, :hourMonths) as changes',
);
