import type { Brand } from '../../ports/brand.js';
import type { FrameRate, SourceProbe, SourceVideo, VideoRung } from '../../ports/transcoder.js';
import { brandFilters, matrixOf } from './brandOverlay.js';
import { hlsOutput, SEGMENT_SECONDS, type EncodePlan } from './encodePlan.js';
import { posterFilters } from './pictureOutput.js';
import { frameFilters, type StoryboardPlan } from './storyboard.js';

/**
 * `fps` makes the rate constant before the split, so that all rungs have the same frames. A picture
 * that starts after the sound is held back to zero by repeating its first frame: rungs whose first
 * segments differ in length are not aligned.
 *
 * The logo is in the rungs alone: a poster or a storyboard shows the film, and stands on pages that show the brand.
 */
export function filterGraph(
  video: SourceVideo,
  rungs: readonly VideoRung[],
  {
    probe,
    storyboard,
    brand,
  }: { probe: Pick<SourceProbe, 'durationMs'>; storyboard: StoryboardPlan | null; brand: Brand | null },
): string {
  const common = [
    ...frameFiltersOf(video, rungs[0]?.frameRate ?? video.frameRate),
    `split=${rungs.length + (storyboard === null ? 1 : 2)}${rungs.map((_, index) => `[s${index}]`).join('')}[sp]${storyboard === null ? '' : '[sb]'}`,
  ].join(',');
  const scaled = brand === null ? 'v' : 'p';
  const branded = rungs.map((rung) => ({ ...rung, matrix: matrixOf(video.colorMatrix, rung.height) }));
  return [
    `[0:${video.streamIndex}]${common}`,
    ...rungs.map((rung, index) => `[s${index}]${scaleFilters(rung)}[${scaled}${index}]`),
    ...(brand === null ? [] : brandFilters(brand, branded, { from: scaled, to: 'v' })),
    `[sp]${posterFilters(video, probe.durationMs)}[poster]`,
    ...(storyboard === null ? [] : [`[sb]${frameFilters(storyboard)}[frames]`]),
  ].join(';');
}

/** From the source's frames to those that every rung has. */
export function frameFiltersOf(video: SourceVideo, rate: FrameRate): string[] {
  const halfFrameMs = (500 * rate.denominator) / rate.numerator;
  const startsLate = video.startsAfterMs > halfFrameMs;
  return [
    ...(video.interlaced ? ['yadif=deint=interlaced'] : []),
    `fps=fps=${rate.numerator}/${rate.denominator}${startsLate ? ':start_time=0' : ''}`,
  ];
}

/** From a common frame to a rung's picture, but for a logo. */
export function scaleFilters({ width, height }: Pick<VideoRung, 'width' | 'height'>): string {
  return `scale=${width}:${height}:flags=bicubic:out_range=tv,setsar=1,format=yuv420p`;
}

export function videoOutput(plan: EncodePlan, rung: VideoRung, index: number): string[] {
  const { numerator, denominator } = rung.frameRate;
  return [
    ['-map', `[v${index}]`],
    ['-c:v', 'libx264', '-preset', plan.preset, '-threads', `${plan.threads}`],
    ...h264Settings(rung),
    // Keyframes come from the clock alone: n_forced does not drift as prev_forced_t + 4 would.
    ['-forced-idr', '1'],
    ['-force_key_frames', `expr:gte(t,n_forced*${SEGMENT_SECONDS})`],
    ['-g', `${Math.ceil((numerator / denominator) * SEGMENT_SECONDS) + 1}`],
    // Every keyframe is a border. Asked for 4 s, the muxer would skip one that comes a frame early.
    ...hlsOutput(plan, rung.quality, SEGMENT_SECONDS / 2),
  ].flat();
}

/** What the picture is encoded with, besides the preset: a change of it is a new profile (profiles.ts). */
export function h264Settings(rung: Pick<VideoRung, 'crf' | 'maxBitrateBps' | 'bufferBits' | 'level'>): string[] {
  return [
    ['-profile:v', 'high', '-level:v', rung.level, '-crf', `${rung.crf}`],
    ['-maxrate', `${rung.maxBitrateBps}`, '-bufsize', `${rung.bufferBits}`, '-sc_threshold', '0'],
  ].flat();
}
