import type { Making } from './admission.js';
import { estimateEncodeBytes } from './encodeMemory.js';
import { framesPerSecond } from './frameRate.js';
import { renditionsFor } from './ladder.js';
import { workOf } from './stages.js';

/** What a few seconds of work are on two cores: the frames' pixels, decoded and encoded (`workOf`). */
export const SMALL_VIDEO_PIXELS = 300_000_000;
const MAX_DURATION_MS = 60_000;
const MAX_SOURCE_BYTES = 100_000_000;
/** Of what a worker's encodes may take: what nobody counts, all small videos together, beside slots and in them. */
const MAX_MEMORY_SHARE = 0.1;

export interface SmallVideoLimits {
  /** Videos that are made beside others. */
  readonly max: number;
  readonly pixels?: number | undefined;
  /** Of memory, for all that a worker encodes. */
  readonly budgetBytes: number;
}

/** What making a video takes of a worker. */
export interface EncodeDemand {
  /** Of memory, or a little more. */
  readonly bytes: number;
  /** Made beside the video in a slot, and not counted. */
  readonly isSmall: boolean;
}

export function demandOf(making: Making, cores: number, limits: SmallVideoLimits): EncodeDemand {
  const bytes = estimateEncodeBytes(making, cores);
  return { bytes, isSmall: isSmallVideo(making, bytes, limits) };
}

/**
 * Whether a video is so small that what comes before and after its encode counts, and what it takes does not.
 * @param bytes of memory, that its encode takes
 */
export function isSmallVideo(
  { quality, probe }: Making,
  bytes: number,
  { max, pixels = SMALL_VIDEO_PIXELS, budgetBytes }: SmallVideoLimits,
): boolean {
  if (probe.durationMs > MAX_DURATION_MS || probe.sizeBytes > MAX_SOURCE_BYTES) return false;
  if (bytes > (budgetBytes * MAX_MEMORY_SHARE) / (2 * max)) return false;
  const renditions = renditionsFor(quality, probe);
  const rate = probe.video ? framesPerSecond(probe.video.frameRate) : 1;
  return (workOf({ renditions, pictures: true }, probe) * rate * probe.durationMs) / 1_000 <= pixels;
}
