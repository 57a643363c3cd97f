import { exceedsLightRate, framesPerSecond, type FrameRate, type VideoRendition } from '../../../ports/transcoder.js';

/*
 * Small renditions of a source of more than 30 frames a second have every second frame of the others.
 */

/** The rate of the frames that renditions are made of: that of the fastest. */
export function commonRate(renditions: readonly Pick<VideoRendition, 'frameRate'>[]): FrameRate | undefined {
  const rates = renditions.map(({ frameRate }) => frameRate);
  return rates.toSorted((one, other) => framesPerSecond(other) - framesPerSecond(one))[0];
}

/** How many frames of `common` one frame of a rendition stands for. */
export function frameStep({ frameRate }: Pick<VideoRendition, 'frameRate'>, common: FrameRate): number {
  return Math.max(1, Math.round(framesPerSecond(common) / framesPerSecond(frameRate)));
}

/** Segments begin at a frame that all renditions have: how many frames apart those are. */
export function boundaryStep(rate: FrameRate): number {
  return exceedsLightRate(rate) ? 2 : 1;
}
