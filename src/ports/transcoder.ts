/**
 * The transcoder port: probes a source file and encodes it into an HLS ladder.
 *
 * Everything that crosses it is plain data that survives JSON. So a probe can be stored in a job or a row and be passed
 * to `encode` later, on another machine.
 */

import type { Brand } from './brand.js';
import type { PassthroughCut, PacketScan, PacketScanRequest } from './packets.js';
import type { RenditionQuality, VideoQuality, FrameRate, SourceProbe } from './sourceProbe.js';

export * from './sourceProbe.js';
export * from './transcoderErrors.js';

/** One picture size of a ladder, with its encoder settings. `renditionsFor` in the domain makes it. */
export interface VideoRendition {
  quality: VideoQuality;
  /** Even, square pixels, never larger than the source. */
  width: number;
  height: number;
  /** Constant, and the same for every rendition of a ladder; segments align only then. */
  frameRate: FrameRate;
  /** Quality target, lower is better. The two limits below cap its bitrate. */
  crf: number;
  maxBitrateBps: number;
  bufferBits: number;
  /** H.264 level as x264 spells it: '3.1'. */
  level: string;
  /** Passthrough: keeps the source's own packets. */
  passthrough?: true;
}

export interface AudioRendition {
  quality: 'audio';
  /** Which of the source's `audios`, from 1. Defaults to the first. */
  track?: number;
  bitrateBps: number;
  sampleRate: number;
  /** The target loudness. Defaults to the loudness of the source. */
  loudness?: LoudnessTarget;
  /** As in `VideoRendition`. */
  passthrough?: true;
}

/** By EBU R 128: the integrated loudness of the whole track, and the limit for the true peak between samples. */
export interface LoudnessTarget {
  integratedLufs: number;
  truePeakDbtp: number;
}

export type Rendition = VideoRendition | AudioRendition;

/** The name of a rendition's folder, in a ladder and in addresses: '720p', 'audio', 'audio-2'. */
export function renditionFolder({ quality, track = 1 }: { quality: RenditionQuality; track?: number }): string {
  return quality === 'audio' && track > 1 ? `audio-${track}` : quality;
}

export interface EncodeProgress {
  step: 'listening' | 'encoding' | 'measuring';
  /** 0–100, one decimal, never decreasing. */
  percent: number;
  /** Whole seconds; null until known. */
  etaSeconds: number | null;
  /** Media seconds per second of waiting; null until known. */
  speed: number | null;
}

export interface EncodeRequest {
  /** Absolute path of the source file. Only read. */
  sourcePath: string;
  probe: SourceProbe;
  /** A whole ladder, or any part of one; empty for pictures alone. */
  renditions: readonly Rendition[];
  /** Whether to also make a poster and a storyboard. Defaults to whether any rendition has a picture. */
  pictures?: boolean;
  /**
   * Whether the output belongs to a picture that is made elsewhere. Then sound is as long as the video, whatever the
   * file contains, and that picture shows if the file ends early.
   */
  besidePicture?: boolean;
  /** How pictures with `passthrough` are cut. They cannot be combined with encoded pictures. */
  packets?: PassthroughCut;
  /** Where segments of encoded pictures begin, in whole milliseconds, starting with 0. Defaults to regular times. */
  boundaries?: readonly number[];
  /** Burned into every rendition with a picture. */
  brand?: Brand | null;
  /** Whether to also list the keyframes of pictures. */
  keyFrames?: boolean;
  /** Absolute path of an empty folder (created if missing). After a failure its content is garbage. */
  outputDir: string;
  /** Called at most a few times a second. */
  onProgress?: (progress: EncodeProgress) => void;
  signal?: AbortSignal;
}

/** A finished rendition. The facts are measured on the output, never copied from the request. */
export interface EncodedRendition {
  quality: RenditionQuality;
  /** For sound: as in its `AudioRendition`. */
  track?: number;
  /** Paths relative to `outputDir`: '720p/index.m3u8', '720p/init.mp4'. */
  playlistPath: string;
  initPath: string;
  /** '720p/seg_00000.m4s' and so on, in playing order. */
  segmentPaths: readonly string[];
  targetDurationSeconds: number;
  durationMs: number;
  /** All of its files. */
  sizeBytes: number;
  /** BANDWIDTH of RFC 8216: the peak over any run of 0.5 to 1.5 target durations. */
  peakBandwidthBps: number;
  averageBandwidthBps: number;
  /** RFC 6381, from the init segment: 'avc1.64001f', 'mp4a.40.2'. */
  codecs: string;
  /** Of the picture; null for audio. */
  width: number | null;
  height: number | null;
  frameRate: FrameRate | null;
  /** For pictures, if requested. */
  keyFrames?: KeyFramesPlaylist;
  making?: RenditionMaking;
  /** Of the stored files: see the recipe in `renditionDigest`. Missing until they are stored. */
  sha256?: string;
}

/** A rendition's media playlist. */
export const PLAYLIST_FILE = 'index.m3u8';

/** Next to it: the I-frame playlist, with the first frame of each segment, for trick play. */
export const KEY_FRAMES_FILE = 'iframes.m3u8';

export interface KeyFramesPlaylist {
  /** Relative to `outputDir`, like the rendition's. */
  playlistPath: string;
  /** Of the frames alone, at normal speed. */
  peakBandwidthBps: number;
  averageBandwidthBps: number;
}

export interface ByteSpan {
  offset: number;
  sizeBytes: number;
}

/** Small pictures at a constant interval, one a second if the video is not very long, for fast seeking. Never encrypted. */
export interface EncodedTrickPlay {
  /** The I-frame playlist, relative to `outputDir`. It lists byte ranges of a file next to it. */
  playlistPath: string;
  /** Both files. */
  paths: readonly string[];
  sizeBytes: number;
  width: number;
  height: number;
  /** RFC 6381 */
  codecs: string;
  /** At normal speed, like the next one. */
  peakBandwidthBps: number;
  averageBandwidthBps: number;
}

/** Thumbnails along the timeline on sheets, and some of them as a moving preview. */
export interface EncodedStoryboard {
  /** WebVTT, relative to `outputDir`. Its cues are 'sheet_1.jpg#xywh=x,y,w,h' next to it. */
  indexPath: string;
  /** Animated WebP; null if it could not be made. */
  previewPath: string | null;
  /** Null for videos of less than two pictures. */
  trickPlay: EncodedTrickPlay | null;
  /** All of its files, including those above. */
  paths: readonly string[];
  sizeBytes: number;
}

export interface EncodedLadder {
  /** In the order of the request. */
  renditions: readonly EncodedRendition[];
  /** 'poster.jpg', relative to `outputDir`; null without a picture, or if not requested. */
  posterPath: string | null;
  /** Null if no pictures were requested, for very short videos, and if it could not be made. */
  storyboard: EncodedStoryboard | null;
  /** Where the segments of a passthrough picture begin, to be passed with requests for the other renditions. */
  boundaries?: readonly number[];
  /** Of the longest rendition. */
  durationMs: number;
  /** Everything in `outputDir`. */
  sizeBytes: number;
}

/** A run of whole segments of a video, by their indexes. */
export interface ChunkSpan {
  firstSegment: number;
  /** Exclusive; null for the end of the video. */
  endSegment: number | null;
}

export interface EncodeChunkRequest extends Omit<EncodeRequest, 'renditions' | 'pictures'> {
  /** At least one. */
  renditions: readonly VideoRendition[];
  chunk: ChunkSpan;
}

/** One rendition of a chunk, with what `joinChunks` needs of it. */
export interface EncodedChunkRendition {
  quality: VideoQuality;
  /** The init segment's bytes in base64. Chunks with the same one can be joined. */
  init: string;
  /** In playing order: `<quality>/seg_00060.m4s` and so on, numbered by their indexes in the video. */
  segments: readonly ChunkSegment[];
  making?: RenditionMaking;
}

export interface ChunkSegment {
  seconds: number;
  sizeBytes: number;
  /** The position of its first frame. Missing if unknown or not needed. */
  keyFrame?: ByteSpan;
}

export interface JoinRequest {
  /** As in every chunk, in the order of the result. */
  renditions: readonly VideoRendition[];
  /** In playing order, from the video's first segment to its last. */
  chunks: readonly (readonly EncodedChunkRendition[])[];
  /** As in the chunks' requests. */
  boundaries?: readonly number[];
  /** The name of each segment, by its index in the video. */
  segmentName: (segment: number) => string;
  /** Absolute path of a folder (created if missing). */
  outputDir: string;
}

export interface SubtitlesRequest {
  /** Absolute path of the source file. Only read. */
  sourcePath: string;
  probe: SourceProbe;
  /** Absolute path of an empty folder (created if missing). Its content is garbage afterwards. */
  outputDir: string;
  signal?: AbortSignal;
}

/** One track's text as WebVTT, at most a megabyte. Its content is unchecked. */
export interface ExtractedSubtitles {
  language: string | null;
  title: string | null;
  /** As in `SourceSubtitles`, like the next one. */
  isForced: boolean;
  isSdh: boolean;
  text: string;
}

/**
 * The sandbox that confines ffmpeg. Only `bwrap` also filters system calls. `unshare-as-ourselves` only cuts it off
 * from the network: it can read and write whatever the service may.
 */
export type SandboxKind = 'bwrap' | 'bwrap-without-filter' | 'unshare' | 'unshare-as-ourselves' | 'none';

/** Whether code that takes over ffmpeg reaches nothing but one input and one output folder. */
export function isConfined(kind: SandboxKind): boolean {
  return kind === 'bwrap' || kind === 'bwrap-without-filter' || kind === 'unshare';
}

export interface Transcoder {
  /**
   * Probes a file without trusting its name.
   * @throws UnusableSourceError if the file is the problem; TranscoderUnavailableError if we are
   */
  probe(sourcePath: string, options?: { signal?: AbortSignal }): Promise<SourceProbe>;

  /**
   * Writes the ladder: `<folder of rendition>/{index.m3u8,init.mp4,seg_00000.m4s…}`, `poster.jpg` and `storyboard/`.
   * Never leaves a child process behind.
   * @throws EncodeFailedError, TranscoderUnavailableError, or the signal's reason when aborted; PassthroughUnfitError
   * if the output is wrong after a passthrough, or with given boundaries
   */
  encode(request: EncodeRequest): Promise<EncodedLadder>;

  /** Whether a video can be encoded in chunks. Reads its packets and decodes none. */
  canCut(source: Pick<EncodeRequest, 'sourcePath' | 'probe' | 'signal'>): Promise<boolean>;

  /**
   * Writes the segments of a chunk in every given rendition, exactly as a single `encode` would have: the same frames
   * at the same times, keyframes at the same boundaries (regular or given), and decode times and numbers that continue
   * those before.
   * @throws ChunkUnfitError if this video cannot be cut there; otherwise like `encode`
   */
  encodeChunk(request: EncodeChunkRequest): Promise<EncodedChunkRendition[]>;

  /**
   * Writes `<quality>/{index.m3u8,init.mp4}` of a video whose segments were made in chunks, and the I-frame playlist if
   * all keyframes are known.
   * @throws ChunkUnfitError if the chunks do not belong together
   */
  joinChunks(request: JoinRequest): Promise<EncodedRendition[]>;

  /**
   * Reads all packets of a source with a picture, without decoding them, to decide on passthrough.
   * @throws PassthroughUnfitError if they cannot be read, or the signal's reason
   */
  scanPackets(request: PacketScanRequest): Promise<PacketScan>;

  /**
   * Extracts the text tracks that `probe` found. Omits tracks that are broken or huge.
   * @throws only the signal's reason when aborted
   */
  subtitles(request: SubtitlesRequest): Promise<ExtractedSubtitles[]>;

  /** How `encodeChunk` makes a rendition here, for its receipt. */
  recipeOf(rendition: VideoRendition): RenditionRecipe;

  /** The sandbox found at start. Production refuses `none`. */
  describeSandbox(): SandboxKind;

  /** Whether HDR videos are tone mapped to SDR here. Otherwise they are treated as SDR, and look washed out. */
  canToneMap(): boolean;
}

/** What determines a rendition: the same recipe gives the same output. */
export interface RenditionRecipe {
  /** The name of the pinned settings, such as 'h264-2026.11.5'; 'copied' for passthrough. */
  profile: string;
  /** The version ffmpeg reports: '5.1.9'. */
  ffmpegVersion: string;
}

/** How a rendition was made. */
export interface RenditionMaking extends RenditionRecipe {
  /** Null for sound, and if it could not be measured. */
  similarity: Similarity | null;
}

/** How close a rendition is to its source: the structural similarity (SSIM) of their frames at the rendition's size. */
export interface Similarity {
  /** 1 means identical. Luma only, the mean over the compared frames. */
  ssim: number;
  frames: number;
}
