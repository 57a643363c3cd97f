import type { FrameRate, VideoRendition } from '../../../ports/transcoder.js';

/*
 * Small renditions of a source of more than 30 frames a second have every second frame of the others.
 */

/** Above, a ladder has renditions of half the rate. */
const HALVED_ABOVE = 30 * 1.01;

/** The rate of the frames that renditions are made of: that of the fastest. */
export function commonRate(renditions: readonly Pick<VideoRendition, 'frameRate'>[]): FrameRate | undefined {
  return renditions
    .map(({ frameRate }) => frameRate)
    .reduce<FrameRate | undefined>(
      (most, rate) => (most && perSecond(most) >= perSecond(rate) ? most : rate),
      undefined,
    );
}

/** How many frames of `common` one frame of a rendition stands for. */
export function frameStep({ frameRate }: Pick<VideoRendition, 'frameRate'>, common: FrameRate): number {
  return Math.max(1, Math.round(perSecond(common) / perSecond(frameRate)));
}

/** Segments begin at a frame that all renditions have: how many frames apart those are. */
export function boundaryStep(rate: FrameRate): number {
  return perSecond(rate) > HALVED_ABOVE ? 2 : 1;
}

function perSecond({ numerator, denominator }: FrameRate): number {
  return numerator / denominator;
}
