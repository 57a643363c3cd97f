import type {
  Container,
  Rotation,
  SourceAudio,
  SourceProbe,
  SourceVideo,
  FrameRate,
} from '../../../ports/transcoder.js';
import { framesPerSecond, UnusableSourceError } from '../../../ports/transcoder.js';
import { MAX_PIXELS } from './ffmpegInput.js';
import type { Track } from './trackEnds.js';

const MAX_STREAMS = 64;
/** Enough for a video dubbed into all languages of a continent, or one language in every audio format. */
const MAX_SOUNDS = 16;
const MIN_SIDE = 8;
const MAX_SIDE = 16_384;
const MAX_CHANNELS = 64;
const MIN_SAMPLE_RATE = 2_000;
const MAX_SAMPLE_RATE = 768_000;
/** Rates that differ by more are variable; millisecond clocks round constant ones. */
const RATE_TOLERANCE = 0.01;

/** The requested part of ffprobe's JSON; every field can be missing. */
export interface ProbeReport {
  format?: { nb_streams?: number; start_time?: string; duration?: string };
  streams?: ReportStream[];
}

export interface ReportStream {
  index?: number;
  codec_type?: string;
  codec_name?: string;
  profile?: string;
  width?: number;
  height?: number;
  sample_aspect_ratio?: string;
  pix_fmt?: string;
  color_space?: string;
  color_transfer?: string;
  color_primaries?: string;
  field_order?: string;
  avg_frame_rate?: string;
  r_frame_rate?: string;
  start_time?: string;
  duration?: string;
  bit_rate?: string;
  channels?: number;
  channel_layout?: string;
  sample_rate?: string;
  disposition?: {
    default?: number;
    attached_pic?: number;
    comment?: number;
    visual_impaired?: number;
    descriptions?: number;
  };
  tags?: { rotate?: string; DURATION?: string };
  side_data_list?: { rotation?: number }[];
}

/** What ffprobe prints. Only two tags, because a file can hold megabytes of them. */
export const REPORT_ENTRIES = [
  'format=nb_streams,start_time,duration',
  'stream=index,codec_type,codec_name,profile,width,height,sample_aspect_ratio,pix_fmt,color_space,color_transfer,color_primaries,field_order,avg_frame_rate,r_frame_rate,start_time,duration,bit_rate,channels,channel_layout,sample_rate',
  'stream_disposition=default,attached_pic,comment,visual_impaired,descriptions',
  'stream_tags=rotate,DURATION',
  'stream_side_data=rotation',
].join(':');

/**
 * Containers whose duration ffprobe estimates from the bitrate (MP3, AAC), takes from the clock, which may jump
 * (MPEG-PS), or from a header that is often wrong or missing (FLV, ASF, GIF).
 */
const MEASURED: ReadonlySet<Container> = new Set(['mp3', 'aac', 'mpegps', 'flv', 'asf', 'gif']);

/** More than any codec's own delay at the beginning. */
const LATE_START_SECONDS = 0.2;

/**
 * Interprets ffprobe's report. `durationMs` is null if the declared value is missing, unreliable (see `MEASURED`) or
 * ambiguous (Matroska that starts late: some writers count from zero, some from the start). Then the packets must be
 * counted.
 * @throws UnusableSourceError if no ladder can be made from it
 */
export function readReport(
  report: ProbeReport,
  container: Container,
  sizeBytes: number,
): Omit<SourceProbe, 'durationMs' | 'audio'> & {
  durationMs: number | null;
  audios: SourceAudio[];
  startSeconds: number;
  tracks: Track[];
  /** Whether the file has other tracks, such as subtitles. */
  hasOthers: boolean;
} {
  const streams = report.streams ?? [];
  if (streams.length > MAX_STREAMS || (report.format?.nb_streams ?? 0) > MAX_STREAMS) {
    throw tooManyStreams();
  }
  const startSeconds = seconds(report.format?.start_time) ?? 0;
  const filled = streams.filter((stream) => !isEmpty(stream, container));
  const video = pick(filled, isPicture);
  const audio = pick(filled, isSound);
  const others = filled.filter((stream) => isSound(stream) && stream !== audio);
  if (video === null && audio === null) {
    throw new UnusableSourceError('NO_TRACKS', 'The file holds neither a picture nor sound.');
  }
  const sounds = (audio === null ? [] : [audio, ...others]).slice(0, MAX_SOUNDS);
  const durationSeconds = seconds(report.format?.duration);
  const untold = MEASURED.has(container) || (container === 'matroska' && startSeconds > LATE_START_SECONDS);
  return {
    container,
    sizeBytes,
    durationMs: durationSeconds === null || durationSeconds <= 0 || untold ? null : wholeMilliseconds(durationSeconds),
    video: video === null ? null : readVideo(video, startSeconds),
    audios: sounds.map((stream) => readAudio(stream, startSeconds)),
    startSeconds,
    hasOthers: streams.length > sounds.length + (video === null ? 0 : 1),
    tracks: [...(video === null ? [] : [video]), ...sounds].map((stream) => ({
      streamIndex: stream.index ?? 0,
      toldEndSeconds: endSeconds(stream),
      leastEndSeconds: leastEndSeconds(stream, container),
      packetSeconds: stream === video ? 1 / framesPerSecond(readVideo(video, startSeconds).frameRate) : 0,
    })),
  };
}

export function tooManyStreams(): UnusableSourceError {
  return new UnusableSourceError(
    'TOO_MANY_STREAMS',
    `The file has more than ${MAX_STREAMS} tracks. Keep the picture and the sound, and drop the rest.`,
  );
}

export function wholeMilliseconds(durationSeconds: number): number {
  return Math.max(1, Math.round(durationSeconds * 1_000));
}

function isPicture(stream: ReportStream): boolean {
  return (
    stream.codec_type === 'video' &&
    stream.disposition?.attached_pic !== 1 &&
    // A track with an unknown codec has no size either.
    (stream.width ?? 0) > 0 &&
    (stream.height ?? 0) > 0
  );
}

function isSound(stream: ReportStream): boolean {
  return (
    stream.codec_type === 'audio' &&
    stream.codec_name !== undefined &&
    (stream.channels ?? 0) > 0 &&
    Number(stream.sample_rate) > 0
  );
}

/** Matroska writes a zero duration for a microphone that was never switched on; its rendition would be empty. */
function isEmpty(stream: ReportStream, container: Container): boolean {
  return container === 'matroska' && clockSeconds(stream.tags?.DURATION) === 0;
}

/** The default track, or else the first one. */
function pick(streams: ReportStream[], fits: (s: ReportStream) => boolean): ReportStream | null {
  const fitting = streams.filter(fits);
  return fitting.find((stream) => stream.disposition?.default === 1) ?? fitting[0] ?? null;
}

function readVideo(stream: ReportStream, startSeconds: number): SourceVideo {
  const width = stream.width ?? 0;
  const height = stream.height ?? 0;
  const aspect = ratio(stream.sample_aspect_ratio, ':');
  const rotation = readRotation(stream);
  const squareWidth = aspect === null ? width : Math.round((width * aspect.up) / aspect.down);
  const upright = rotation === 0 || rotation === 180;
  const displayWidth = upright ? squareWidth : height;
  const displayHeight = upright ? height : squareWidth;
  refuseAbsurdSize([width, height, displayWidth, displayHeight]);

  const average = frameRate(stream.avg_frame_rate);
  const ticks = frameRate(stream.r_frame_rate);
  const rate = average ?? ticks ?? { numerator: 25, denominator: 1 };
  const tickRate = ticks ?? rate;
  const ticksPerFrame = framesPerSecond(tickRate) / framesPerSecond(rate);
  return {
    streamIndex: stream.index ?? 0,
    codec: stream.codec_name ?? 'unknown',
    profile: stream.profile ?? null,
    width,
    height,
    displayWidth,
    displayHeight,
    rotation,
    hasMatrix: matrixDegrees(stream) !== undefined,
    frameRate: rate,
    tickRate,
    // H.264 may tick twice per frame, whether it is interlaced or not.
    variableFrameRate: [1, 2].every((ticks) => Math.abs(ticksPerFrame - ticks) > RATE_TOLERANCE),
    interlaced: isInterlaced(stream),
    pixelFormat: stream.pix_fmt ?? 'unknown',
    colorMatrix: stream.color_space ?? null,
    colorTransfer: stream.color_transfer ?? null,
    colorPrimaries: stream.color_primaries ?? null,
    bitrateBps: positive(stream.bit_rate),
    startsAfterMs: startsAfterMs(stream, startSeconds),
  };
}

function readAudio(stream: ReportStream, startSeconds: number): SourceAudio {
  const { comment, visual_impaired: forBlind, descriptions } = stream.disposition ?? {};
  refuseAbsurdSound(stream);
  return {
    streamIndex: stream.index ?? 0,
    codec: stream.codec_name ?? 'unknown',
    channels: stream.channels ?? 0,
    channelLayout: stream.channel_layout ?? null,
    sampleRate: Number(stream.sample_rate),
    bitrateBps: positive(stream.bit_rate),
    startsAfterMs: startsAfterMs(stream, startSeconds),
    isCommentary: comment === 1,
    isDescription: forBlind === 1 || descriptions === 1,
  };
}

export function refuseAbsurdSize([width = 0, height = 0, ...shown]: number[]): void {
  const sides = [width, height, ...shown];
  const absurd =
    width * height > MAX_PIXELS || sides.some((side) => side < MIN_SIDE || side > MAX_SIDE || !Number.isFinite(side));
  if (absurd) {
    throw new UnusableSourceError(
      'ABSURD_RESOLUTION',
      `The picture is ${width} × ${height} pixels, which cannot be processed. 8192 × 4608 is the most, 8 × 8 the least.`,
    );
  }
}

/**
 * At 1 Hz, a second is one byte and hours are a small file. Resampling it takes two gigabytes, and as long as the video
 * lasts.
 */
function refuseAbsurdSound({ channels = 0, sample_rate: rate }: ReportStream): void {
  const hertz = Number(rate);
  if (channels > MAX_CHANNELS || hertz < MIN_SAMPLE_RATE || hertz > MAX_SAMPLE_RATE) {
    throw new UnusableSourceError(
      'ABSURD_SOUND',
      `The sound has ${channels} channels at ${hertz} Hz, which cannot be processed. 64 channels and 768,000 Hz are the most, 2,000 Hz the least.`,
    );
  }
}

/** ffmpeg counts counter-clockwise, and rotates by a quarter turn only within one degree of it. */
function readRotation(stream: ReportStream): Rotation {
  const matrix = matrixDegrees(stream);
  const clockwise = matrix === undefined ? Number(stream.tags?.rotate ?? 0) : -matrix;
  const turned = ((clockwise % 360) + 360) % 360;
  const quarter = ([90, 180, 270] as const).find((angle) => Math.abs(turned - angle) < 1);
  return quarter ?? 0;
}

/** 0 if the matrix does not turn or mirror; undefined without a matrix. */
function matrixDegrees({ side_data_list = [] }: ReportStream): number | undefined {
  return side_data_list.find(({ rotation }) => rotation !== undefined)?.rotation;
}

/**
 * Codecs of tape and broadcast, whose containers often do not declare interlacing. Progressive frames come through
 * unchanged.
 */
const CODECS_OF_FIELDS = new Set(['dvvideo', 'mpeg2video', 'prores']);

function isInterlaced({ codec_name: codec = '', field_order: order = 'unknown' }: ReportStream): boolean {
  return ['tt', 'bb', 'tb', 'bt'].includes(order) || (order === 'unknown' && CODECS_OF_FIELDS.has(codec));
}

function startsAfterMs(stream: ReportStream, startSeconds: number): number {
  const own = seconds(stream.start_time);
  return own === null ? 0 : Math.max(0, Math.round((own - startSeconds) * 1_000));
}

function endSeconds(stream: ReportStream): number | null {
  const [start, duration] = [seconds(stream.start_time), seconds(stream.duration)];
  return start === null || duration === null ? null : start + duration;
}

/** Matroska has a tag that is the end of the track for some writers, and its length for others. */
function leastEndSeconds(stream: ReportStream, container: Container): number | null {
  return container === 'matroska' ? clockSeconds(stream.tags?.DURATION) : null;
}

/** '00:00:08.023000000' */
function clockSeconds(text: string | undefined): number | null {
  const [, hours, minutes, secondsOf] = /^(\d{2,4}):(\d{2}):(\d{2}(?:\.\d+)?)$/.exec(text ?? '') ?? [];
  return secondsOf === undefined ? null : Number(hours) * 3_600 + Number(minutes) * 60 + Number(secondsOf);
}

function frameRate(text: string | undefined): FrameRate | null {
  const parsed = ratio(text, '/');
  return parsed === null ? null : { numerator: parsed.up, denominator: parsed.down };
}

/** '30000/1001' or '64:45'; null for '0/0' and '0:1', which ffmpeg prints for unknown. */
function ratio(text: string | undefined, separator: string): { up: number; down: number } | null {
  const [up, down] = (text ?? '').split(separator).map(Number);
  return up !== undefined && down !== undefined && up > 0 && down > 0 ? { up, down } : null;
}

function positive(text: string | undefined): number | null {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : null;
}

function seconds(text: string | undefined): number | null {
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}
