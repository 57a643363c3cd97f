import type { FilmPart } from '../../ports/transcoder.js';
import { SEGMENT_SECONDS } from './encodePlan.js';
import { firstFrameOf, type FilmGrid } from './partFrames.js';

/** How much of a film is looked at: enough to tell, and a few hundredths of what its ladder costs. */
const SHARE = 0.15;
const MAX_SECONDS = 32;
const SAMPLE_SECONDS = 4;

/** A stretch of a film that begins with a segment. */
export interface Sample {
  /** The segment's place in its rung. */
  readonly index: number;
  readonly startSeconds: number;
  readonly seconds: number;
}

/** Evenly spread, each from the beginning of a segment; never two of one segment. */
export function chooseSamples(segments: readonly { readonly durationSeconds: number }[]): Sample[] {
  const starts: number[] = [];
  let at = 0;
  for (const { durationSeconds } of segments) {
    starts.push(at);
    at += durationSeconds;
  }
  const wantedSeconds = Math.min(MAX_SECONDS, at * SHARE);
  const count = Math.min(segments.length, Math.ceil(wantedSeconds / SAMPLE_SECONDS));
  return Array.from({ length: count }, (_, place) => {
    const index = Math.floor(((place + 0.5) * segments.length) / count);
    const seconds = Math.min(segments[index]!.durationSeconds, Math.max(1, wantedSeconds / count));
    return { index, startSeconds: starts[index]!, seconds };
  });
}

/**
 * Those samples of a film that lie in a part of it: whoever makes a part knows them without asking for the others, and
 * together they are the ones of the whole film. Their places are those in the part.
 */
export function samplesOfPart({ firstSegment, endSegment }: FilmPart, grid: FilmGrid, durationMs: number): Sample[] {
  const { numerator, denominator } = grid.rate;
  return chooseSamples(segmentsOf(grid, durationMs)).flatMap(({ index, seconds }) => {
    if (index < firstSegment || index >= (endSegment ?? Infinity)) return [];
    const startSeconds = (firstFrameOf(index, grid) * denominator) / numerator;
    return [{ index: index - firstSegment, startSeconds, seconds }];
  });
}

function segmentsOf({ borders }: FilmGrid, durationMs: number): { durationSeconds: number }[] {
  const segmentMs = SEGMENT_SECONDS * 1_000;
  const length = borders?.length ?? Math.ceil(durationMs / segmentMs);
  const startMs = (index: number): number => borders?.[index] ?? index * segmentMs;
  return Array.from({ length }, (_, index) => {
    const endMs = index + 1 < length ? startMs(index + 1) : durationMs;
    return { durationSeconds: (endMs - startMs(index)) / 1_000 };
  });
}
