import type { Brand } from '../../../ports/brand.js';
import type { ChunkSpan, FrameRate, SourceProbe, SourceVideo, VideoRendition } from '../../../ports/transcoder.js';
import { logoInput } from '../pictures/brandOverlay.js';
import { hlsOutput, shortestSegmentSeconds } from '../encode/encodePlan.js';
import { inputArguments, steadyFilters } from '../probe/ffmpegInput.js';
import { filterThreads } from '../encode/filterThreads.js';
import { ENCODER_LOG } from '../encode/similarity.js';
import type { ChunkFrames } from './chunkFrames.js';
import { frameFiltersOf, h264Encoder, renditionFilters } from '../encode/videoOutput.js';

export interface ChunkEncodePlan {
  probe: SourceProbe;
  video: SourceVideo;
  renditions: readonly VideoRendition[];
  chunk: ChunkSpan;
  frames: ChunkFrames;
  /** Where reading begins; null is the video's beginning. */
  seekSeconds: number | null;
  preset: string;
  threads: number;
  brand: Brand | null;
  /** Whether this ffmpeg can make SDR of HDR. */
  toneMaps: boolean;
  /** Where the video's segments begin, in milliseconds; null is by the clock. */
  boundaries: readonly number[] | null;
}

/** As the encoder sees them. */
interface ChunkPaths {
  inputPath: string;
  outputDir: string;
}

/**
 * The arguments of the ffmpeg that makes one chunk. Its frames are taken off the same grid as the whole video's, by their
 * numbers; then they count from zero, so that the encoder and the muxer behave as at the beginning of a video.
 */
export function chunkArguments(plan: ChunkEncodePlan & ChunkPaths): string[] {
  return [
    ['-hide_banner', '-nostdin', '-y', ...ENCODER_LOG],
    ['-progress', 'pipe:1', '-stats_period', '0.5'],
    ...soughtInput(plan, plan),
    ...(plan.brand === null ? [] : logoInput(plan.outputDir)),
    [...filterThreads(plan.video, plan), '-filter_complex', chunkGraph(plan)],
    ...plan.renditions.map((rendition, index) => chunkOutput(plan, rendition, index)),
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

/** Timestamps stay as they are in a video read from its beginning, wherever reading begins. */
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

/** Later in the video there is nothing to be repeated back to its beginning. */
function soughtFrames(video: SourceVideo, rate: FrameRate, { fromPicture }: { fromPicture: boolean }): string[] {
  return fromPicture
    ? frameFiltersOf(video, rate, { fromPicture })
    : frameFiltersOf({ ...video, startsAfterMs: 0 }, rate);
}

function chunkGraph(plan: ChunkEncodePlan): string {
  const { video, renditions, frames, seekSeconds, boundaries } = plan;
  const rate = renditions[0]?.frameRate ?? video.frameRate;
  const toFrames = seekSeconds === null ? frameFiltersOf : soughtFrames;
  const common = [
    ...toFrames(video, rate, { fromPicture: boundaries !== null }),
    `trim=start_pts=${frames.first}:end_pts=${frames.end}`,
    `setpts=PTS-${frames.first}`,
  ];
  return [`[0:${video.streamIndex}]${common.join(',')}[video]`, ...renditionFilters(video, renditions, plan)].join(';');
}

function chunkOutput(plan: ChunkEncodePlan & ChunkPaths, rendition: VideoRendition, index: number): string[] {
  const { numerator, denominator } = rendition.frameRate;
  // By numbers, not by a rule on the clock, which would be off by the chunk's first frame.
  const keyframes = plan.frames.boundaries.map((frame) => ((frame * denominator) / numerator).toFixed(6));
  return [
    ['-map', `[v${index}]`, '-fps_mode', 'passthrough'],
    h264Encoder(plan, rendition),
    ...(keyframes.length === 0 ? [] : [['-force_key_frames', keyframes.join(',')]]),
    ['-start_number', `${plan.chunk.firstSegment}`],
    hlsOutput(plan, rendition.quality, shortestSegmentSeconds(plan)),
  ].flat();
}
