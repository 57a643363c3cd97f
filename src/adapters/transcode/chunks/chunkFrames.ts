import { ChunkUnfitError, type ChunkSpan, type FrameRate, type SourceProbe } from '../../../ports/transcoder.js';
import { boundaryStep } from '../encode/frameSteps.js';
import { endIsJoined, regularSegments, SEGMENT_SECONDS, shownMs } from '../../../ports/timeline.js';
import { OVERRUN_SECONDS } from '../encode/outputFormat.js';

/** A chunk on the constant-rate frame grid of its video: from the first frame up to, but not including, the end. */
export interface ChunkFrames {
  first: number;
  end: number;
  /** Where its segments after the first begin, counted from `first`. */
  boundaries: readonly number[];
}

/**
 * The frame at which a segment begins: the first one at or after its time. Uses doubles and multiplies as ffmpeg does
 * for a keyframe at `t`. More exact arithmetic would give chunks other frames than a video made in one go.
 */
export function firstFrameAt(seconds: number, rate: FrameRate): number {
  const frameSeconds = rate.denominator / rate.numerator;
  let frame = Math.max(0, Math.floor(seconds / frameSeconds) - 1);
  while (frame * frameSeconds < seconds) {
    frame += 1;
  }
  return frame;
}

/** Where the segments of a video begin: at constant intervals, or at given boundaries in milliseconds. */
interface VideoGrid {
  rate: FrameRate;
  boundaries: readonly number[] | null;
}

/**
 * The first frame of a segment. Boundaries are rounded frame times.
 * @throws ChunkUnfitError if there is no such segment
 */
function firstFrameOf(segment: number, { rate, boundaries }: VideoGrid): number {
  if (boundaries === null) {
    const step = boundaryStep(rate);
    const { numerator, denominator } = rate;
    return firstFrameAt(segment * SEGMENT_SECONDS, { numerator, denominator: denominator * step }) * step;
  }
  const boundary = boundaries[segment];
  if (boundary === undefined)
    throw new ChunkUnfitError(`there are ${boundaries.length} segments, and no number ${segment}`);
  return Math.round((boundary * rate.numerator) / rate.denominator / 1_000);
}

export function framesOf({ firstSegment, endSegment }: ChunkSpan, grid: VideoGrid, probe: SourceProbe): ChunkFrames {
  const first = firstFrameOf(firstSegment, grid);
  const end =
    endSegment === null
      ? firstFrameAt(probe.durationMs / 1_000 + OVERRUN_SECONDS, grid.rate)
      : firstFrameOf(endSegment, grid);
  const boundaries: number[] = [];
  const regular = endIsJoined(shownMs(probe)) ? regularSegments(shownMs(probe)) : Number.POSITIVE_INFINITY;
  const segments = grid.boundaries?.length ?? regular;
  for (let segment = firstSegment + 1; segment < segments; segment += 1) {
    const frame = firstFrameOf(segment, grid);
    if (frame >= end) break;
    boundaries.push(frame - first);
  }
  return { first, end, boundaries };
}
