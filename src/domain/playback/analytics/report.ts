import { z } from 'zod';

/** Codes of the player, as its documentation lists them. */
const REPORTED_ERRORS = [
  'INVALID_PLAYBACK_TOKEN',
  'PLAYBACK_TOKEN_EXPIRED',
  'DOMAIN_NOT_ALLOWED',
  'VIDEO_NOT_FOUND',
  'VIDEO_NOT_READY',
  'ACCOUNT_SUSPENDED',
  'SERVICE_UNAVAILABLE',
  'NO_TOKEN',
  'NETWORK',
  'DECODE',
  'UNSUPPORTED',
] as const;

export const MAX_REPORT_BYTES = 4_096;
export const MAX_RANGES = 64;
const MAX_ERRORS = 10;
/** Three weeks: beyond what any grant lives. */
const MAX_MS = 2_000_000_000;
const MAX_COUNT = 100_000;

const ms = z.int().min(0).max(MAX_MS);
const count = z.int().min(0).max(MAX_COUNT);

const REPORT = z.strictObject({
  v: z.literal(1),
  seq: z.int().min(1).max(1_000_000_000),
  startupMs: ms.nullable(),
  watchedMs: ms,
  stalledMs: ms,
  stalls: count,
  switches: count,
  ranges: z.array(z.tuple([ms, ms])).max(MAX_RANGES),
  errors: z.array(z.strictObject({ code: z.enum(REPORTED_ERRORS), atMs: ms })).max(MAX_ERRORS),
  ended: z.boolean(),
});

export interface ReportedError {
  readonly code: (typeof REPORTED_ERRORS)[number];
  /** Position in the video. */
  readonly atMs: number;
}

/** What a player has measured of one view so far. */
export interface Measured {
  /** 0 before the first report. */
  readonly seq: number;
  /** From the wish to play to the first frame; `null` before it. */
  readonly startupMs: number | null;
  /** Wall-clock time in which the picture moved. */
  readonly watchedMs: number;
  /** Rebuffering after the first frame, wall-clock time. */
  readonly stalledMs: number;
  readonly stalls: number;
  /** Changes of the rendition. */
  readonly switches: number;
  /** Starts and ends of what was watched, alternating, in ms of the video; sorted and merged. */
  readonly ranges: readonly number[];
  readonly errors: readonly ReportedError[];
  /** Played to the end. */
  readonly ended: boolean;
}

/** Returns `null` for anything but a report: unknown fields, fractions and negative numbers included. */
export function parseReport(text: string): Measured | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = REPORT.safeParse(json);
  if (!parsed.success) return null;
  const { v: _, ranges, ...rest } = parsed.data;
  return { ...rest, ranges: mergedRanges(ranges.flat()) };
}

/** A tab in the background or a clock that was moved. Players measure by a monotonic clock, which stops with the machine. */
const SPARE_MS = 10_000;
/** Clocks of browsers may run at the speed of the video. */
const MAX_SPEED = 2.5;
/** How often somebody may watch the same video in one view, in a loop. */
const MAX_LOOPS = 100;
const MAX_PER_SECOND = 10;
/** More says nothing more about a view, and millions of forged ones must not overflow an account's sums. */
const MAX_COUNTED = 1_000;

/**
 * Cuts every number to what is possible for a view of this age and a video of this length. Reports come from strangers
 * and are never used for money.
 */
export function possible(report: Measured, { ageMs, durationMs }: { ageMs: number; durationMs: number }): Measured {
  const elapsedMs = Math.max(0, Math.ceil(ageMs)) + SPARE_MS;
  const counted = Math.min(MAX_COUNTED, Math.ceil((elapsedMs / 1_000) * MAX_PER_SECOND));
  const { startupMs, watchedMs, stalledMs, stalls, switches, ranges, errors } = report;
  return {
    ...report,
    startupMs: startupMs === null ? null : Math.min(startupMs, elapsedMs),
    watchedMs: Math.floor(Math.min(watchedMs, elapsedMs * MAX_SPEED, durationMs * MAX_LOOPS)),
    stalledMs: Math.min(stalledMs, elapsedMs),
    stalls: Math.min(stalls, counted),
    switches: Math.min(switches, counted),
    ranges: within(ranges, durationMs),
    errors: errors.map(({ code, atMs }) => ({ code, atMs: Math.min(atMs, durationMs) })),
  };
}

/**
 * What two reports of a view say together: the greater of each number, and everything that was watched. The order does
 * not matter, and a report that comes twice changes nothing.
 */
export function merged(a: Measured, b: Measured): Measured {
  return {
    seq: Math.max(a.seq, b.seq),
    startupMs:
      a.startupMs === null || b.startupMs === null ? (a.startupMs ?? b.startupMs) : Math.min(a.startupMs, b.startupMs),
    watchedMs: Math.max(a.watchedMs, b.watchedMs),
    stalledMs: Math.max(a.stalledMs, b.stalledMs),
    stalls: Math.max(a.stalls, b.stalls),
    switches: Math.max(a.switches, b.switches),
    ranges: mergedRanges([...a.ranges, ...b.ranges]),
    errors: b.errors.length > a.errors.length ? b.errors : a.errors,
    ended: a.ended || b.ended,
  };
}

const HUNDREDTHS = 100;

/** The hundredths of the video, from 0, of which at least half was watched. */
export function watchedHundredths(ranges: readonly number[], durationMs: number): number[] {
  if (durationMs <= 0) return [];
  const stepMs = durationMs / HUNDREDTHS;
  const watched: number[] = [];
  let at = 0;
  for (let hundredth = 0; hundredth < HUNDREDTHS; hundredth += 1) {
    const [from, to] = [hundredth * stepMs, (hundredth + 1) * stepMs];
    while (at < ranges.length && ranges[at + 1]! <= from) at += 2;
    let covered = 0;
    for (let next = at; next < ranges.length && ranges[next]! < to; next += 2) {
      covered += Math.min(to, ranges[next + 1]!) - Math.max(from, ranges[next]!);
    }
    if (covered * 2 >= stepMs) watched.push(hundredth);
  }
  return watched;
}

/** Sorts and merges; of more than MAX_RANGES, closes the smallest gaps. Skips empty and reversed ranges. */
function mergedRanges(flat: readonly number[]): number[] {
  const pairs: [number, number][] = [];
  for (let at = 0; at < flat.length; at += 2) {
    if (flat[at]! < flat[at + 1]!) pairs.push([flat[at]!, flat[at + 1]!]);
  }
  pairs.sort((a, b) => a[0] - b[0]);
  const joined: [number, number][] = [];
  for (const pair of pairs) {
    const last = joined.at(-1);
    if (last && pair[0] <= last[1]) last[1] = Math.max(last[1], pair[1]);
    else joined.push(pair);
  }
  while (joined.length > MAX_RANGES) {
    let smallest = 1;
    for (let at = 2; at < joined.length; at += 1) {
      if (gapBefore(joined, at) < gapBefore(joined, smallest)) smallest = at;
    }
    joined[smallest - 1]![1] = joined[smallest]![1];
    joined.splice(smallest, 1);
  }
  return joined.flat();
}

function gapBefore(ranges: readonly [number, number][], at: number): number {
  return ranges[at]![0] - ranges[at - 1]![1];
}

function within(ranges: readonly number[], durationMs: number): number[] {
  return mergedRanges(ranges.map((at) => Math.min(at, durationMs)));
}
