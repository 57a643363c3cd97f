import type { Similarity } from '../../../ports/transcoder.js';

/*
 * x264 compares each encoded picture with its input by luma SSIM, and reports the mean at its end. The output is
 * byte-identical and no second decode is needed. Decoding samples took a tenth of a ladder's time, and more with few
 * keyframes.
 */

export const MEASURE_SIMILARITY = ['-ssim', '1'];

/** Encoders report it at this level. With the level before each line, everything else can be filtered out. */
export const ENCODER_LOG = ['-loglevel', 'level+info', '-nostats'];

const INFO = /^(\[[^\]]*\] ){0,2}\[info\] /;
/** Repeated for each frame of another size and for each scaler; it would hide the decoder's messages. */
const NOISE = /Changing video frame properties on the fly|deprecated pixel format used/;
const FRAMES = /^\[libx264 @ \w+\] \[info\] frame [IPB]: *(\d+) /;
const MEAN = /^\[libx264 @ \w+\] \[info\] SSIM Mean Y:(\d\.\d+)/;

/** Reads what encoders report at their end, in the order of their outputs. */
export class SimilarityReader {
  readonly found: Similarity[] = [];
  private frames = 0;

  /** @returns whether to keep the line: it is more severe than information, and no noise */
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

/** Over all frames; null if there are none. */
export function meanSimilarity(some: readonly Similarity[]): Similarity | null {
  const frames = some.reduce((total, one) => total + one.frames, 0);
  const sum = some.reduce((total, one) => total + one.ssim * one.frames, 0);
  return frames === 0 ? null : { ssim: sum / frames, frames };
}
