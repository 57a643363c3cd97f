import { p } from '@mikro-orm/core';

/** Columns of a rollup: one value of one dimension, in one hour or day (UTC) of when the tokens were minted. */
export const rollupColumns = () => ({
  accountId: p.uuid().primary(),
  /** `all`, `country`, `browser`, `device` or `key`; `left_out` has the bots and previews, which no other row counts. */
  dimension: p.text().primary(),
  /** The nil UUID stands for all of the account's videos. */
  videoId: p.uuid().primary(),
  startsAt: p.datetime().primary(),
  value: p.text().primary(),
  views: p.integer(),
  /** Views that were the visitor's first on that day. */
  uniques: p.integer(),
  /** Views whose player has reported. */
  reported: p.integer(),
  /** Views with a first frame. */
  plays: p.integer(),
  /** Views that played to the end. */
  completions: p.integer(),
  /** Views that were left before the first frame. */
  exits: p.integer(),
  watchedMs: p.bigint('bigint'),
  /** The sum over views of the watched hundredths of the video. */
  watchedHundredths: p.bigint('bigint'),
  stalledMs: p.bigint('bigint'),
  stalls: p.integer(),
  switches: p.integer(),
  errors: p.integer(),
  /** Startup times, as plays per bucket (`startupBuckets.ts`). */
  startups: p.array().columnType('integer[]').nullable(),
  /** How many views watched each hundredth of the video. Only of single videos, in dimension `all`. */
  retention: p.array().columnType('integer[]').nullable(),
});
