/**
 * The histogram of startup times. Each bucket is 4 % wider than the one before, so a percentile read from it is wrong by
 * 2 % at most, and histograms of any period add up.
 */
const FIRST_MS = 50;
const GROWTH = 1.04;
/** The last bucket begins at two minutes. */
const BUCKETS = 200;

/** The index of the bucket, from 0. */
export function startupBucketOf(startupMs: number): number {
  if (startupMs <= FIRST_MS) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log(startupMs / FIRST_MS) / Math.log(GROWTH)));
}

/**
 * @param counts plays per bucket
 * @param share such as 0.95
 * @returns whole ms, or `null` if nothing was counted
 */
export function startupPercentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return null;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  for (const [bucket, count] of counts.entries()) {
    seen += count;
    if (seen >= rank) return middleOf(bucket);
  }
  return null;
}

function middleOf(bucket: number): number {
  return Math.round(bucket === 0 ? FIRST_MS / 2 : FIRST_MS * GROWTH ** (bucket - 0.5));
}
