import {
  framesPerSecond,
  LIGHT_QUALITIES,
  type FrameRate,
  type SourceVideo,
  type VideoRendition,
} from '../../../ports/transcoder.js';
import { brandFilters, matrixOf } from '../pictures/brandOverlay.js';
import { pictureClock, shiftFilter, type PictureClock } from './clock.js';
import { colorFilters, colorMatrixOf } from './colors.js';
import {
  UNTOLD_GAP_MS,
  hlsOutput,
  longestSegmentSeconds,
  readTracks,
  shortestSegmentSeconds,
  type EncodePlan,
} from './encodePlan.js';
import { boundaryStep, commonRate, frameStep } from './frameSteps.js';
import { isClocked } from './encodeFailure.js';
import { endIsJoined, regularSegments, SEGMENT_SECONDS, shownMs } from '../../../ports/timeline.js';
import { isSteady } from '../probe/ffmpegInput.js';
import { PINNED_PRESET } from '../probe/profiles.js';
import { MEASURE_SIMILARITY } from './similarity.js';
import { posterFilters, posterSize } from './pictureOutput.js';
import { storyboardFilters } from '../pictures/storyboard.js';
import { trickPlayFilters } from '../pictures/trickPlay.js';
import { isToned, toneMapFilters } from './toneMap.js';

/**
 * `fps` makes the rate constant before the split, so that all renditions have the same frames. If the picture starts
 * after the sound, its first frame is repeated back to zero: renditions whose first segments differ in length are not
 * aligned.
 *
 * Only the renditions carry the logo: posters and storyboards show the video itself, on pages that already show the
 * brand.
 */
export function filterGraph(
  video: SourceVideo,
  renditions: readonly VideoRendition[],
  plan: Pick<
    EncodePlan,
    'probe' | 'renditions' | 'pictures' | 'storyboard' | 'brand' | 'boundaries' | 'toneMaps' | 'previews'
  >,
): string {
  const { probe, pictures, storyboard, previews } = plan;
  const rate = commonRate(renditions) ?? atLeastOne(video.frameRate);
  const taps = [
    ...(renditions.length === 0 ? [] : ['[video]']),
    ...(pictures ? ['[sp]'] : []),
    ...(storyboard === null ? [] : ['[sb]', '[tp]']),
  ];
  const clock = pictureClock({ ...probe, video }, readTracks(plan), { fromPicture: plan.boundaries !== null });
  const common = [
    ...frameFiltersOf(video, rate, clock),
    ...endFilters(plan, video, rate),
    `split=${taps.length}${taps.join('')}`,
  ].join(',');
  // Only a few frames become pictures, so only those are tone mapped, at their final size.
  const toSdr = isToned(video, plan) ? toneMapFilters(video, posterSize(video)) : [];
  return [
    `[0:${video.streamIndex}]${common}`,
    ...(renditions.length === 0 ? [] : renditionFilters(video, renditions, plan, everyNthFrame(rate))),
    ...(pictures ? [`[sp]${posterFilters(video, probe.durationMs, toSdr)}[poster]`] : []),
    ...(storyboard === null
      ? []
      : [
          ...storyboardFilters(storyboard, { toSdr, previews, alone: renditions.length === 0 }),
          trickPlayFilters(storyboard.trickPlay, toSdr),
        ]),
  ].join(';');
}

function everyNthFrame(rate: FrameRate): (rendition: VideoRendition) => string[] {
  return (rendition) => {
    const step = frameStep(rendition, rate);
    return step === 1 ? [] : [`framestep=${step}`];
  };
}

/**
 * From the video's frames, `[video]`, to the picture of each rendition: `[v0]`, `[v1]` and so on.
 * @param framesOf the filters that select a rendition's frames
 */
export function renditionFilters(
  video: SourceVideo,
  renditions: readonly VideoRendition[],
  plan: Pick<EncodePlan, 'brand' | 'toneMaps'>,
  framesOf: (rendition: VideoRendition) => string[],
): string[] {
  const { brand } = plan;
  const toned = isToned(video, plan);
  const largest = renditions.reduce((one, other) => (other.height > one.height ? other : one));
  const common = [
    ...(toned ? toneMapFilters(video, largest) : colorFilters(video)),
    `split=${renditions.length}${renditions.map((_, index) => `[s${index}]`).join('')}`,
  ].join(',');
  const scaled = brand === null ? 'v' : 'p';
  const matrix = matrixOf(toned ? 'bt709' : colorMatrixOf(video));
  const branded = renditions.map((rendition) => ({ ...rendition, matrix }));
  return [
    `[video]${common}`,
    ...renditions.map((rendition, index) => {
      const filters = [...framesOf(rendition), scaleFilters(rendition)].join(',');
      return `[s${index}]${filters}[${scaled}${index}]`;
    }),
    ...(brand === null ? [] : brandFilters(brand, branded, { from: scaled, to: 'v' })),
  ];
}

/** From the source's frames to those that every rendition has. A first frame that comes late is repeated back to zero. */
export function frameFiltersOf(video: SourceVideo, rate: FrameRate, { shiftMs, firstMs }: PictureClock): string[] {
  const halfFrameMs = (500 * rate.denominator) / rate.numerator;
  const startsLate = firstMs > halfFrameMs;
  return [
    ...shiftFilter('setpts', shiftMs),
    ...deinterlaceFilters(video),
    `fps=fps=${rate.numerator}/${rate.denominator}${startsLate ? ':start_time=0' : ''}`,
  ];
}

/** A slideshow's frame grid has one frame for each time at which its picture can change. */
function atLeastOne(rate: FrameRate): FrameRate {
  return rate.numerator < rate.denominator ? { numerator: 1, denominator: 1 } : rate;
}

/** A deinterlacer mixes neighboring frames, so they must have the same size. */
function deinterlaceFilters(video: SourceVideo): string[] {
  if (!video.interlaced) return [];
  return [...(isSteady(video) ? [`scale=${video.width}:${video.height}:interl=-1`] : []), 'yadif=deint=interlaced'];
}

/**
 * Repeats the last frame while sound continues, because that sound was paid for. Players show that frame anyway; without
 * it, they stop where the picture ends. A gap of a few frames is not in the probe, so a few frames more are added and
 * the picture is cut where the video ends. Neither is done if that moment is uncertain, or given by a passthrough.
 */
export function endFilters(
  { probe, boundaries }: Pick<EncodePlan, 'probe' | 'boundaries'>,
  { endsBeforeMs = 0 }: SourceVideo,
  { numerator, denominator }: FrameRate,
): string[] {
  const framesIn = (ms: number): number => Math.round((ms * numerator) / denominator / 1_000);
  const stay = (frames: number): string => `tpad=stop_mode=clone:stop=${frames}`;
  const missing = framesIn(endsBeforeMs);
  if (boundaries !== null || isClocked(probe)) return missing > 0 ? [stay(missing)] : [];
  return [stay(missing + framesIn(UNTOLD_GAP_MS) + 1), `trim=end_pts=${Math.max(1, framesIn(shownMs(probe)))}`];
}

/** From a common frame to a rendition's picture, without the logo. */
export function scaleFilters({ width, height }: Pick<VideoRendition, 'width' | 'height'>): string {
  return `scale=${width}:${height}:flags=bicubic:out_range=tv,setsar=1,format=yuv420p`;
}

export function videoOutput(plan: EncodePlan, rendition: VideoRendition, index: number): string[] {
  return [
    ['-map', `[v${index}]`],
    h264Encoder(plan, rendition),
    ['-force_key_frames', keyframes(plan, rendition.frameRate)],
    // Every keyframe is a boundary. With 4 s, the muxer would skip one that comes a frame early.
    ...hlsOutput(plan, rendition.quality, shortestSegmentSeconds(plan)),
  ].flat();
}

/**
 * Computed from time alone: n_forced does not drift as prev_forced_t + 4 would. With boundaries: the frames nearest to
 * them.
 */
function keyframes({ boundaries, probe }: Pick<EncodePlan, 'boundaries' | 'probe'>, rate: FrameRate): string {
  if (boundaries) return boundaries.map((ms) => ms / 1_000).join(',');
  const step = boundaryStep(rate);
  const isShared = step === 1 ? '' : `*not(mod(n,${step}))`;
  const shown = shownMs(probe);
  const isBeforeEnd = endIsJoined(shown) ? `*lt(t,${regularSegments(shown) * SEGMENT_SECONDS})` : '';
  return `expr:gte(t,n_forced*${SEGMENT_SECONDS})${isShared}${isBeforeEnd}`;
}

/** The encoder of a rendition, for a whole video and for a chunk. Each adds its own keyframes. */
export function h264Encoder(
  plan: Pick<EncodePlan, 'preset' | 'threads' | 'boundaries' | 'probe'>,
  rendition: VideoRendition,
): string[] {
  return [
    ['-c:v', 'libx264', '-preset', presetOf(rendition, plan.preset), '-threads', `${plan.threads}`],
    ...h264Settings(rendition),
    MEASURE_SIMILARITY,
    ['-forced-idr', '1'],
    ['-g', `${Math.ceil(framesPerSecond(rendition.frameRate) * longestSegmentSeconds(plan)) + 1}`],
  ].flat();
}

/**
 * The x264 preset of a rendition. Light renditions, whose bitrate is capped, gain most from a slower one, and have few
 * pixels: `medium` gives 0.5 to 0.8 dB more SSIM on grain and 15 % fewer bits on calm pictures. From 480p on, it takes more
 * time than it is worth.
 */
export function presetOf({ quality }: Pick<VideoRendition, 'quality'>, preset: string): string {
  return isLight(quality) && preset === PINNED_PRESET ? LIGHT_PRESET : preset;
}

/** Settings beyond the preset. A change needs a new profile name (profiles.ts). */
export function h264Settings(
  rendition: Pick<VideoRendition, 'quality' | 'crf' | 'maxBitrateBps' | 'bufferBits' | 'level'>,
): string[] {
  return [
    ['-profile:v', 'high', '-level:v', rendition.level, '-crf', `${rendition.crf}`],
    ['-maxrate', `${rendition.maxBitrateBps}`, '-bufsize', `${rendition.bufferBits}`, '-sc_threshold', '0'],
    isLight(rendition.quality) ? LIGHT_SEARCH : SEARCH,
  ].flat();
}

/**
 * Quantizers adapt to the contrasts of each picture: at the same bitrate, text has more SSIM, and grain no less
 * (docs/decisions/0053-encoder-settings-by-measurement.md).
 */
const ADAPTIVE = ['-aq-mode', '2'];
/** Twice the preset's lookahead: where peaks are capped, bits are spent better. */
const SEARCH = [...ADAPTIVE, '-rc-lookahead', '20'];
/** Psychovisual optimization spends bits on grain. At these bitrates, they are missing elsewhere. */
const LIGHT_SEARCH = [...ADAPTIVE, '-rc-lookahead', '40', '-x264-params', 'psy=0'];
const LIGHT_PRESET = 'medium';

function isLight(quality: VideoRendition['quality']): boolean {
  return LIGHT_QUALITIES.some((light) => light === quality);
}
