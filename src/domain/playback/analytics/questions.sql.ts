import { statement } from '../../../db/sql.js';
import { COUNTER_COLUMNS } from './rollupColumns.js';
import { COUNTERS, type Counter } from './rollups.js';

/** One row of added counters. Sums come as text. */
export type CounterRow = { readonly [Name in Counter]: string };

/** The counters of an hour or a day as they are stored. Times are `bigint`, which comes as text. */
export type StoredCounterRow = {
  readonly [Name in Counter]: Name extends `${string}Ms` | 'watchedHundredths' ? string : number;
};

/** Which rollup rows, in epoch seconds: months for the time from `monthsFrom` until `monthsUntil`, and days around it. */
export interface Stretches {
  from: number;
  monthsFrom: number;
  monthsUntil: number;
  until: number;
}

/** Of one account. */
export type Period = Stretches & { accountId: string };

const ALL_COLUMNS = `video_id, value, ${COUNTER_COLUMNS.join(', ')}, startups, retention`;
const COUNTER_SUMS = COUNTERS.map((name, n) => `sum(${COUNTER_COLUMNS[n]}) as "${name}"`).join(', ');

/**
 * The rows of the period that `where` selects, of days and of months. Each time has its own condition: joined with a
 * list of times, PostgreSQL would read the rows of all time, since it guesses that there are few.
 */
function rowsWhere(where: string, columns = ALL_COLUMNS): string {
  const of = (table: 'playback_day' | 'playback_month', from: keyof Stretches, until: keyof Stretches) => `
      select ${columns} from ${table} where account_id = :accountId and ${where}
        and starts_at >= to_timestamp(:${from}::float8) and starts_at < to_timestamp(:${until}::float8)`;
  return `(${of('playback_day', 'from', 'monthsFrom')}
      union all${of('playback_month', 'monthsFrom', 'monthsUntil')}
      union all${of('playback_day', 'monthsUntil', 'until')}
    ) kept`;
}

/** One hour or day, at epoch seconds. Histograms are arrays as PostgreSQL writes them. */
export type SeriesRow = StoredCounterRow & { at: number; startups: string | null; fine_startups: string | null };

/** Each hour or day that has views, oldest first. */
const series = (table: 'playback_hour' | 'playback_day', name: string) =>
  statement<{ accountId: string; videoId: string; fromDay: string; toDay: string }, SeriesRow>(
    name,
    `
    select extract(epoch from starts_at)::float8 as at,
      ${COUNTERS.map((counter, n) => `${COUNTER_COLUMNS[n]} as "${counter}"`).join(', ')},
      startups::text, fine_startups::text
    from ${table}
    where account_id = :accountId and dimension = 'all' and video_id = :videoId
      and starts_at >= :fromDay::date::timestamptz and starts_at < (:toDay::date + 1)::timestamptz
    order by starts_at`,
  );
export const SERIES = {
  hour: series('playback_hour', 'playback-series-per-hour'),
  day: series('playback_day', 'playback-series-per-day'),
} as const;

/**
 * For the rest of the transaction, PostgreSQL adds up by hashing. It guesses that there are few numbers to add up, and would
 * sort them all first.
 */
export const BY_HASHING = statement('playback-by-hashing', `select set_config('enable_sort', 'off', true)`);

/** The values of a dimension, most views first. */
export const VALUES = statement<
  Period & { videoId: string; dimension: string; most: number },
  CounterRow & { value: string }
>(
  'playback-values',
  `
    select value, ${COUNTER_SUMS}
    from ${rowsWhere('dimension = :dimension and video_id = :videoId')}
    group by value order by sum(views) desc, value limit :most`,
);

/**
 * The startup histograms of these values of a dimension. Buckets count from 1, and come in no order: to sort them costs
 * more than to add them up.
 */
export const STARTUPS_OF_VALUES = statement<
  Period & { videoId: string; dimension: string; values: readonly string[] },
  { value: string; bucket: number; plays: string }
>(
  'playback-startups-of-values',
  `
    select value, bucket::int, sum(counted) as plays
    from ${rowsWhere('dimension = :dimension and video_id = :videoId and value = any (:values)', 'value, startups')},
      unnest(startups) with ordinality s (counted, bucket)
    where counted is not null
    group by value, bucket`,
);

/** The videos with the most views. Reads only the index, and no row. */
export const TOP_VIDEOS = statement<Period & { all: string; most: number }, { video_id: string }>(
  'playback-top-videos',
  `
    select video_id from ${rowsWhere(`dimension = 'all' and video_id > :all`, 'video_id, views')}
    group by video_id order by sum(views) desc, video_id limit :most`,
);

export const SUMS_OF_VIDEOS = statement<Period & { videoIds: readonly string[] }, CounterRow & { video_id: string }>(
  'playback-sums-of-videos',
  `
    select video_id, ${COUNTER_SUMS}
    from ${rowsWhere(`dimension = 'all' and video_id = any (:videoIds::uuid[])`)}
    group by video_id`,
);

export const STARTUPS_OF_VIDEOS = statement<
  Period & { videoIds: readonly string[] },
  { video_id: string; bucket: number; plays: string }
>(
  'playback-startups-of-videos',
  `
    select video_id, bucket::int, sum(counted) as plays
    from ${rowsWhere(`dimension = 'all' and video_id = any (:videoIds::uuid[])`, 'video_id, startups')},
      unnest(startups) with ordinality s (counted, bucket)
    where counted is not null
    group by video_id, bucket`,
);

/** How many views watched each hundredth. Hundredths count from 1. */
export const RETENTION = statement<Period & { videoId: string }, { hundredth: number; views: string }>(
  'playback-retention',
  `
    select hundredth::int, sum(views_of_it) as views
    from ${rowsWhere(`dimension = 'all' and video_id = :videoId`, 'retention')},
      unnest(retention) with ordinality r (views_of_it, hundredth)
    where views_of_it is not null
    group by hundredth`,
);
