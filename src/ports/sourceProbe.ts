/** What can be bought, lowest first. `audio` is sound alone; the rest are named by their short side. */
export const QUALITIES = ['audio', '480p', '720p', '1080p', '1440p', '2160p'] as const;

export type Quality = (typeof QUALITIES)[number];

export type VideoQuality = Exclude<Quality, 'audio'>;

/** Containers that are accepted; everything else is refused before a demuxer sees it. */
export type Container = 'mp4' | 'matroska' | 'mpegts' | 'avi' | 'mp3' | 'aac' | 'wav' | 'flac' | 'ogg';

/** An exact rate in frames per second: 30000/1001 is not 29.97. */
export interface FrameRate {
  numerator: number;
  denominator: number;
}

export type Rotation = 0 | 90 | 180 | 270;

export interface SourceVideo {
  streamIndex: number;
  codec: string;
  profile: string | null;
  /** As coded, in samples. */
  width: number;
  height: number;
  /** As seen, in square pixels: after sample aspect ratio and rotation. */
  displayWidth: number;
  displayHeight: number;
  /** Degrees clockwise that a player turns the picture. */
  rotation: Rotation;
  /** Whether the container has a matrix by which the picture is turned or mirrored. Missing where it was measured before. */
  hasMatrix?: boolean;
  /** The average rate; of a variable one, too. */
  frameRate: FrameRate;
  /** The lowest rate that can show every timestamp; far too high for some variable sources. */
  tickRate: FrameRate;
  variableFrameRate: boolean;
  interlaced: boolean;
  pixelFormat: string;
  /** As ffmpeg spells it: 'bt709'; null where the file does not say, missing where it was measured before this was. */
  colorMatrix?: string | null;
  colorTransfer: string | null;
  /** As `colorMatrix`. */
  colorPrimaries?: string | null;
  bitrateBps: number | null;
  /** How long after the earliest stream this one starts. */
  startsAfterMs: number;
  /** How long before the video's end it ends: its last frame stays. Missing where it was measured before this was. */
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
  /** How long before the video's end it ends: silence follows. Missing where it was measured before this was. */
  endsBeforeMs?: number;
  /** As the file says it, like `SourceSubtitles.language`. Missing where a file was measured before this was looked for. */
  language?: string | null;
  /** Anything at all. Missing like the above. */
  title?: string | null;
  /** Somebody talks about the video. Missing like the above. */
  isCommentary?: boolean;
  /** Somebody tells what is to be seen. Missing like the above. */
  isDescription?: boolean;
}

/** A track of text, not of pictures of text. */
export interface SourceSubtitles {
  streamIndex: number;
  codec: string;
  /** As the file says it: 'eng', 'pt-BR', nonsense; null where it says nothing. */
  language: string | null;
  /** Anything at all. */
  title: string | null;
  /** Only what has to be read by whoever understands the video: a sign, a sentence in a foreign language. */
  isForced?: boolean;
  /** For the deaf and hard of hearing: sounds are told, too. Missing, like the above, where it was not looked for. */
  isSdh?: boolean;
}

export interface SourceChapter {
  /** Whole milliseconds from the beginning. */
  startMs: number;
  /** Anything at all; empty where it has none. */
  title: string;
}

export interface SourceProbe {
  container: Container;
  /** Whole milliseconds, at least 1: what is paid for. */
  durationMs: number;
  sizeBytes: number;
  /** The track that will be encoded; a cover picture is not one. */
  video: SourceVideo | null;
  /** The one that plays by default. */
  audio: SourceAudio | null;
  /** At most 16, `audio` first. Missing where a file was measured before there could be several. */
  audios?: readonly SourceAudio[];
  /** At most 20. Missing where a file was measured before this was looked for. */
  subtitles?: readonly SourceSubtitles[];
  /** How many tracks of subtitles are pictures of text, which nothing reads. Missing like the above. */
  pictureSubtitles?: number;
  /** At most 1,000. Missing like the above. */
  chapters?: readonly SourceChapter[];
}

const HDR_TRANSFERS: ReadonlySet<string | null> = new Set(['smpte2084', 'arib-std-b67']);

/** PQ (HDR10) or HLG: shown as if it were SDR, it looks washed out. */
export function isHdr({ colorTransfer }: Pick<SourceVideo, 'colorTransfer'>): boolean {
  return HDR_TRANSFERS.has(colorTransfer);
}

/** A source's sound tracks, the one that plays by default first: rendition `track` is the one at `track - 1`. */
export function soundsOf({ audio, audios }: Pick<SourceProbe, 'audio' | 'audios'>): readonly SourceAudio[] {
  return audios ?? (audio === null ? [] : [audio]);
}
