import { availableParallelism } from 'node:os';

import type { SourceVideo } from '../../../ports/transcoder.js';
import { isToned } from './toneMap.js';

/** With this few cores, the encoders' threads fill every core, and filter threads cost some 3 %. */
const FEW_CORES = 2;

/** Options before the filter graph: scaling gets one thread. Tone mapping and deinterlacing need more. */
export function filterThreads(video: SourceVideo, plan: { toneMaps: boolean }): string[] {
  const isHeavy = isToned(video, plan) || video.interlaced;
  return availableParallelism() <= FEW_CORES && !isHeavy ? ['-filter_complex_threads', '1'] : [];
}
