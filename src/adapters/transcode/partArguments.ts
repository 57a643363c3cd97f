import type { Brand } from '../../ports/brand.js';
import type { FilmPart, FrameRate, SourceProbe, SourceVideo, VideoRung } from '../../ports/transcoder.js';
import { logoInput } from './brandOverlay.js';
import { hlsOutput, shortestSegmentSeconds } from './encodePlan.js';
import { inputArguments, steadyFilters } from './ffmpegInput.js';
import { filterThreads } from './filterThreads.js';
import { ENCODER_LOG } from './likeness.js';
import type { PartFrames } from './partFrames.js';
import { frameFiltersOf, h264Encoder, rungFilters } from './videoOutput.js';

export interface PartPlan {
  probe: SourceProbe;
  video: SourceVideo;
  rungs: readonly VideoRung[];
  part: FilmPart;
  frames: PartFrames;
  /** Where reading begins; null is the film's beginning. */
  seekSeconds: number | null;
  preset: string;
  threads: number;
  brand: Brand | null;
  /** Whether this ffmpeg can make SDR of HDR. */
  toneMaps: boolean;
  /** Where the film's segments begin, in milliseconds; null is by the clock. */
  borders: readonly number[] | null;
}

/** As the encoder sees them. */
interface PartPaths {
  inputPath: string;
  outputDir: string;
}

/**
 * The arguments of the ffmpeg that makes one part. Its frames are taken off the same grid as the whole film's, by their
 * numbers; then they count from zero, so that the encoder and the muxer behave as at the beginning of a film.
 */
export function partArguments(plan: PartPlan & PartPaths): string[] {
  return [
    ['-hide_banner', '-nostdin', '-y', ...ENCODER_LOG],
    ['-progress', 'pipe:1', '-stats_period', '0.5'],
    ...soughtInput(plan, plan),
    ...(plan.brand === null ? [] : logoInput(plan.outputDir)),
    [...filterThreads(plan.video, plan), '-filter_complex', partGraph(plan)],
    ...plan.rungs.map((rung, index) => partOutput(plan, rung, index)),
  ].flat();
}

/** Prints, as a line of framecrc, the first frame on the grid that can be made when reading begins there. */
export function firstFrameArguments(
  {
    probe,
    video,
    rate,
    fromPicture,
  }: { probe: SourceProbe; video: SourceVideo; rate: FrameRate; fromPicture: boolean },
  at: { inputPath: string; seekSeconds: number },
): string[] {
  return [
    ['-hide_banner', '-nostdin', '-loglevel', 'error'],
    ...soughtInput({ probe, video }, at),
    ['-map', `0:${video.streamIndex}`, '-vf', soughtFrames(video, rate, { fromPicture }).join(',')],
    ['-fps_mode', 'passthrough', '-frames:v', '1', '-f', 'framecrc', 'pipe:1'],
  ].flat();
}

/** Timestamps stay as they are in a film read from its beginning, wherever reading begins. */
function soughtInput(
  { probe, video }: { probe: SourceProbe; video: SourceVideo },
  { inputPath, seekSeconds }: { inputPath: string; seekSeconds: number | null },
): string[] {
  return [
    ['-copyts', '-start_at_zero'],
    ...(seekSeconds === null ? [] : [['-noaccurate_seek', '-ss', seekSeconds.toFixed(3)]]),
    steadyFilters(video),
    inputArguments(probe.container, inputPath),
  ].flat();
}

/** Later in the film there is nothing to be repeated back to its beginning. */
function soughtFrames(video: SourceVideo, rate: FrameRate, { fromPicture }: { fromPicture: boolean }): string[] {
  return fromPicture
    ? frameFiltersOf(video, rate, { fromPicture })
    : frameFiltersOf({ ...video, startsAfterMs: 0 }, rate);
}

function partGraph(plan: PartPlan): string {
  const { video, rungs, frames, seekSeconds, borders } = plan;
  const rate = rungs[0]?.frameRate ?? video.frameRate;
  const toFrames = seekSeconds === null ? frameFiltersOf : soughtFrames;
  const common = [
    ...toFrames(video, rate, { fromPicture: borders !== null }),
    `trim=start_pts=${frames.first}:end_pts=${frames.end}`,
    `setpts=PTS-${frames.first}`,
  ];
  return [`[0:${video.streamIndex}]${common.join(',')}[film]`, ...rungFilters(video, rungs, plan)].join(';');
}

function partOutput(plan: PartPlan & PartPaths, rung: VideoRung, index: number): string[] {
  const { numerator, denominator } = rung.frameRate;
  // By numbers, not by a rule on the clock, which would be off by the part's first frame.
  const keyframes = plan.frames.borders.map((frame) => ((frame * denominator) / numerator).toFixed(6));
  return [
    ['-map', `[v${index}]`, '-fps_mode', 'passthrough'],
    h264Encoder(plan, rung),
    ...(keyframes.length === 0 ? [] : [['-force_key_frames', keyframes.join(',')]]),
    ['-start_number', `${plan.part.firstSegment}`],
    hlsOutput(plan, rung.quality, shortestSegmentSeconds(plan)),
  ].flat();
}
