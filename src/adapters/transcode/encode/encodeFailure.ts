import { EncodeFailedError, type Container, type Rendition, type SourceProbe } from '../../../ports/transcoder.js';
import type { ChildResult } from '../sandbox/childProcess.js';
import { refusedDecoders, refusedDecodersMessage } from '../sandbox/decoders.js';
import { OVERRUN_SECONDS } from './outputFormat.js';
import { mayBeTheDisk, systemFailure } from '../sandbox/systemFailure.js';

/** SIGXCPU and SIGXFSZ, which the kernel sends when a limit is reached. */
const LIMIT_EXIT_CODES = new Set([128 + 24, 128 + 25]);
/** How much a container's announced length may differ from its packets. */
const MISSING_SHARE = 0.05;
const MISSING_MS = 1_000;
/** One frame of a slow video. */
const CUT_SLACK_MS = 200;
/** Containers that announce no length. */
const CLOCKED: ReadonlySet<Container> = new Set(['mpegts', 'mpegps', 'ogg']);

/** Whether a clock that may jump gives the length of a source. */
export function isClocked({ container }: Pick<SourceProbe, 'container'>): boolean {
  return CLOCKED.has(container);
}

/**
 * Interprets a failed run. ffmpeg has a single exit code, so its messages decide between a full disk, missing memory
 * and a bad source. An unknown message blames nobody.
 */
export function encodeFailure(result: ChildResult): Error {
  const ours = systemFailure(result);
  if (ours) return ours;
  const { exitCode, killedFor, stderrTail } = result;
  const inDoubt = mayBeTheDisk(result);
  if (killedFor === 'disk' || /No space left on device/.test(stderrTail)) {
    return new EncodeFailedError(
      'OUT_OF_DISK',
      'There was not enough disk space to process this video. Try again later.',
      stderrTail,
    );
  }
  if (killedFor !== null || LIMIT_EXIT_CODES.has(exitCode)) {
    return new EncodeFailedError(
      'LIMIT_EXCEEDED',
      'Processing this video took more time or memory than one video may take.',
      `${killedFor ?? `exit code ${exitCode}`}\n${stderrTail}`,
      killedFor === 'stall',
    );
  }
  if (/Cannot allocate memory|malloc of size/.test(stderrTail)) {
    return new EncodeFailedError(
      'LIMIT_EXCEEDED',
      'Processing this video took more memory than one video may take.',
      stderrTail,
    );
  }
  const refused = refusedDecoders(stderrTail);
  if (refused.length > 0) {
    return new EncodeFailedError('SOURCE_DAMAGED', refusedDecodersMessage(refused), stderrTail);
  }
  if (/Invalid data found|Error while decoding|moov atom not found|corrupt/i.test(stderrTail)) {
    return damaged(stderrTail, inDoubt);
  }
  return new EncodeFailedError(
    'ENCODER_FAILED',
    'The video could not be processed. Try again, or upload it in another format.',
    `exit code ${exitCode}\n${stderrTail}`,
    inDoubt,
  );
}

/**
 * ffmpeg stops silently if a file ends early. Delivering less than was paid for is a failure.
 * @throws EncodeFailedError
 */
export function refuseShortOutput({ wantedMs, gotMs }: { wantedMs: number; gotMs: number }, stderrTail: string): void {
  if (gotMs < wantedMs - Math.max(MISSING_MS, wantedMs * MISSING_SHARE)) {
    throw new EncodeFailedError(
      'SOURCE_DAMAGED',
      `The file ends early: only ${inSeconds(gotMs)} of its ${inSeconds(wantedMs)} seconds could be read. Upload it again.`,
      stderrTail,
      mayBeTheDisk({ killedFor: null, stderrTail }),
    );
  }
}

/** The minimum output length. A picture that ends early is held, but sound alone is not padded. */
export function wantedMs({ durationMs, audio }: SourceProbe, renditions: readonly Rendition[]): number {
  const isSound = renditions.every(({ quality }) => quality === 'audio');
  return durationMs - (isSound ? (audio?.endsBeforeMs ?? 0) : 0);
}

/**
 * Output this much longer than announced was stopped by our limit: there is more, and nobody knows how much. Applies
 * only to containers whose clock gives the length; elsewhere a picture may be meant to last longer than the video.
 *
 * @throws EncodeFailedError
 */
export function refuseCutOutput(probe: SourceProbe, gotMs: number, stderrTail: string): void {
  if (isClocked(probe) && gotMs >= probe.durationMs + OVERRUN_SECONDS * 1_000 - CUT_SLACK_MS) {
    throw new EncodeFailedError(
      'SOURCE_DAMAGED',
      'The clock of the file jumps, as where recordings were joined: it continues after its end. Join them with a video editor, and upload the result.',
      stderrTail,
    );
  }
}

/** No output at all. */
export function damaged(stderrTail: string, inDoubt = false): EncodeFailedError {
  return new EncodeFailedError(
    'SOURCE_DAMAGED',
    'The file is damaged: its picture or sound could not be decoded. Upload it again.',
    stderrTail,
    inDoubt,
  );
}

function inSeconds(durationMs: number): string {
  return (durationMs / 1_000).toFixed(1);
}
