import type { Similarity } from '../../../ports/transcoder.js';

/*
 * x264 holds each picture as it will be shown against the one it was given, by SSIM of the luma, and tells the mean at
 * its end. What it makes is the same to the byte, and no second decode is needed: that of samples took a tenth of a
 * ladder's time, and more where a source has few keyframes.
 */

export const MEASURE_SIMILARITY = ['-ssim', '1'];

/** Encoders tell it at this level. With the level's name before each line, what nobody else needs can be left out. */
export const ENCODER_LOG = ['-loglevel', 'level+info', '-nostats'];

const INFO = /^(\[[^\]]*\] ){0,2}\[info\] /;
/** Said again with each frame of another size, and of each scaler: it would hide what a decoder has to say. */
const NOISE = /Changing video frame properties on the fly|deprecated pixel format used/;
const FRAMES = /^\[libx264 @ \w+\] \[info\] frame [IPB]: *(\d+) /;
const MEAN = /^\[libx264 @ \w+\] \[info\] SSIM Mean Y:(\d\.\d+)/;

/** Reads what encoders say at their end: one after the other, in the order of their outputs. */
export class SimilarityReader {
  readonly found: Similarity[] = [];
  private frames = 0;

  /** @returns whether the line is worth keeping: more than information, and not noise. */
  readonly readsLine = (line: string): boolean => {
    this.frames += Number(FRAMES.exec(line)?.[1] ?? 0);
    const [, mean] = MEAN.exec(line) ?? [];
    if (mean !== undefined) {
      this.found.push({ ssim: Number(mean), frames: this.frames });
      this.frames = 0;
    }
    return !INFO.test(line) && !NOISE.test(line);
  };
}

/** Of all frames together; null where there are none. */
export function meanSimilarity(some: readonly Similarity[]): Similarity | null {
  const frames = some.reduce((total, one) => total + one.frames, 0);
  const sum = some.reduce((total, one) => total + one.ssim * one.frames, 0);
  return frames === 0 ? null : { ssim: sum / frames, frames };
}
