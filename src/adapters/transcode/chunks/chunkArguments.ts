import type { Brand } from '../../../ports/brand.js';
import type { ChunkSpan, FrameRate, SourceProbe, SourceVideo, VideoRendition } from '../../../ports/transcoder.js';
import { logoInput } from '../pictures/brandOverlay.js';
import { hlsOutput, shortestSegmentSeconds } from '../encode/encodePlan.js';
import { inputArguments, steadyFilters } from '../probe/ffmpegInput.js';
import { frameStep } from '../encode/frameSteps.js';
import { filterThreads } from '../encode/filterThreads.js';
import { ENCODER_LOG } from '../encode/similarity.js';
import { pictureClock, type PictureClock } from '../encode/clock.js';
import type { ChunkFrames } from './chunkFrames.js';
import { endFilters, frameFiltersOf, h264Encoder, renditionFilters } from '../encode/videoOutput.js';

export interface ChunkEncodePlan {
  probe: SourceProbe;
  video: SourceVideo;
  renditions: readonly VideoRendition[];
  chunk: ChunkSpan;
  /** That of the fastest rendition. */
  rate: FrameRate;
  /** Of each rendition, counted at its own rate. */
  frames: readonly ChunkFrames[];
  /** Where reading begins; null for the beginning of the video. */
  seekSeconds: number | null;
  preset: string;
  threads: number;
  brand: Brand | null;
  /** Whether this ffmpeg can tone map. */
  toneMaps: boolean;
  /** Segment boundaries of the video in milliseconds; null for segments of constant length. */
  boundaries: readonly number[] | null;
}

/** Paths as the encoder sees them. */
interface ChunkPaths {
  inputPath: string;
  outputDir: string;
}

/**
 * The ffmpeg arguments for one chunk. Its frames are selected by number from the same grid as the whole video's, and
 * then renumbered from zero, so that encoder and muxer behave as at the beginning of a video.
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

/** Prints, as a framecrc line, the first frame on the grid that can be decoded when reading begins there. */
export function firstFrameArguments(
  { probe, video, rate, boundaries }: Pick<ChunkEncodePlan, 'probe' | 'video' | 'rate' | 'boundaries'>,
  at: { inputPath: string; seekSeconds: number },
): string[] {
  return [
    ['-hide_banner', '-nostdin', '-loglevel', 'error'],
    ...soughtInput({ probe, video }, at),
    ['-map', `0:${video.streamIndex}`, '-vf', soughtFrames({ probe, video, rate, boundaries }).join(',')],
    ['-fps_mode', 'passthrough', '-frames:v', '1', '-f', 'framecrc', 'pipe:1'],
  ].flat();
}

/** Keeps the timestamps of a read from the beginning, wherever reading begins. */
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

/** Only the beginning of the video may need its first frame repeated. */
function soughtFrames(plan: Pick<ChunkEncodePlan, 'probe' | 'video' | 'rate' | 'boundaries'>): string[] {
  return frameFiltersOf(plan.video, plan.rate, { ...clockOf(plan), firstMs: 0 });
}

/** Chunks contain the picture only. */
function clockOf({ probe, video, boundaries }: Pick<ChunkEncodePlan, 'probe' | 'video' | 'boundaries'>): PictureClock {
  return pictureClock({ ...probe, video }, [video], { fromPicture: boundaries !== null });
}

function chunkGraph(plan: ChunkEncodePlan): string {
  const { video, renditions, rate, seekSeconds } = plan;
  const { first, end } = commonFrames(plan);
  const common = [
    ...(seekSeconds === null ? frameFiltersOf(video, rate, clockOf(plan)) : soughtFrames(plan)),
    ...(plan.chunk.endSegment === null ? endFilters(plan, video, rate) : []),
    `trim=start_pts=${first}:end_pts=${end}`,
  ];
  const framesOf = (rendition: VideoRendition): string[] => {
    const step = frameStep(rendition, rate);
    const own = plan.frames[renditions.indexOf(rendition)]!;
    return [
      ...(step === 1 ? [] : [`trim=start_pts=${own.first * step}:end_pts=${own.end * step}`, `framestep=${step}`]),
      `setpts=PTS-${own.first * step}`,
    ];
  };
  const pictures = renditionFilters(video, renditions, plan, framesOf);
  return [`[0:${video.streamIndex}]${common.join(',')}[video]`, ...pictures].join(';');
}

/** Those of the common rate that any rendition has. */
export function commonFrames({
  renditions,
  rate,
  frames,
}: Pick<ChunkEncodePlan, 'renditions' | 'rate' | 'frames'>): Pick<ChunkFrames, 'first' | 'end'> {
  const steps = renditions.map((rendition) => frameStep(rendition, rate));
  return {
    first: Math.min(...frames.map(({ first }, index) => first * steps[index]!)),
    end: Math.max(...frames.map(({ end }, index) => end * steps[index]!)),
  };
}

function chunkOutput(plan: ChunkEncodePlan & ChunkPaths, rendition: VideoRendition, index: number): string[] {
  const { numerator, denominator } = rendition.frameRate;
  // Use frame numbers: an expression over time would be off by the chunk's first frame.
  const keyframes = plan.frames[index]!.boundaries.map((frame) => ((frame * denominator) / numerator).toFixed(6));
  return [
    ['-map', `[v${index}]`, '-fps_mode', 'passthrough'],
    h264Encoder(plan, rendition),
    ...(keyframes.length === 0 ? [] : [['-force_key_frames', keyframes.join(',')]]),
    ['-start_number', `${plan.chunk.firstSegment}`],
    hlsOutput(plan, rendition.quality, shortestSegmentSeconds(plan)),
  ].flat();
}
