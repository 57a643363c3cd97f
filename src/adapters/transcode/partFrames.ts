import type { FilmPart, FrameRate } from '../../ports/transcoder.js';
import { OVERRUN_SECONDS, SEGMENT_SECONDS } from './encodePlan.js';

/** A part of a film on the grid of its constant rate: from the first frame up to the end, which is not in it. */
export interface PartFrames {
  first: number;
  end: number;
  /** Where its segments after the first begin, counted from `first`. */
  borders: readonly number[];
}

/**
 * The frame at which a segment begins: the first at or after its moment. In doubles, multiplied as ffmpeg does it when
 * it is asked for a keyframe at `t`: by arithmetic that is more exact, a film in one go and in parts would differ.
 */
export function firstFrameAt(seconds: number, rate: FrameRate): number {
  const frameSeconds = rate.denominator / rate.numerator;
  let frame = Math.max(0, Math.floor(seconds / frameSeconds) - 1);
  while (frame * frameSeconds < seconds) {
    frame += 1;
  }
  return frame;
}

export function framesOf(part: FilmPart, rate: FrameRate, durationMs: number): PartFrames {
  const endSeconds =
    part.endSegment === null ? durationMs / 1_000 + OVERRUN_SECONDS : part.endSegment * SEGMENT_SECONDS;
  const first = firstFrameAt(part.firstSegment * SEGMENT_SECONDS, rate);
  const end = firstFrameAt(endSeconds, rate);
  const borders: number[] = [];
  for (let segment = part.firstSegment + 1; ; segment += 1) {
    const frame = firstFrameAt(segment * SEGMENT_SECONDS, rate);
    if (frame >= end) {
      return { first, end, borders };
    }
    borders.push(frame - first);
  }
}
