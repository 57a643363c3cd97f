import type { ChildRequest, ChildResult } from '../sandbox/childProcess.js';

/** Runs ffprobe in the sandbox; the arguments are made with the path as it is seen inside. */
export type RunTool = (
  toArguments: (inside: { inputPath: string }) => string[],
  run: Pick<ChildRequest, 'onStdout' | 'timeoutSeconds' | 'maxStdoutChars'>,
) => Promise<ChildResult>;
