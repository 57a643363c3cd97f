import type { AudioRung, Rung, SourceAudio, SourceProbe, SourceVideo, VideoRung } from '../../ports/transcoder.js';
import { inputArguments, MAX_PIXELS } from './ffmpegInput.js';
import { frameFilters, FRAMES_FILE, STORYBOARD_DIR, type StoryboardPlan } from './storyboard.js';

export const SEGMENT_SECONDS = 4;
/** Candidates: ffmpeg counts them from 01. */
export const POSTER_PATTERN = 'poster_%02d.jpg';
export const MAX_POSTERS = 11;
export const PLAYLIST_FILE = 'index.m3u8';
export const INIT_FILE = 'init.mp4';

const POSTER_LONG_SIDE = 1280;
const LATER_POSTERS = MAX_POSTERS - 1;
/** A source that goes on after its announced end is cut here: what is delivered was paid for. */
const OVERRUN_SECONDS = 2;

export interface EncodePlan {
  /** As the encoder sees them. */
  inputPath: string;
  outputDir: string;
  probe: SourceProbe;
  rungs: readonly Rung[];
  preset: string;
  /** 0 is one per core and a half, x264's own choice. */
  threads: number;
  /** Null for none. */
  storyboard: StoryboardPlan | null;
}

/**
 * The arguments of the one ffmpeg that makes a whole ladder: one decode, split into a scaler and an
 * encoder for each picture, and one sound. Every rung is an output of its own, so that each has its
 * folder with a playlist, an init segment and media segments.
 */
export function encodeArguments(plan: EncodePlan): string[] {
  const { probe, rungs } = plan;
  const videoRungs = rungs.filter((rung) => rung.quality !== 'audio');
  const audioRungs = rungs.filter((rung) => rung.quality === 'audio');
  const picture = videoRungs.length > 0 ? probe.video : null;
  const sound = probe.audio;
  return [
    ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error'],
    ['-progress', 'pipe:1', '-stats_period', '0.5'],
    ['-max_pixels', `${MAX_PIXELS}`],
    ...inputArguments(probe.container, plan.inputPath),
    ...(picture === null ? [] : ['-filter_complex', filterGraph(picture, videoRungs, plan)]),
    ...videoRungs.flatMap((rung, index) => videoOutput(plan, rung, index)),
    ...(sound === null ? [] : audioRungs.flatMap((rung) => audioOutput(plan, rung, sound))),
    ...(picture === null ? [] : posterOutput(plan)),
    ...(picture === null || plan.storyboard === null ? [] : storyboardOutput(plan, plan.storyboard)),
  ].flat();
}

/**
 * `fps` makes the rate constant before the split, so that all rungs have the same frames. A picture
 * that starts after the sound is held back to zero by repeating its first frame: rungs whose first
 * segments differ in length are not aligned.
 */
export function filterGraph(
  video: SourceVideo,
  rungs: readonly VideoRung[],
  { probe, storyboard }: { probe: Pick<SourceProbe, 'durationMs'>; storyboard: StoryboardPlan | null },
): string {
  const rate = rungs[0]?.frameRate ?? video.frameRate;
  const halfFrameMs = (500 * rate.denominator) / rate.numerator;
  const startsLate = video.startsAfterMs > halfFrameMs;
  const common = [
    ...(video.interlaced ? ['yadif=deint=interlaced'] : []),
    `fps=fps=${rate.numerator}/${rate.denominator}${startsLate ? ':start_time=0' : ''}`,
    `split=${rungs.length + (storyboard === null ? 1 : 2)}${rungs.map((_, index) => `[s${index}]`).join('')}[sp]${storyboard === null ? '' : '[sb]'}`,
  ].join(',');
  return [
    `[0:${video.streamIndex}]${common}`,
    ...rungs.map(
      (rung, index) =>
        `[s${index}]scale=${rung.width}:${rung.height}:flags=bicubic:out_range=tv,setsar=1,format=yuv420p[v${index}]`,
    ),
    `[sp]${posterFilters(video, probe.durationMs)}[poster]`,
    ...(storyboard === null ? [] : [`[sb]${frameFilters(storyboard)}[frames]`]),
  ].join(';');
}

/**
 * Frames to choose a poster from: the first one, and then ten between a tenth and six tenths of the
 * film. The first is there because ffmpeg reports no progress until every output has begun.
 */
function posterFilters(video: SourceVideo, durationMs: number): string {
  const durationSeconds = durationMs / 1_000;
  const from = durationSeconds / 10;
  const step = durationSeconds / 2 / LATER_POSTERS;
  const scale = Math.min(1, POSTER_LONG_SIDE / Math.max(video.displayWidth, video.displayHeight));
  const side = (length: number): number => Math.max(2, Math.floor((length * scale) / 2) * 2);
  return [
    `select='eq(n,0)+gte(t,${from})*gte(t-prev_selected_t,${step})'`,
    `scale=${side(video.displayWidth)}:${side(video.displayHeight)}:out_range=pc,setsar=1,format=yuvj420p`,
  ].join(',');
}

function videoOutput(plan: EncodePlan, rung: VideoRung, index: number): string[] {
  const { numerator, denominator } = rung.frameRate;
  return [
    ['-map', `[v${index}]`],
    ['-c:v', 'libx264', '-preset', plan.preset, '-threads', `${plan.threads}`],
    ['-profile:v', 'high', '-level:v', rung.level, '-crf', `${rung.crf}`],
    ['-maxrate', `${rung.maxBitrateBps}`, '-bufsize', `${rung.bufferBits}`],
    // Keyframes come from the clock alone: n_forced does not drift as prev_forced_t + 4 would.
    ['-sc_threshold', '0', '-forced-idr', '1'],
    ['-force_key_frames', `expr:gte(t,n_forced*${SEGMENT_SECONDS})`],
    ['-g', `${Math.ceil((numerator / denominator) * SEGMENT_SECONDS) + 1}`],
    // Every keyframe is a border. Asked for 4 s, the muxer would skip one that comes a frame early.
    ...hlsOutput(plan, rung.quality, SEGMENT_SECONDS / 2),
  ].flat();
}

function audioOutput(plan: EncodePlan, rung: AudioRung, audio: SourceAudio): string[] {
  const startsLate = audio.startsAfterMs > 20;
  const filters = [
    // Beyond 7.1 there is no rule for mixing down: keep the first two.
    ...(audio.channels > 8 ? ['pan=stereo|c0=c0|c1=c1'] : []),
    // Fills gaps with silence, so that sound stays with the picture.
    `aresample=${rung.sampleRate}:async=1${startsLate ? ':first_pts=0' : ''}`,
  ];
  return [
    ['-map', `0:${audio.streamIndex}`, '-af', filters.join(',')],
    ['-c:a', 'aac', '-b:a', `${rung.bitrateBps}`],
    ['-ac', '2', '-ar', `${rung.sampleRate}`],
    ...hlsOutput(plan, rung.quality, SEGMENT_SECONDS),
  ].flat();
}

function hlsOutput(plan: EncodePlan, folder: string, segmentSeconds: number): string[] {
  return [
    ...commonOutput(plan),
    ['-f', 'hls', '-hls_time', `${segmentSeconds}`],
    ['-hls_playlist_type', 'vod', '-hls_list_size', '0'],
    ['-hls_segment_type', 'fmp4', '-hls_flags', 'independent_segments'],
    ['-hls_fmp4_init_filename', INIT_FILE],
    ['-hls_segment_filename', `${plan.outputDir}/${folder}/seg_%05d.m4s`],
    `${plan.outputDir}/${folder}/${PLAYLIST_FILE}`,
  ].flat();
}

function posterOutput(plan: EncodePlan): string[] {
  return [
    ['-map', '[poster]', '-frames:v', `${MAX_POSTERS}`, '-fps_mode', 'vfr'],
    ['-c:v', 'mjpeg', '-q:v', '3'],
    ...commonOutput(plan),
    ['-f', 'image2', `${plan.outputDir}/${POSTER_PATTERN}`],
  ].flat();
}

function storyboardOutput(plan: EncodePlan, { tiles }: StoryboardPlan): string[] {
  return [
    ['-map', '[frames]', '-frames:v', `${tiles}`, '-fps_mode', 'vfr'],
    ['-c:v', 'mjpeg', '-q:v', '3'],
    ...commonOutput(plan),
    ['-f', 'mjpeg', `${plan.outputDir}/${STORYBOARD_DIR}/${FRAMES_FILE}`],
  ].flat();
}

/** Metadata stays behind: a telephone writes where its owner lives into it. */
function commonOutput({ probe }: EncodePlan): string[] {
  return [
    ['-map_metadata', '-1', '-map_chapters', '-1'],
    ['-t', (probe.durationMs / 1_000 + OVERRUN_SECONDS).toFixed(3)],
  ].flat();
}
