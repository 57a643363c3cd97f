import type { Rendition, SourceProbe } from '../../../ports/transcoder.js';
import type { OutputCap } from './outputWatch.js';

const MIB = 1024 * 1024;
/** Covers posters, storyboards and the first second. */
const BASE: OutputCap = { maxBytes: 256 * MIB, maxFiles: 1_000 };
/** Rate control keeps its cap over a few seconds, not within each one. */
const SLACK = 2;
const SOUND_BPS = 128_000;

/** For pictures and subtitles: everything except a ladder. */
export const SMALL_OUTPUT: OutputCap = BASE;

/** A generous maximum for a ladder of this length. A passthrough rendition is no larger than the source. */
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
