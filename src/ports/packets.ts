import type { FrameRate, SourceProbe } from './sourceProbe.js';
import { EncodeFailedError } from './transcoderErrors.js';

/** What Apple asks of a segment. Every playlist of a video with a copied rendition says this, so that all say the same. */
export const MAX_SEGMENT_SECONDS = 6;

export interface PacketScanRequest {
  /** Absolute path of the source file. It is only read. */
  sourcePath: string;
  /** Of a source with a picture. */
  probe: SourceProbe;
  /** What the picture's packets are held against. */
  frameRate: FrameRate;
  signal?: AbortSignal;
}

/** What a source's packets are like, found by reading every one of them and decoding none. */
export interface PacketScan {
  picture: PicturePackets;
  /** Of the track that plays by default; null without one. */
  sound: SoundPackets | null;
}

export interface PicturePackets {
  /** As ffmpeg spells it: 'High'. */
  profile: string | null;
  /** H.264 level times ten: 31. */
  level: number | null;
  frames: number;
  /** Each tick of the frame rate has one packet, from the first on; none is broken or hidden by an edit list. */
  isSteady: boolean;
  /** No frame that comes after a keyframe in the file is shown before it. */
  isClosed: boolean;
  /** By how many frames decoding is ahead of showing. */
  reorderFrames: number;
  /** Which frames are keyframes, in order; null where they are too many to keep. */
  keyframes: readonly number[] | null;
  averageBitrateBps: number;
  /** Over any 1.5 seconds. */
  peakBitrateBps: number;
}

export interface SoundPackets {
  /** As ffmpeg spells it: 'LC'. */
  profile: string | null;
  /** Packets follow each other without a gap. */
  isSteady: boolean;
  durationMs: number;
  averageBitrateBps: number;
}

/** How packets that are kept are laid into segments. */
export interface PassthroughCut {
  /** The nth segment after the first begins with the first keyframe that is n times this long into the video, or later. */
  segmentSeconds: number;
  /** How long they come to be, about. */
  meanSegmentSeconds: number;
  /** As in `PicturePackets`. */
  reorderFrames: number;
  frames: number;
}

/** The source's packets are not what they were taken for, or cannot be cut as they should: encode the rendition instead. */
export class PassthroughUnfitError extends EncodeFailedError {
  /** @param reason for logs */
  constructor(reason: string) {
    super('ENCODER_FAILED', 'The video could not be processed. Try again, or upload it in another format.', reason);
  }
}
