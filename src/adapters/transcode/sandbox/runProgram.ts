import type { ChildRequest, ChildResult } from './childProcess.js';
import type { OutputCap } from './outputWatch.js';

/**
 * Runs ffmpeg or ffprobe in the sandbox, on one input and optionally one output folder, which we own again afterwards.
 */
export type RunProgram = (
  paths: { inputPath: string; outputDir: string | null },
  toArguments: (inside: { inputPath: string; outputDir: string }) => string[],
  run: Pick<
    ChildRequest,
    'onStdout' | 'maxStdoutChars' | 'timeoutSeconds' | 'watch' | 'signal' | 'keepsLine' | 'stderrTailChars'
  > & {
    /** Processor time of all cores; by default as much as fits into the time limit. */
    cpuSeconds?: number;
    maxFileBytes?: number;
    output?: OutputCap;
  },
) => Promise<ChildResult>;
