import type { FrameRate, SourceProbe } from './sourceProbe.js';
import { EncodeFailedError } from './transcoderErrors.js';

/** Apple's limit for segments. All playlists of a video with a passthrough rendition state it, so that they agree. */
export const MAX_SEGMENT_SECONDS = 6;

export interface PacketScanRequest {
  /** Absolute path of the source file. Only read. */
  sourcePath: string;
  /** Of a source with a picture. */
  probe: SourceProbe;
  /** The rate that the picture's packets are compared with. */
  frameRate: FrameRate;
  signal?: AbortSignal;
}

/** The properties of a source's packets. All of them are read and none is decoded. */
export interface PacketScan {
  picture: PicturePackets;
  /** Of the default track; null if there is none. */
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
  /** No frame after a keyframe in the file is shown before it. */
  isClosed: boolean;
  /** How many frames decoding is ahead of display. */
  reorderFrames: number;
  /** Indexes of the keyframes, in order; null if there are too many to keep. */
  keyframes: readonly number[] | null;
  averageBitrateBps: number;
  /** Over any 1.5 seconds. */
  peakBitrateBps: number;
}

export interface SoundPackets {
  /** As ffmpeg spells it: 'LC'. */
  profile: string | null;
  /** Packets follow each other without gaps. */
  isSteady: boolean;
  durationMs: number;
  averageBitrateBps: number;
}

/** How passthrough packets are cut into segments. */
export interface PassthroughCut {
  /** Segment n (from 0) begins with the first keyframe at or after n times this time. */
  segmentSeconds: number;
  /** The approximate mean length that results. */
  meanSegmentSeconds: number;
  /** As in `PicturePackets`. */
  reorderFrames: number;
  frames: number;
}

/** The source's packets differ from the scan, or cannot be cut as required: encode the rendition instead. */
export class PassthroughUnfitError extends EncodeFailedError {
  /** @param reason for logs */
  constructor(reason: string) {
    super('ENCODER_FAILED', 'The video could not be processed. Try again, or upload it in another format.', reason);
  }
}
