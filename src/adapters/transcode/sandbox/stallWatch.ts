import type { SourceProbe } from '../../../ports/transcoder.js';

/** Nothing written for so long is a hang; x264 alone looks a second or two ahead. */
const STALL_SECONDS = 180;
/** A video takes no longer than so many times its length to be read, on the slowest machine. */
const SLOWEST = 10;

/**
 * Counts the seconds in which nothing was written; asked once a second.
 *
 * @param startSeconds ffmpeg tells nothing before its last output has begun: how far into the video that is
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

/** Where the last track of a video begins, after the first. */
export function latestStartSeconds({ video, audios = [] }: Pick<SourceProbe, 'video' | 'audios'>): number {
  return Math.max(0, ...[video, ...audios].map((track) => track?.startsAfterMs ?? 0)) / 1_000;
}
