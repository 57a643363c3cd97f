import type { Making } from '../domain/media/pipeline/admission.js';
import { renditionsFor } from '../domain/media/pipeline/ladder.js';
import { framesPerSecond } from '../domain/media/pipeline/frameRate.js';
import { once } from '../domain/shared/once.js';
import { workOf } from './stages.js';

/** What a few seconds of work are on two cores: the frames' pixels, decoded and encoded (`workOf`). */
export const SMALL_VIDEO_PIXELS = 300_000_000;
const MAX_DURATION_MS = 60_000;
const MAX_SOURCE_BYTES = 100_000_000;
/** Of what a worker's encodes may take: what nobody counts, all small videos together, beside slots and in them. */
const MAX_MEMORY_SHARE = 0.1;

export interface SmallVideoLimits {
  /** Videos that are made beside others. */
  readonly max: number;
  readonly pixels?: number | undefined;
  /** Of memory, for all that a worker encodes. */
  readonly budgetBytes: number;
}

/**
 * Whether a video is so small that what comes before and after its encode counts, and what it takes does not.
 * @param bytes of memory, that its encode takes
 */
export function isSmallVideo(
  { quality, probe }: Making,
  bytes: number,
  { max, pixels = SMALL_VIDEO_PIXELS, budgetBytes }: SmallVideoLimits,
): boolean {
  if (probe.durationMs > MAX_DURATION_MS || probe.sizeBytes > MAX_SOURCE_BYTES) return false;
  if (bytes > (budgetBytes * MAX_MEMORY_SHARE) / (2 * max)) return false;
  const renditions = renditionsFor(quality, probe);
  const rate = probe.video ? framesPerSecond(probe.video.frameRate) : 1;
  return (workOf({ renditions, pictures: true }, probe) * rate * probe.durationMs) / 1_000 <= pixels;
}

/**
 * Small videos leave cores idle: their programs take a while to start, one after the other, and to come to their end. So
 * beside the video in each slot one small video is made, which has let go of its own slot.
 */
export class SmallVideos {
  private count = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  /**
   * @param letGo called as soon as there is a place beside the slots, and not after the end
   * @param work may say that its encode is over before it ends
   */
  async use<T>(letGo: () => void, work: (isOver: () => void) => Promise<T>): Promise<T> {
    let isIn = false;
    const enter = (): void => {
      isIn = true;
      this.count += 1;
      letGo();
    };
    if (this.count < this.max) enter();
    else this.waiting.push(enter);
    const leave = once(() => {
      if (isIn) this.count -= 1;
      else this.waiting.splice(this.waiting.indexOf(enter), 1);
      if (this.count < this.max) this.waiting.shift()?.();
    });
    try {
      return await work(leave);
    } finally {
      leave();
    }
  }
}
