import { framesPerSecond } from '../../../ports/transcoder.js';
import type { Making } from './admission.js';
import { estimateEncodeBytes } from './encodeMemory.js';
import { renditionsFor } from './ladder.js';
import { workOf } from './stages.js';

/** A few seconds of work on two cores: the frames' pixels, decoded and encoded (`workOf`). */
export const SMALL_VIDEO_PIXELS = 300_000_000;
const MAX_DURATION_MS = 60_000;
const MAX_SOURCE_BYTES = 100_000_000;
/** Maximum share of the memory budget that all small videos may use together without being counted. */
const MAX_MEMORY_SHARE = 0.1;

export interface SmallVideoLimits {
  /** Maximum number of videos made beside others. */
  readonly max: number;
  readonly pixels?: number | undefined;
  /** Memory budget of all encodes of a worker. */
  readonly budgetBytes: number;
}

/** What a video's encode demands of a worker. */
export interface EncodeDemand {
  /** Upper estimate of its memory. */
  readonly bytes: number;
  /** Made beside the video in a slot, and not counted. */
  readonly isSmall: boolean;
}

export function demandOf(making: Making, cores: number, limits: SmallVideoLimits): EncodeDemand {
  const bytes = estimateEncodeBytes(making, cores);
  return { bytes, isSmall: isSmallVideo(making, bytes, limits) };
}

/**
 * Whether a video is so small that start and end dominate its encode, and its memory need not be counted.
 * @param bytes memory that its encode takes
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
