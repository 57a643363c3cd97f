/**
 * The transcoder port: measures a source file and turns it into an HLS ladder.
 *
 * Everything that crosses it is plain data that survives JSON, so a probe can lie in a job or a
 * row and be handed back to `encode` later, on another machine.
 */

import type { Brand } from './brand.js';
import type { PassthroughCut, PacketScan, PacketScanRequest } from './packets.js';
import type { RenditionMaking, RenditionRecipe } from './renditionMaking.js';
import type { Quality, VideoQuality, FrameRate, SourceProbe } from './sourceProbe.js';

export * from './renditionMaking.js';
export * from './sourceProbe.js';
export * from './transcoderErrors.js';

/** One picture size of a ladder, with its encoder settings. Made by `renditionsFor` in the domain. */
export interface VideoRendition {
  quality: VideoQuality;
  /** Even, square pixels, never above the source. */
  width: number;
  height: number;
  /** Constant, and the same for every rendition of a ladder: segments align only then. */
  frameRate: FrameRate;
  /** Quality target, lower is better; the two limits below cap what it may cost. */
  crf: number;
  maxBitrateBps: number;
  bufferBits: number;
  /** H.264 level as x264 spells it: '3.1'. */
  level: string;
  /** The source's own packets are kept. */
  copy?: true;
}

export interface AudioRendition {
  quality: 'audio';
  /** Which of the source's `audios`, from 1. The first, where left out. */
  track?: number;
  bitrateBps: number;
  sampleRate: number;
  /** How loud it shall be. As loud as the source, where left out. */
  loudness?: LoudnessTarget;
  /** As of a `VideoRendition`. */
  copy?: true;
}

/** By EBU R 128: integrated over the whole track, and the peak between samples that it may not pass. */
export interface LoudnessTarget {
  integratedLufs: number;
  truePeakDbtp: number;
}

export type Rendition = VideoRendition | AudioRendition;

/** Where a rendition lies, in a ladder's folder and in addresses: '720p', 'audio', 'audio-2'. */
export function renditionFolder({ quality, track = 1 }: { quality: Quality; track?: number }): string {
  return quality === 'audio' && track > 1 ? `audio-${track}` : quality;
}

export interface EncodeProgress {
  step: 'listening' | 'encoding' | 'measuring';
  /** 0–100, one decimal, never falling. */
  percent: number;
  /** Whole seconds; null until it can be told. */
  etaSeconds: number | null;
  /** Media seconds per second of waiting; null until it can be told. */
  speed: number | null;
}

export interface EncodeRequest {
  /** Absolute path of the source file. It is only read. */
  sourcePath: string;
  probe: SourceProbe;
  /** A whole ladder, or any part of one; none at all for pictures alone. */
  renditions: readonly Rendition[];
  /** Whether to make a poster and a storyboard, too. Where left out, with any rendition that has a picture. */
  pictures?: boolean;
  /** Whether what is made belongs to a picture that is made elsewhere: sound is as long as the video then, whatever is in
   * the file, and a file that ends early shows in that picture. */
  besidePicture?: boolean;
  /** How pictures with `copy` are cut. Such a picture comes without others that are encoded. */
  packets?: PassthroughCut;
  /** Where segments of encoded pictures begin, in whole milliseconds from 0 on. Where left out, the clock decides. */
  boundaries?: readonly number[];
  /** Burned into every rendition with a picture. */
  brand?: Brand | null;
  /** Whether to list the key frames of pictures, too. */
  keyFrames?: boolean;
  /** Absolute path of an empty folder (made if missing). After a failure its content is rubbish. */
  outputDir: string;
  /** Called at most a few times a second. */
  onProgress?: (progress: EncodeProgress) => void;
  signal?: AbortSignal;
}

/** A finished rendition: the facts are measured on what was written, never what was asked for. */
export interface EncodedRendition {
  quality: Quality;
  /** Of sound: as in its `AudioRendition`. */
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
  /** Of a picture, where they were asked for. */
  keyFrames?: KeyFramesPlaylist;
  making?: RenditionMaking;
  /** Of what is stored: see the recipe in `renditionDigest`. Missing until it is. */
  sha256?: string;
}

/** A rendition's own playlist. */
export const PLAYLIST_FILE = 'index.m3u8';

/** Beside it: one that lists the first frame of each segment, for those who look for a scene. */
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

/** Small pictures along the video's timeline, laid out on sheets, and a few of them as one that moves. */
export interface EncodedStoryboard {
  /** WebVTT relative to `outputDir`, whose cues are 'sheet_1.jpg#xywh=x,y,w,h' beside it. */
  indexPath: string;
  /** Animated WebP; null where it could not be made. */
  previewPath: string | null;
  /** All of its files, those above included. */
  paths: readonly string[];
  sizeBytes: number;
}

export interface EncodedLadder {
  /** In the order of the request. */
  renditions: readonly EncodedRendition[];
  /** 'poster.jpg', relative to `outputDir`; null without a picture, or where none was wanted. */
  posterPath: string | null;
  /** Null where no pictures were wanted, for very short videos, and where it could not be made. */
  storyboard: EncodedStoryboard | null;
  /** Where the segments of a copied picture begin, as a request for the other renditions wants them. */
  boundaries?: readonly number[];
  /** Of the longest rendition. */
  durationMs: number;
  /** Everything in `outputDir`. */
  sizeBytes: number;
}

/** A run of whole segments of a video, by their places in it. */
export interface ChunkSpan {
  firstSegment: number;
  /** The segment after its last; null where it goes on to the end of the video. */
  endSegment: number | null;
}

export interface EncodeChunkRequest extends Omit<EncodeRequest, 'renditions' | 'pictures'> {
  /** At least one. */
  renditions: readonly VideoRendition[];
  chunk: ChunkSpan;
}

/** One rendition of a chunk: what `joinChunks` needs to know of it. */
export interface EncodedChunkRendition {
  quality: VideoQuality;
  /** The init segment's bytes in base64. Parts with the same one can be joined. */
  init: string;
  /** In playing order. They are `<quality>/seg_00060.m4s` and so on, numbered by their places in the video. */
  segments: readonly ChunkSegment[];
  making?: RenditionMaking;
}

export interface ChunkSegment {
  seconds: number;
  sizeBytes: number;
  /** Where its first frame lies. Missing where that cannot be told, or is of no use. */
  keyFrame?: ByteSpan;
}

export interface JoinRequest {
  /** As in every chunk, in the order of the result. */
  renditions: readonly VideoRendition[];
  /** In playing order, from the video's first segment to its last. */
  chunks: readonly (readonly EncodedChunkRendition[])[];
  /** As of the chunks' requests. */
  boundaries?: readonly number[];
  /** What each segment is called, by its place in the video. */
  segmentName: (segment: number) => string;
  /** Absolute path of a folder (made if missing). */
  outputDir: string;
}

export interface SubtitlesRequest {
  /** Absolute path of the source file. It is only read. */
  sourcePath: string;
  probe: SourceProbe;
  /** Absolute path of an empty folder (made if missing). Its content is rubbish afterwards. */
  outputDir: string;
  signal?: AbortSignal;
}

/** One track's text as WebVTT, at most a megabyte; nothing about it is checked. */
export interface ExtractedSubtitles {
  language: string | null;
  title: string | null;
  /** As of `SourceSubtitles`, like the next one. */
  isForced: boolean;
  isSdh: boolean;
  text: string;
}

/**
 * What ffmpeg is shut away by. Only `bwrap` refuses system calls as well. `unshare-as-ourselves` keeps it off the network
 * only: it reads and writes whatever the service may.
 */
export type SandboxKind = 'bwrap' | 'bwrap-without-filter' | 'unshare' | 'unshare-as-ourselves' | 'none';

/** Whether what takes ffmpeg over gets nothing but one input and one output folder. */
export function isConfined(kind: SandboxKind): boolean {
  return kind === 'bwrap' || kind === 'bwrap-without-filter' || kind === 'unshare';
}

export interface Transcoder {
  /**
   * Measures a file without trusting its name.
   * @throws UnusableSourceError when the file is the problem; TranscoderUnavailableError when we are.
   */
  probe(sourcePath: string, options?: { signal?: AbortSignal }): Promise<SourceProbe>;

  /**
   * Writes the ladder: `<folder of rendition>/{index.m3u8,init.mp4,seg_00000.m4s…}`, `poster.jpg` and `storyboard/`.
   * @throws EncodeFailedError, TranscoderUnavailableError, or the signal's reason when aborted; PassthroughUnfitError where
   * packets were to be kept or boundaries were given, and what was written is not as it should be;
   * no child process is left in any case.
   */
  encode(request: EncodeRequest): Promise<EncodedLadder>;

  /** Whether a video can be encoded in chunks: found by reading its packets, decoding none. */
  canCut(source: Pick<EncodeRequest, 'sourcePath' | 'probe' | 'signal'>): Promise<boolean>;

  /**
   * Writes the segments of a chunk, in every given rendition, as `encode` would have written them in one go: the same frames
   * at the same times, keyframes at the same boundaries (the clock's or those that are given), and decode times and numbers that continue those before.
   * @throws ChunkUnfitError where this video cannot be cut there; otherwise like `encode`.
   */
  encodeChunk(request: EncodeChunkRequest): Promise<EncodedChunkRendition[]>;

  /**
   * Writes `<quality>/{index.m3u8,init.mp4}` of a video whose segments were made in chunks, and the playlist of its key
   * frames where all of them are known.
   * @throws ChunkUnfitError where they do not belong together.
   */
  joinChunks(request: JoinRequest): Promise<EncodedRendition[]>;

  /**
   * Reads all packets of a source with a picture, and decodes none: can some be kept?
   * @throws PassthroughUnfitError where they cannot be read, or the signal's reason.
   */
  scanPackets(request: PacketScanRequest): Promise<PacketScan>;

  /**
   * The tracks of text that `probe` found, as far as they can be read: one that is broken or huge is missing.
   * @throws only the signal's reason when aborted.
   */
  subtitles(request: SubtitlesRequest): Promise<ExtractedSubtitles[]>;

  /** How `encodeChunk` makes a rendition here: what its receipt says. */
  recipeOf(rendition: VideoRendition): RenditionRecipe;

  /** What was found at start. Production refuses `none`. */
  describeSandbox(): SandboxKind;

  /** Whether videos in HDR become SDR here; otherwise they are made as if they were SDR already, and look washed out. */
  canToneMap(): boolean;
}
