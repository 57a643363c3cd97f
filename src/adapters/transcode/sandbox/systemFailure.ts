import { TranscoderKilledError, TranscoderUnavailableError } from '../../../ports/transcoder.js';
import type { ChildResult } from './childProcess.js';
import { sandboxComplained } from './sandbox.js';

/** SIGKILL, in shell notation. Our own limits end a program before the kernel's would. */
const KILLED = 128 + 9;
/** It could not be executed, or its libraries were not found. */
const NOT_STARTED = new Set([126, 127]);
/** Disk errors; a few damaged files cause the same messages. */
const DISK_TROUBLE = /Input\/output error|Stale file handle/;

/** A failure that the machine caused, whatever the video, such as missing memory. `null` if nothing indicates one. */
export function systemFailure({ exitCode, killedFor, stderrTail }: ChildResult): Error | null {
  if (sandboxComplained(stderrTail)) {
    return new TranscoderUnavailableError(`The sandbox did not start: ${stderrTail.trim()}`);
  }
  if (killedFor !== null) return null;
  if (exitCode === KILLED) return new TranscoderKilledError('The system killed it, for memory perhaps.');
  if (NOT_STARTED.has(exitCode)) return new TranscoderUnavailableError(`It did not start: ${stderrTail.trim()}`);
  return null;
}

/** Whether a hanging or failing disk would look the same as an unreadable video. */
export function mayBeTheDisk({ killedFor, stderrTail }: Pick<ChildResult, 'killedFor' | 'stderrTail'>): boolean {
  return killedFor === 'timeout' || killedFor === 'stall' || DISK_TROUBLE.test(stderrTail);
}
