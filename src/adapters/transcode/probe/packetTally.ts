import type { PicturePackets, SoundPackets } from '../../../ports/packets.js';
import { framesPerSecond, type FrameRate } from '../../../ports/transcoder.js';

const PEAK_SECONDS = 1.5;
/** Half a day with a keyframe every half second. */
const MAX_KEYFRAMES = 100_000;
/** No encoder reorders by more than the 16 frames that an H.264 decoder may keep. */
const MAX_REORDER = 32;
/** In frames. Millisecond clocks round by less, even at 60 frames per second. */
const STEADY_TOLERANCE = 0.25;
const AAC_FRAME_SAMPLES = 1_024;
/** Covers millisecond and 90 kHz clocks; a gap would be a packet of at least 21 ms. */
const SOUND_TOLERANCE_SECONDS = 0.015;

export interface Packet {
  /** NaN if the container has none. */
  ptsSeconds: number;
  sizeBytes: number;
  isKeyframe: boolean;
  /** Corrupt, or cut off by an edit list. */
  isLost: boolean;
}

/** Tallies the packets of a picture in file order. Memory grows only with the number of keyframes. */
export class PictureTally {
  private readonly framesPerSecond: number;
  private readonly window: number[];
  private readonly ahead = new Set<number>();
  private keyframes: number[] | null = [];
  private firstPtsSeconds = Number.NaN;
  private frames = 0;
  /** The first frame whose packet has not arrived yet. */
  private next = 0;
  private lastKeyframe = 0;
  private reorderFrames = 0;
  private isSteady = true;
  private isClosed = true;
  private bytes = 0;
  private windowBytes = 0;
  private peakBytes = 0;

  constructor(rate: FrameRate) {
    this.framesPerSecond = framesPerSecond(rate);
    this.window = Array.from({ length: Math.max(1, Math.ceil(PEAK_SECONDS * this.framesPerSecond)) }, () => 0);
  }

  add({ ptsSeconds, sizeBytes, isKeyframe, isLost }: Packet): void {
    this.weigh(sizeBytes);
    if (this.frames === 0) this.firstPtsSeconds = ptsSeconds;
    const exact = (ptsSeconds - this.firstPtsSeconds) * this.framesPerSecond;
    const frame = Math.round(exact);
    if (isLost || !(Math.abs(exact - frame) <= STEADY_TOLERANCE) || !this.place(frame)) this.isSteady = false;
    if (frame < this.lastKeyframe) this.isClosed = false;
    if (isKeyframe) this.addKeyframe(frame);
    this.reorderFrames = Math.max(this.reorderFrames, this.frames - frame);
    this.frames += 1;
  }

  facts(): Omit<PicturePackets, 'profile' | 'level'> {
    const { frames, isClosed, reorderFrames, keyframes } = this;
    const seconds = frames / this.framesPerSecond;
    const windowSeconds = this.window.length / this.framesPerSecond;
    return {
      frames,
      isSteady: this.isSteady && this.next === frames && this.reorderFrames <= MAX_REORDER,
      isClosed: isClosed && keyframes?.[0] === 0,
      reorderFrames,
      keyframes,
      averageBitrateBps: frames > 0 ? Math.ceil((this.bytes * 8) / seconds) : 0,
      peakBitrateBps: Math.ceil((this.peakBytes * 8) / Math.min(seconds || 1, windowSeconds)),
    };
  }

  /** @returns false if the frame is already there, or an earlier one is long overdue */
  private place(frame: number): boolean {
    if (frame < this.next || this.ahead.has(frame) || this.ahead.size > MAX_REORDER) return false;
    this.ahead.add(frame);
    while (this.ahead.delete(this.next)) this.next += 1;
    return true;
  }

  private addKeyframe(frame: number): void {
    this.lastKeyframe = Math.max(this.lastKeyframe, frame);
    if (this.keyframes && this.keyframes.push(frame) > MAX_KEYFRAMES) this.keyframes = null;
  }

  private weigh(sizeBytes: number): void {
    const slot = this.frames % this.window.length;
    this.windowBytes += sizeBytes - this.window[slot]!;
    this.window[slot] = sizeBytes;
    this.bytes += sizeBytes;
    this.peakBytes = Math.max(this.peakBytes, this.windowBytes);
  }
}

/** Tallies the packets of AAC sound. */
export class SoundTally {
  private firstPtsSeconds = Number.NaN;
  private packets = 0;
  private bytes = 0;
  private isSteady = true;

  constructor(private readonly sampleRate: number) {}

  add({ ptsSeconds, sizeBytes }: Packet): void {
    if (this.packets === 0) this.firstPtsSeconds = ptsSeconds;
    const driftSeconds = ptsSeconds - this.firstPtsSeconds - this.secondsOf(this.packets);
    if (!(Math.abs(driftSeconds) <= SOUND_TOLERANCE_SECONDS)) this.isSteady = false;
    this.packets += 1;
    this.bytes += sizeBytes;
  }

  facts(): Omit<SoundPackets, 'profile'> {
    const seconds = this.secondsOf(this.packets);
    return {
      isSteady: this.isSteady && this.packets > 0,
      durationMs: Math.round(seconds * 1_000),
      averageBitrateBps: seconds > 0 ? Math.ceil((this.bytes * 8) / seconds) : 0,
    };
  }

  private secondsOf(packets: number): number {
    return (packets * AAC_FRAME_SAMPLES) / this.sampleRate;
  }
}
