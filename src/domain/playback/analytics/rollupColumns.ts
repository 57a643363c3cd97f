import { p } from '@mikro-orm/core';

import { COUNTERS } from './rollups.js';

/** The columns of the counters, in the order of COUNTERS. */
export const COUNTER_COLUMNS = COUNTERS.map((name) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

/**
 * Columns of a rollup: one value of one dimension, in one hour, day or month (UTC) of when the tokens were minted.
 *
 * @param count makes the column of a number that an hour or a day keeps small
 */
export const rollupColumns = <Count>(count: () => Count) => ({
  accountId: p.uuid().primary(),
  /** `all`, `country`, `browser`, `device` or `key`; `left_out` has the bots and previews, which no other row counts. */
  dimension: p.text().primary(),
  /** The nil UUID stands for all of the account's videos. */
  videoId: p.uuid().primary(),
  startsAt: p.datetime().primary(),
  value: p.text().primary(),
  views: count(),
  /** Views that were the visitor's first on that day. */
  uniques: count(),
  /** Views whose player has reported. */
  reported: count(),
  /** Views with a first frame. */
  plays: count(),
  /** Views that played to the end. */
  completions: count(),
  /** Views that were left before the first frame. */
  exits: count(),
  watchedMs: p.bigint('bigint'),
  /** The sum over views of the watched hundredths of the video. */
  watchedHundredths: p.bigint('bigint'),
  stalledMs: p.bigint('bigint'),
  stalls: count(),
  switches: count(),
  errors: count(),
  /** Startup times, as plays per coarse bucket (`startupBuckets.ts`). */
  startups: p.array().columnType('integer[]').nullable(),
  /** How many views watched each hundredth of the video. Only of single videos, in dimension `all`. */
  retention: p.array().columnType('integer[]').nullable(),
});

/** Startup times, as plays per fine bucket. Only in dimension `all`, and null in rows that are older than it. */
export const FINE_STARTUPS = { fineStartups: p.array().columnType('integer[]').nullable() };
