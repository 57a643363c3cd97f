import { availableParallelism } from 'node:os';

import type { SourceVideo } from '../../../ports/transcoder.js';
import { isToned } from './toneMap.js';

/** Up to here the encoders' own threads fill every core: those of the filters only get in their way, for some 3 %. */
const FEW_CORES = 2;

/** What stands before a graph of filters: of scaling, that is. Light and fields are worth more threads than one. */
export function filterThreads(video: SourceVideo, plan: { toneMaps: boolean }): string[] {
  const isHeavy = isToned(video, plan) || video.interlaced;
  return availableParallelism() <= FEW_CORES && !isHeavy ? ['-filter_complex_threads', '1'] : [];
}
