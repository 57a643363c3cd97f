import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { keepParts } from '../../shared/keptParts.js';
import { KEEP_PARTS, RECENT_PLAYS, RECENT_VIEWS } from './analytics.sql.js';
import { buildDueMonths, stretchesOf } from './months.js';
import {
  BY_HASHING,
  type CounterRow,
  type StoredCounterRow,
  type SeriesRow,
  type Period,
  RETENTION,
  SERIES,
  STARTUPS_OF_VALUES,
  STARTUPS_OF_VIDEOS,
  SUMS_OF_VIDEOS,
  TOP_VIDEOS,
  VALUES,
} from './questions.sql.js';
import { ALL_VIDEOS, COUNTERS, type Counters, type Dimension, noCounts } from './rollups.js';
import { startupPercentile, startupPlaces } from './startupBuckets.js';

export type Granularity = 'hour' | 'day';

export interface AnalyticsQuestion {
  /** UTC days, `YYYY-MM-DD`, both included. */
  readonly from: string;
  readonly to: string;
  /** UUID; `null` for all of the account's videos. */
  readonly videoId: string | null;
  readonly granularity: Granularity;
  /** `null` for no breakdown. */
  readonly dimension: Dimension | null;
}

/** Counts of views, and what follows from them. Shares are `null` where there is nothing to divide by. */
export interface Figures {
  readonly views: number;
  /** Visitors, each counted once a day. */
  readonly uniqueViews: number;
  /** Views whose player has reported: the base of everything below. */
  readonly reportedViews: number;
  /** Views with a first frame. */
  readonly plays: number;
  readonly completions: number;
  /** Of plays. */
  readonly completionRate: number | null;
  readonly watchedMs: number;
  /** The mean share of the video that a play watched. */
  readonly averageWatchedShare: number | null;
  readonly exitsBeforeStart: number;
  /** Of plays and exits. */
  readonly exitBeforeStartRate: number | null;
  readonly startupP50Ms: number | null;
  readonly startupP95Ms: number | null;
  readonly stalls: number;
  readonly stalledMs: number;
  /** Stalled time as a share of stalled and watched time. */
  readonly rebufferRatio: number | null;
  readonly renditionSwitches: number;
  readonly errors: number;
}

export interface Analytics {
  readonly totals: Figures;
  /** Every hour or day of the period, oldest first, without gaps. */
  readonly series: readonly { readonly startsAt: Date; readonly figures: Figures }[];
  /** By views, at most 100. `null` without a dimension. */
  readonly breakdown: readonly { readonly value: string | null; readonly figures: Figures }[] | null;
  /** How many views watched each hundredth of the video. `null` for all videos together. */
  readonly retention: readonly number[] | null;
  /** Views that no other number counts. */
  readonly leftOut: { readonly bots: number; readonly previews: number };
}

const DAY_MS = 86_400_000;
const STEP_MS = { hour: 3_600_000, day: DAY_MS } as const;
const MAX_DAYS = { hour: 31, day: 400 } as const;
const MAX_VALUES = 100;
const MAX_TOP_VIDEOS = 50;
const HUNDREDTHS = 100;
const SNAPSHOT = { isSnapshot: true } as const;

export interface RecentViews {
  readonly today: number;
  readonly last30Days: number;
  /** Views whose first frame was shown. */
  readonly playsToday: number;
  readonly playsLast30Days: number;
  readonly ever: boolean;
}

/** Answers from the rollups, a few seconds after it happened. All parts of an answer are of the same moment. */
export class AnalyticsService {
  constructor(
    private readonly db: Database,
    /** How long rows of views and their counts by hour are kept; counts by day stay. */
    private readonly keeping = { viewDays: 30, hourMonths: 13 },
  ) {}

  /** @throws INVALID_INPUT for a period that ends before it begins or is too long */
  async analytics(accountId: string, question: AnalyticsQuestion): Promise<Analytics> {
    const { granularity, dimension, from, to } = question;
    checkPeriod(question, granularity);
    const videoId = question.videoId ?? ALL_VIDEOS;
    return this.db.transaction(async ({ sql }) => {
      const of = { ...(await periodOf(sql, accountId, question)), videoId };
      const steps = { accountId, videoId, fromDay: from, toDay: to };
      const days = talliesOf(await execute(sql, SERIES.day, steps));
      const points = granularity === 'day' ? days : talliesOf(await execute(sql, SERIES.hour, steps));
      const breakdown = dimension === null ? null : await breakdownOf(sql, { ...of, dimension });
      const retention = question.videoId === null ? null : await execute(sql, RETENTION, of);
      const leftOut = await execute(sql, VALUES, { ...of, dimension: 'left_out', most: MAX_VALUES });
      const total = emptyTally();
      for (const tally of days.values()) addTally(total, tally);
      return {
        totals: figuresOf(total),
        series: timesOf(question, granularity).map((atMs) => ({
          startsAt: new Date(atMs),
          figures: figuresOf(points.get(atMs) ?? emptyTally()),
        })),
        breakdown,
        retention:
          retention &&
          countsOf(
            retention.map(({ hundredth, views }) => [hundredth, views]),
            HUNDREDTHS,
          ),
        leftOut: { bots: viewsOf(leftOut, 'bot'), previews: viewsOf(leftOut, 'preview') },
      };
    }, SNAPSHOT);
  }

  /**
   * The videos with the most views.
   *
   * @throws INVALID_INPUT like `analytics`, or if `first` is not 1 to 50
   */
  async topVideos(
    accountId: string,
    { from, to, first }: { from: string; to: string; first: number },
  ): Promise<{ videoId: string; figures: Figures }[]> {
    if (first < 1 || first > MAX_TOP_VIDEOS) throw new AppError('INVALID_INPUT', `first is 1 to ${MAX_TOP_VIDEOS}.`);
    checkPeriod({ from, to }, 'day');
    return this.db.transaction(async ({ sql }) => {
      const period = await periodOf(sql, accountId, { from, to });
      const top = await execute(sql, TOP_VIDEOS, { ...period, all: ALL_VIDEOS, most: first });
      const videoIds = top.map((row) => row.video_id);
      const sums = await execute(sql, SUMS_OF_VIDEOS, { ...period, videoIds });
      await execute(sql, BY_HASHING);
      const startups = await execute(sql, STARTUPS_OF_VIDEOS, { ...period, videoIds });
      const sumsOf = new Map(sums.map((row) => [row.video_id, row]));
      const bucketsOf = Map.groupBy(startups, (row) => row.video_id);
      return videoIds.map((videoId) => ({
        videoId,
        figures: figuresOf(tallyOf(sumsOf.get(videoId)!, startupsOfBuckets(bucketsOf.get(videoId)))),
      }));
    }, SNAPSHOT);
  }

  /** Views and plays of today and of the last 30 days with today (UTC), and whether there were any views ever. */
  async recentViews(accountId: string): Promise<RecentViews> {
    const [row] = await execute(this.db.sql, RECENT_VIEWS, { accountId, all: ALL_VIDEOS });
    return {
      today: Number(row!.today),
      last30Days: Number(row!.last_30_days),
      playsToday: Number(row!.plays_today),
      playsLast30Days: Number(row!.plays_30_days),
      ever: row!.ever,
    };
  }

  /** Plays of each video in the last 30 days with today (UTC), in the order of the ids. */
  async recentPlays(accountId: string, videoIds: readonly string[]): Promise<number[]> {
    const rows = await execute(this.db.sql, RECENT_PLAYS, { accountId, videoIds });
    const plays = new Map(rows.map((row) => [row.video_id, Number(row.plays)]));
    return videoIds.map((id) => plays.get(id) ?? 0);
  }

  /** Creates the partitions of coming days and months, and drops expired ones. Runs nightly. @returns how many changed */
  keep(signal?: AbortSignal): Promise<number> {
    return keepParts(async () => {
      const [row] = await execute(this.db.sql, KEEP_PARTS, this.keeping);
      return row!.changes;
    }, signal);
  }

  /** Sums up months that are over. Runs nightly. @returns how many */
  buildMonths(signal?: AbortSignal): Promise<number> {
    return buildDueMonths(this.db, signal);
  }
}

async function breakdownOf(
  sql: Sql,
  of: Period & { videoId: string; dimension: Dimension },
): Promise<{ value: string | null; figures: Figures }[]> {
  const rows = await execute(sql, VALUES, { ...of, most: MAX_VALUES });
  const values = rows.map(({ value }) => value);
  await execute(sql, BY_HASHING);
  const startups = await execute(sql, STARTUPS_OF_VALUES, { ...of, values });
  const bucketsOf = Map.groupBy(startups, (row) => row.value);
  return rows.map((row) => ({
    value: row.value === '' ? null : row.value,
    figures: figuresOf(tallyOf(row, startupsOfBuckets(bucketsOf.get(row.value)))),
  }));
}

/** Counters, and plays by startup time (`startupPlaces`). */
interface Tally {
  readonly counters: Counters;
  startups: number[];
}

function emptyTally(): Tally {
  return { counters: noCounts(), startups: [] };
}

function tallyOf(row: CounterRow | StoredCounterRow, startups: number[]): Tally {
  return {
    counters: Object.fromEntries(COUNTERS.map((name) => [name, Number(row[name])])) as Counters,
    startups,
  };
}

/** By the time at which each hour or day begins, in epoch ms. */
function talliesOf(rows: readonly SeriesRow[]): ReadonlyMap<number, Tally> {
  return new Map(
    rows.map((row) => {
      const startups = startupPlaces(elementsOf(row.startups), elementsOf(row.fine_startups));
      return [row.at * 1_000, tallyOf(row, startups)];
    }),
  );
}

/** The elements of an array as PostgreSQL writes it. Those that count nothing are `NULL`. */
function elementsOf(array: string | null): number[] {
  return array === null || array === '{}'
    ? []
    : array
        .slice(1, -1)
        .split(',')
        .map((element) => Number(element) || 0);
}

function addTally(sum: Tally, more: Tally): void {
  for (const name of COUNTERS) sum.counters[name] += more.counters[name];
  const [longer, shorter] =
    more.startups.length > sum.startups.length ? [more.startups, sum.startups] : [sum.startups, more.startups];
  sum.startups = longer.map((plays, place) => plays + (shorter[place] ?? 0));
}

function figuresOf({ counters, startups }: Tally): Figures {
  const { views, uniques, reported, plays, completions, exits, watchedMs, stalledMs, stalls } = counters;
  return {
    views,
    uniqueViews: uniques,
    reportedViews: reported,
    plays,
    completions,
    completionRate: shareOf(completions, plays),
    watchedMs,
    averageWatchedShare: shareOf(counters.watchedHundredths, plays * HUNDREDTHS),
    exitsBeforeStart: exits,
    exitBeforeStartRate: shareOf(exits, plays + exits),
    startupP50Ms: startupPercentile(startups, 0.5),
    startupP95Ms: startupPercentile(startups, 0.95),
    stalls,
    stalledMs,
    rebufferRatio: shareOf(stalledMs, stalledMs + watchedMs),
    renditionSwitches: counters.switches,
    errors: counters.errors,
  };
}

function shareOf(part: number, whole: number): number | null {
  return whole > 0 ? Math.min(1, part / whole) : null;
}

function startupsOfBuckets(rows: readonly { bucket: number; plays: string }[] = []): number[] {
  return startupPlaces(
    countsOf(
      rows.map(({ bucket, plays }) => [bucket, plays]),
      Math.max(0, ...rows.map(({ bucket }) => bucket)),
    ),
  );
}

/** @param counted positions from 1, and counts as the database writes them */
function countsOf(counted: readonly (readonly [number, string])[], length: number): number[] {
  const counts = Array<number>(length).fill(0);
  for (const [position, count] of counted) counts[position - 1] = Number(count);
  return counts;
}

function viewsOf(rows: readonly (CounterRow & { value: string })[], value: string): number {
  return Number(rows.find((row) => row.value === value)?.views ?? 0);
}

function checkPeriod({ from, to }: Pick<AnalyticsQuestion, 'from' | 'to'>, granularity: Granularity): void {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw new AppError('INVALID_INPUT', 'The period ends before it begins.');
  if (days > MAX_DAYS[granularity]) {
    throw new AppError('INVALID_INPUT', `A period by ${granularity} is at most ${MAX_DAYS[granularity]} days.`);
  }
}

async function periodOf(
  sql: Sql,
  accountId: string,
  { from, to }: Pick<AnalyticsQuestion, 'from' | 'to'>,
): Promise<Period> {
  const seconds = { from: Date.parse(from) / 1_000, until: (Date.parse(to) + DAY_MS) / 1_000 };
  return { accountId, ...(await stretchesOf(sql, accountId, seconds)) };
}

function timesOf({ from, to }: Pick<AnalyticsQuestion, 'from' | 'to'>, granularity: Granularity): number[] {
  const [beginsMs, endsMs, stepMs] = [Date.parse(from), Date.parse(to) + DAY_MS, STEP_MS[granularity]];
  return Array.from({ length: (endsMs - beginsMs) / stepMs }, (_, n) => beginsMs + n * stepMs);
}
