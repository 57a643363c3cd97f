import { PartUnfitError, type FilmPart, type FrameRate } from '../../ports/transcoder.js';
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

/** Where the segments of a film begin: by the clock, or at given borders in milliseconds. */
interface FilmGrid {
  rate: FrameRate;
  borders: readonly number[] | null;
}

/**
 * The first frame of a segment. Borders are those of frames, rounded.
 * @throws PartUnfitError where there is no such segment
 */
function firstFrameOf(segment: number, { rate, borders }: FilmGrid): number {
  if (borders === null) return firstFrameAt(segment * SEGMENT_SECONDS, rate);
  const border = borders[segment];
  if (border === undefined) throw new PartUnfitError(`there are ${borders.length} segments, and no number ${segment}`);
  return Math.round((border * rate.numerator) / rate.denominator / 1_000);
}

export function framesOf({ firstSegment, endSegment }: FilmPart, grid: FilmGrid, durationMs: number): PartFrames {
  const first = firstFrameOf(firstSegment, grid);
  const end =
    endSegment === null
      ? firstFrameAt(durationMs / 1_000 + OVERRUN_SECONDS, grid.rate)
      : firstFrameOf(endSegment, grid);
  const borders: number[] = [];
  const segments = grid.borders?.length ?? Number.POSITIVE_INFINITY;
  for (let segment = firstSegment + 1; segment < segments; segment += 1) {
    const frame = firstFrameOf(segment, grid);
    if (frame >= end) break;
    borders.push(frame - first);
  }
  return { first, end, borders };
}
