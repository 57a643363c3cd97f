/**
 * Histograms of startup times. Those of any period add up.
 *
 * Every row of a rollup has a coarse one, whose buckets grow by 4 %. The rows of all viewers also have a fine one, in
 * which each bucket is two: a percentile read from it is wrong by 1 % at most. Only they have it, because a breakdown adds
 * up the histograms of thousands of rows.
 */
const FIRST_MS = 50;
const GROWTH = 1.04;
/** The last bucket begins at two minutes. */
const BUCKETS = 200;
const LAST_FINE = 2 * (BUCKETS - 1);

/** The index of the bucket in a coarse histogram, from 0. */
export function startupBucketOf(startupMs: number): number {
  return coarseOf(fineStartupBucketOf(startupMs));
}

/** The same in a fine histogram. */
export function fineStartupBucketOf(startupMs: number): number {
  if (startupMs <= FIRST_MS) return 0;
  return Math.min(LAST_FINE, Math.ceil((2 * Math.log(startupMs / FIRST_MS)) / Math.log(GROWTH)));
}

function coarseOf(fine: number): number {
  return Math.ceil(fine / 2);
}

/**
 * Plays by startup time, from the histograms of one row: by the fine one, and by the coarse one what the fine one does not
 * count. Rows that are older than the fine histogram have only the coarse one, and so do breakdowns.
 *
 * @returns plays by place: a place is the middle of a fine bucket or of a coarse one, in ascending order
 */
export function startupPlaces(coarse: readonly number[], fine: readonly number[] = []): number[] {
  const places: number[] = [];
  const rest = [...coarse];
  for (const [bucket, plays] of fine.entries()) {
    if (plays === 0) continue;
    places[2 * bucket] = plays;
    rest[coarseOf(bucket)] = (rest[coarseOf(bucket)] ?? 0) - plays;
  }
  for (const [bucket, plays] of rest.entries()) {
    const place = Math.max(0, 4 * bucket - 1);
    if (plays > 0) places[place] = (places[place] ?? 0) + plays;
  }
  return Array.from(places, (plays) => plays ?? 0);
}

/**
 * @param places plays by place
 * @param share such as 0.95
 * @returns whole ms, or `null` if nothing was counted
 */
export function startupPercentile(places: readonly number[], share: number): number | null {
  const total = places.reduce((sum, plays) => sum + plays, 0);
  if (total <= 0) return null;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  for (const [place, plays] of places.entries()) {
    seen += plays;
    if (seen >= rank) return msAt(place);
  }
  return null;
}

/** Four places are one coarse bucket. */
function msAt(place: number): number {
  return Math.round(place === 0 ? FIRST_MS / 2 : FIRST_MS * GROWTH ** ((place - 1) / 4));
}
