import type { SourceVideo } from '../../../ports/transcoder.js';
import { commonOutput, type EncodePlan } from './encodePlan.js';

/** Poster candidates; ffmpeg numbers them from 01. */
const POSTER_PATTERN = 'poster_%02d.jpg';
const MAX_POSTERS = 11;

const POSTER_LONG_SIDE = 1280;
const LATER_POSTERS = MAX_POSTERS - 1;
/** Closer pictures look alike. */
const MIN_STEP_SECONDS = 1;

/**
 * Selects the poster candidates: the first frame, and up to ten between a tenth and six tenths of the video. The first
 * frame is included because ffmpeg reports no progress until every output has begun.
 * @param toSdr filters applied to the chosen frames only
 */
export function posterFilters(video: SourceVideo, durationMs: number, toSdr: readonly string[]): string {
  const durationSeconds = durationMs / 1_000;
  const from = durationSeconds / 10;
  const step = Math.max(MIN_STEP_SECONDS, durationSeconds / 2 / LATER_POSTERS);
  const { width, height } = posterSize(video);
  return [
    `select='eq(n,0)+gte(t,${from})*gte(t-prev_selected_t,${step})'`,
    ...toSdr,
    `scale=${width}:${height}:out_range=pc:out_color_matrix=bt601,setsar=1,format=yuvj420p`,
  ].join(',');
}

export function posterSize({ displayWidth, displayHeight }: SourceVideo): { width: number; height: number } {
  const scale = Math.min(1, POSTER_LONG_SIDE / Math.max(displayWidth, displayHeight));
  const side = (length: number): number => Math.max(2, Math.floor((length * scale) / 2) * 2);
  return { width: side(displayWidth), height: side(displayHeight) };
}

export function posterOutput(plan: EncodePlan): string[] {
  return [
    ['-map', '[poster]', '-frames:v', `${MAX_POSTERS}`, '-fps_mode', 'vfr'],
    ['-c:v', 'mjpeg', '-q:v', '3'],
    ...commonOutput(plan),
    ['-f', 'image2', `${plan.outputDir}/${POSTER_PATTERN}`],
  ].flat();
}
