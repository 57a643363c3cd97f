/** The qualities on sale, lowest first. `audio` is sound alone; the others are named by their short side. */
export const QUALITIES = ['audio', '480p', '720p', '1080p', '1440p', '2160p'] as const;

export type Quality = (typeof QUALITIES)[number];

/** Come with every picture and are not for sale: for connections below 1.5 Mbit/s. */
export const LIGHT_QUALITIES = ['360p', '432p'] as const;

/** What renditions are called, lowest first: what can be bought, and the light ones. */
export const RENDITION_QUALITIES = ['audio', ...LIGHT_QUALITIES, '480p', '720p', '1080p', '1440p', '2160p'] as const;

export type RenditionQuality = (typeof RENDITION_QUALITIES)[number];

export type VideoQuality = Exclude<RenditionQuality, 'audio'>;

/** The accepted containers. Anything else is refused before a demuxer reads it. */
export type Container =
  | 'mp4'
  | 'matroska'
  | 'mpegts'
  | 'mpegps'
  | 'avi'
  | 'flv'
  | 'asf'
  | 'mxf'
  | 'dv'
  | 'gif'
  | 'mp3'
  | 'aac'
  | 'wav'
  | 'flac'
  | 'ogg';

/** An exact rate in frames per second: 30000/1001 is not 29.97. */
export interface FrameRate {
  numerator: number;
  denominator: number;
}

export function framesPerSecond({ numerator, denominator }: FrameRate): number {
  return numerator / denominator;
}

/** The most that small renditions have; one per cent more counts as this. */
const LIGHT_FRAMES_PER_SECOND = 30;

/** Whether small renditions of a source with this rate have every second frame only. */
export function exceedsLightRate(rate: FrameRate): boolean {
  return framesPerSecond(rate) > LIGHT_FRAMES_PER_SECOND * 1.01;
}

export type Rotation = 0 | 90 | 180 | 270;

export interface SourceVideo {
  streamIndex: number;
  codec: string;
  profile: string | null;
  /** As coded, in samples. */
  width: number;
  height: number;
  /** As displayed, in square pixels: after sample aspect ratio and rotation. */
  displayWidth: number;
  displayHeight: number;
  /** Degrees clockwise by which a player turns the picture. */
  rotation: Rotation;
  /** Whether the container has a matrix that turns or mirrors the picture. Missing in older probes. */
  hasMatrix?: boolean;
  /** The average rate, also for a variable one. */
  frameRate: FrameRate;
  /** The lowest rate that can show every timestamp; far too high for some variable sources. */
  tickRate: FrameRate;
  variableFrameRate: boolean;
  interlaced: boolean;
  pixelFormat: string;
  /** As ffmpeg spells it: 'bt709'; null if the file does not say, missing in older probes. */
  colorMatrix?: string | null;
  colorTransfer: string | null;
  /** Like `colorMatrix`. */
  colorPrimaries?: string | null;
  bitrateBps: number | null;
  /** How long after the earliest stream this one starts. */
  startsAfterMs: number;
  /** How long before the video's end it ends; its last frame stays visible. Missing in older probes. */
  endsBeforeMs?: number;
}

export interface SourceAudio {
  streamIndex: number;
  codec: string;
  channels: number;
  channelLayout: string | null;
  sampleRate: number;
  bitrateBps: number | null;
  startsAfterMs: number;
  /** How long before the video's end it ends; silence follows. Missing in older probes. */
  endsBeforeMs?: number;
  /** As in the file, like `SourceSubtitles.language`. Missing in older probes. */
  language?: string | null;
  /** Arbitrary text. Missing in older probes. */
  title?: string | null;
  /** A commentary track. Missing in older probes. */
  isCommentary?: boolean;
  /** An audio description. Missing in older probes. */
  isDescription?: boolean;
}

/** A track of text, not of pictures of text. */
export interface SourceSubtitles {
  streamIndex: number;
  codec: string;
  /** As in the file: 'eng', 'pt-BR', or nonsense; null if it has none. */
  language: string | null;
  /** Arbitrary text. */
  title: string | null;
  /**
   * Forced subtitles: only lines that viewers who understand the video must read, such as signs or foreign sentences.
   */
  isForced?: boolean;
  /** For the deaf and hard of hearing: also describes sounds. Like `isForced`, missing in older probes. */
  isSdh?: boolean;
}

export interface SourceChapter {
  /** Whole milliseconds from the beginning. */
  startMs: number;
  /** Arbitrary text; empty if it has none. */
  title: string;
}

export interface SourceProbe {
  container: Container;
  /** Whole milliseconds, at least 1. The price depends on it. */
  durationMs: number;
  sizeBytes: number;
  /** The track that will be encoded. A cover picture does not count. */
  video: SourceVideo | null;
  /** The default track. */
  audio: SourceAudio | null;
  /** At most 16, `audio` first. Missing in probes older than support for several tracks. */
  audios?: readonly SourceAudio[];
  /** At most 20. Missing in older probes. */
  subtitles?: readonly SourceSubtitles[];
  /** The number of subtitle tracks that are pictures of text, which nothing reads. Missing in older probes. */
  pictureSubtitles?: number;
  /** At most 1,000. Missing in older probes. */
  chapters?: readonly SourceChapter[];
}

const HDR_TRANSFERS: ReadonlySet<string | null> = new Set(['smpte2084', 'arib-std-b67']);

/** True for PQ (HDR10) and HLG, which look washed out if shown as SDR. */
export function isHdr({ colorTransfer }: Pick<SourceVideo, 'colorTransfer'>): boolean {
  return HDR_TRANSFERS.has(colorTransfer);
}

/** A source's sound tracks, the default one first. Rendition `track` is the one at index `track - 1`. */
export function soundsOf({ audio, audios }: Pick<SourceProbe, 'audio' | 'audios'>): readonly SourceAudio[] {
  return audios ?? (audio === null ? [] : [audio]);
}
