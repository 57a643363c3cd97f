import { availableParallelism } from 'node:os';

/** Up to here the encoders' own threads fill every core: those of the filters only get in their way, for some 3 %. */
const FEW_CORES = 2;

/** What stands before a graph of filters. */
export const FILTER_THREADS: readonly string[] =
  availableParallelism() <= FEW_CORES ? ['-filter_complex_threads', '1'] : [];
