import type { Audience } from './visitor.js';
import { type Measured, watchedHundredths } from './report.js';
import { fineStartupBucketOf, startupBucketOf } from './startupBuckets.js';

/** Stands for all of the account's videos. */
export const ALL_VIDEOS = '00000000-0000-0000-0000-000000000000';

export const DIMENSIONS = ['country', 'browser', 'device', 'key'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** What a rollup needs to know about a view. */
export interface ViewFacts {
  readonly accountId: string;
  readonly videoId: string;
  readonly keyId: string | null;
  readonly mintedAtEpochSeconds: number;
  readonly audience: Audience;
  readonly durationMs: number;
  readonly country: string;
  readonly browser: string;
  readonly device: string;
}

/** Numbers that add up. */
export const COUNTERS = [
  'views',
  'uniques',
  'reported',
  'plays',
  'completions',
  'exits',
  'watchedMs',
  'watchedHundredths',
  'stalledMs',
  'stalls',
  'switches',
  'errors',
] as const;
export type Counter = (typeof COUNTERS)[number];
export type Counters = Record<Counter, number>;

export function noCounts(): Counters {
  return Object.fromEntries(COUNTERS.map((counter) => [counter, 0])) as Counters;
}

/** One row of a rollup, or what is to be added to it. */
export interface RollupChange extends Counters {
  readonly accountId: string;
  readonly dimension: string;
  readonly videoId: string;
  readonly startsAtEpochSeconds: number;
  readonly value: string;
  /** Plays per bucket, sparse. */
  readonly startups: Map<number, number>;
  /** Plays per fine bucket, sparse. Only of all viewers. */
  readonly fineStartups: Map<number, number>;
  /** Views per hundredth of the video, sparse. */
  readonly retention: Map<number, number>;
}

const SECONDS_PER_HOUR = 3_600;
const SECONDS_PER_DAY = 86_400;

/** Adds up what changes in the rollups: the difference between what each view counted before and what it counts now. */
export class RollupChanges {
  private readonly changes = new Map<string, RollupChange>();

  /** A view that was not counted before. */
  addView(view: ViewFacts): void {
    for (const change of this.rowsOf(view, [view.videoId, ALL_VIDEOS])) change.views += 1;
  }

  /** The visitor's first view of the day: of the video, or of any video. */
  addUnique(view: ViewFacts, videoId: string): void {
    for (const change of this.rowsOf(view, [videoId])) change.uniques += 1;
  }

  /** @param before what was counted of the view's reports so far */
  addReport(view: ViewFacts, before: Measured, now: Measured): void {
    const counted = figuresOf(before);
    const counts = figuresOf(now);
    const watchedBefore = watchedHundredths(before.ranges, view.durationMs);
    const watchedNow = watchedHundredths(now.ranges, view.durationMs);
    for (const change of this.rowsOf(view, [view.videoId, ALL_VIDEOS])) {
      for (const name of REPORTED) change[name] += counts[name] - counted[name];
      change.watchedHundredths += watchedNow.length - watchedBefore.length;
      if (before.startupMs !== now.startupMs) {
        if (before.startupMs !== null) addStartup(change, before.startupMs, -1);
        if (now.startupMs !== null) addStartup(change, now.startupMs, 1);
      }
      if (change.dimension !== 'all' || change.videoId === ALL_VIDEOS) continue;
      for (const hundredth of watchedBefore) bump(change.retention, hundredth, -1);
      for (const hundredth of watchedNow) bump(change.retention, hundredth, 1);
    }
  }

  /** In the order of the primary key, so that writers of the same rows never wait for each other in a circle. */
  hours(): RollupChange[] {
    return sorted([...this.changes.values()].filter(changesAnything));
  }

  days(): RollupChange[] {
    const days = new Map<string, RollupChange>();
    for (const hour of this.changes.values()) {
      const day = rowIn(days, { ...hour, startsAtEpochSeconds: floored(hour.startsAtEpochSeconds, SECONDS_PER_DAY) });
      for (const name of COUNTERS) day[name] += hour[name];
      for (const [bucket, count] of hour.startups) bump(day.startups, bucket, count);
      for (const [bucket, count] of hour.fineStartups) bump(day.fineStartups, bucket, count);
      for (const [hundredth, count] of hour.retention) bump(day.retention, hundredth, count);
    }
    return sorted([...days.values()].filter(changesAnything));
  }

  private rowsOf(view: ViewFacts, videoIds: readonly string[]): RollupChange[] {
    const { accountId } = view;
    const startsAtEpochSeconds = floored(view.mintedAtEpochSeconds, SECONDS_PER_HOUR);
    return videoIds.flatMap((videoId) =>
      valuesOf(view).map(([dimension, value]) =>
        rowIn(this.changes, { accountId, dimension, videoId, startsAtEpochSeconds, value }),
      ),
    );
  }
}

/** Bots and previews are counted once, apart from everything else. */
function valuesOf(view: ViewFacts): (readonly [string, string])[] {
  if (view.audience !== 'viewer') return [['left_out', view.audience]];
  return [
    ['all', ''],
    ['country', view.country],
    ['browser', view.browser],
    ['device', view.device],
    ['key', view.keyId ?? ''],
  ];
}

const REPORTED = [
  'reported',
  'plays',
  'completions',
  'exits',
  'watchedMs',
  'stalledMs',
  'stalls',
  'switches',
  'errors',
] as const;

function figuresOf(measured: Measured): Record<(typeof REPORTED)[number], number> {
  const { seq, startupMs, watchedMs, stalledMs, stalls, switches, errors, ended } = measured;
  const isReported = seq > 0;
  return {
    reported: Number(isReported),
    plays: Number(startupMs !== null),
    completions: Number(ended),
    exits: Number(isReported && startupMs === null),
    watchedMs,
    stalledMs,
    stalls,
    switches,
    errors: errors.length,
  };
}

type RowName = Pick<RollupChange, 'accountId' | 'dimension' | 'videoId' | 'startsAtEpochSeconds' | 'value'>;

function rowIn(rows: Map<string, RollupChange>, name: RowName): RollupChange {
  const { accountId, dimension, videoId, startsAtEpochSeconds, value } = name;
  const key = `${accountId} ${dimension} ${videoId} ${startsAtEpochSeconds} ${value}`;
  let row = rows.get(key);
  if (!row) {
    row = {
      accountId,
      dimension,
      videoId,
      startsAtEpochSeconds,
      value,
      ...noCounts(),
      startups: new Map(),
      fineStartups: new Map(),
      retention: new Map(),
    };
    rows.set(key, row);
  }
  return row;
}

function changesAnything(change: RollupChange): boolean {
  return (
    COUNTERS.some((counter) => change[counter] !== 0) ||
    [change.startups, change.fineStartups, change.retention].some((counts) =>
      [...counts.values()].some((count) => count !== 0),
    )
  );
}

function sorted(changes: RollupChange[]): RollupChange[] {
  return changes.sort(
    (a, b) =>
      compare(a.accountId, b.accountId) ||
      compare(a.dimension, b.dimension) ||
      compare(a.videoId, b.videoId) ||
      a.startsAtEpochSeconds - b.startsAtEpochSeconds ||
      compare(a.value, b.value),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function floored(epochSeconds: number, step: number): number {
  return Math.floor(epochSeconds / step) * step;
}

function addStartup(change: RollupChange, startupMs: number, plays: number): void {
  bump(change.startups, startupBucketOf(startupMs), plays);
  if (change.dimension === 'all') bump(change.fineStartups, fineStartupBucketOf(startupMs), plays);
}

function bump(counts: Map<number, number>, index: number, by: number): void {
  counts.set(index, (counts.get(index) ?? 0) + by);
}
