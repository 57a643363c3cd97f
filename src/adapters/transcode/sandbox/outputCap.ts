import type { Rendition, SourceProbe } from '../../../ports/transcoder.js';
import type { OutputCap } from './outputWatch.js';

const MIB = 1024 * 1024;
/** Posters, storyboards, and what a first second may cost. */
const BASE: OutputCap = { maxBytes: 256 * MIB, maxFiles: 1_000 };
/** Rate control keeps to its cap within a few seconds, not within each. */
const SLACK = 2;
const SOUND_BPS = 128_000;

/** Pictures, texts: everything but a ladder. */
export const SMALL_OUTPUT: OutputCap = BASE;

/** What a ladder of this length can come to, with room to spare; a copied rendition is no larger than the source. */
export function ladderCap(
  { durationMs, sizeBytes }: Pick<SourceProbe, 'durationMs' | 'sizeBytes'>,
  renditions: readonly Rendition[],
): OutputCap {
  const seconds = durationMs / 1_000;
  const bitsPerSecond = renditions.reduce((sum, rendition) => sum + capOf(rendition), 0);
  return {
    maxBytes: BASE.maxBytes + sizeBytes * renditions.length + (SLACK * seconds * bitsPerSecond) / 8,
    maxFiles: BASE.maxFiles + Math.ceil(SLACK * seconds * renditions.length),
  };
}

function capOf(rendition: Rendition): number {
  return rendition.quality === 'audio' ? rendition.bitrateBps : rendition.maxBitrateBps + SOUND_BPS;
}
