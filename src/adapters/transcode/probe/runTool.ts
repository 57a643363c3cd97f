import type { ChildRequest, ChildResult } from '../sandbox/childProcess.js';

/** Runs ffprobe in the sandbox. The arguments are built with the path as seen inside. */
export type RunTool = (
  toArguments: (inside: { inputPath: string }) => string[],
  run: Pick<ChildRequest, 'onStdout' | 'timeoutSeconds' | 'maxStdoutChars'>,
) => Promise<ChildResult>;
