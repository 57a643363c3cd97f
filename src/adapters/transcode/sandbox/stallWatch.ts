import type { SourceProbe } from '../../../ports/transcoder.js';

/** No output for this long is a hang; x264 itself looks ahead only a second or two. */
const STALL_SECONDS = 180;
/** Even on the slowest machine, reading a video takes no longer than this multiple of its length. */
const SLOWEST = 10;

/**
 * Counts the seconds without output; called once per second.
 *
 * @param startSeconds where in the video the last output begins; ffmpeg reports nothing before
 */
export function stallWatch(writtenSeconds: () => number, startSeconds = 0): () => string | null {
  let last = -1;
  let idleSeconds = 0;
  return () => {
    const now = writtenSeconds();
    idleSeconds = now > last ? 0 : idleSeconds + 1;
    last = now;
    return idleSeconds >= STALL_SECONDS + (now === 0 ? startSeconds * SLOWEST : 0) ? 'stall' : null;
  };
}

/** Where the last track to begin starts, after the first. */
export function latestStartSeconds({ video, audios = [] }: Pick<SourceProbe, 'video' | 'audios'>): number {
  return Math.max(0, ...[video, ...audios].map((track) => track?.startsAfterMs ?? 0)) / 1_000;
}
