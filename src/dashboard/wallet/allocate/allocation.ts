import type { Bucket, WalletBalancesFragment } from '../../generated/graphql.js';
import { microsOf } from '../../lib/credits.js';
import { BUCKETS, type BucketWords } from '../words.js';

export type BucketKey = BucketWords['key'];
/** Micro-credits per bucket. */
export type Shares = Readonly<Record<BucketKey, bigint>>;

export interface Move {
  readonly from: Bucket;
  readonly to: Bucket;
  readonly micros: bigint;
}

const CENT = 10_000n;

export function sharesOf({ master, creative, cloud, ai }: WalletBalancesFragment): Shares {
  return { master: microsOf(master), creative: microsOf(creative), cloud: microsOf(cloud), ai: microsOf(ai) };
}

export function totalOf(shares: Shares): bigint {
  return BUCKETS.reduce((sum, { key }) => sum + shares[key], 0n);
}

/** How far one key press moves a handle: about a hundredth of the total, as a round number of credits. */
export function stepOf(total: bigint): bigint {
  for (let magnitude = CENT; ; magnitude *= 10n) {
    for (const factor of [1n, 2n, 5n]) if (magnitude * factor * 100n >= total) return magnitude * factor;
  }
}

/**
 * Moves the edge between two neighbors so that the first has `leftMicros`, limited by what both have together.
 * @param handle 0 is the edge between the first and the second bucket
 */
export function moveEdge(shares: Shares, handle: number, leftMicros: bigint): Shares {
  const left = BUCKETS[handle]?.key;
  const right = BUCKETS[handle + 1]?.key;
  if (!left || !right) return shares;
  const both = shares[left] + shares[right];
  const kept = leftMicros < 0n ? 0n : leftMicros > both ? both : leftMicros;
  return { ...shares, [left]: kept, [right]: both - kept };
}

/** Sets one bucket; MASTER gives or takes the difference. Undefined if MASTER does not have that much. */
export function setShare(shares: Shares, key: BucketKey, micros: bigint): Shares | undefined {
  const master = shares.master + shares[key] - micros;
  return key === 'master' || master < 0n || micros < 0n ? undefined : { ...shares, master, [key]: micros };
}

/** The moves from one allocation to another: first those to MASTER, then those from it. */
export function planMoves(now: Shares, then: Shares): Move[] {
  const moves = BUCKETS.filter(({ key }) => key !== 'master').map(({ key, value }) => ({
    bucket: value,
    change: then[key] - now[key],
  }));
  return [
    ...moves.filter(({ change }) => change < 0n).map(({ bucket, change }) => moveOf(bucket, 'MASTER', -change)),
    ...moves.filter(({ change }) => change > 0n).map(({ bucket, change }) => moveOf('MASTER', bucket, change)),
  ];
}

function moveOf(from: Bucket, to: Bucket, micros: bigint): Move {
  return { from, to, micros };
}
