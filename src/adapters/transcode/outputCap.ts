import type { Rung, SourceProbe } from '../../ports/transcoder.js';
import type { OutputCap } from './outputWatch.js';

const MIB = 1024 * 1024;
/** Posters, storyboards, and what a first second may cost. */
const BASE: OutputCap = { maxBytes: 256 * MIB, maxFiles: 1_000 };
/** Rate control keeps to its cap within a few seconds, not within each. */
const SLACK = 2;
const SOUND_BPS = 128_000;

/** Pictures, texts: everything but a ladder. */
export const SMALL_OUTPUT: OutputCap = BASE;

/** What a ladder of this length can come to, with room to spare; a copied rung is no larger than the source. */
export function ladderCap(
  { durationMs, sizeBytes }: Pick<SourceProbe, 'durationMs' | 'sizeBytes'>,
  rungs: readonly Rung[],
): OutputCap {
  const seconds = durationMs / 1_000;
  const bitsPerSecond = rungs.reduce((sum, rung) => sum + capOf(rung), 0);
  return {
    maxBytes: BASE.maxBytes + sizeBytes * rungs.length + (SLACK * seconds * bitsPerSecond) / 8,
    maxFiles: BASE.maxFiles + Math.ceil(SLACK * seconds * rungs.length),
  };
}

function capOf(rung: Rung): number {
  return rung.quality === 'audio' ? rung.bitrateBps : rung.maxBitrateBps + SOUND_BPS;
}
