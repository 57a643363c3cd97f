import { TranscoderKilledError, TranscoderUnavailableError } from '../../../ports/transcoder.js';
import type { ChildResult } from './childProcess.js';
import { sandboxComplained } from './sandbox.js';

/** SIGKILL, as a shell says it. Our own limits end a program before the kernel's would. */
const KILLED = 128 + 9;
/** It could not be executed, or its libraries were not found. */
const NOT_STARTED = new Set([126, 127]);
/** Of the disk; a few damaged files are reported in the same words. */
const DISK_TROUBLE = /Input\/output error|Stale file handle/;

/** What the machine did to a program, whatever the video: it ran out of memory, say. `null` where nothing shows that. */
export function systemFailure({ exitCode, killedFor, stderrTail }: ChildResult): Error | null {
  if (sandboxComplained(stderrTail)) {
    return new TranscoderUnavailableError(`The sandbox did not start: ${stderrTail.trim()}`);
  }
  if (killedFor !== null) return null;
  if (exitCode === KILLED) return new TranscoderKilledError('The system killed it, for memory perhaps.');
  if (NOT_STARTED.has(exitCode)) return new TranscoderUnavailableError(`It did not start: ${stderrTail.trim()}`);
  return null;
}

/** Whether a disk that hangs or breaks would look the same as a video that cannot be read. */
export function mayBeTheDisk({ killedFor, stderrTail }: Pick<ChildResult, 'killedFor' | 'stderrTail'>): boolean {
  return killedFor === 'timeout' || killedFor === 'stall' || DISK_TROUBLE.test(stderrTail);
}
