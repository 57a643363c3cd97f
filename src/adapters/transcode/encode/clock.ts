import type { Container, SourceProbe } from '../../../ports/transcoder.js';
import { leadInMs } from '../../../ports/timeline.js';

/** ffmpeg counts their time from the first of the tracks that it reads; that of others from the first of the file. */
const COUNTED_FROM_READ: ReadonlySet<Container> = new Set(['mpegts', 'mpegps', 'ogg']);

export interface Track {
  readonly startsAfterMs: number;
}

/**
 * What to add to ffmpeg's times so that they are those of the renditions, which begin after the lead-in: the same in an
 * encode of picture and sound, of either alone, and of a chunk.
 * @param read the tracks that ffmpeg reads
 */
export function shiftMs(probe: Pick<SourceProbe, 'container' | 'video'>, read: readonly Track[]): number {
  const first = COUNTED_FROM_READ.has(probe.container) ? Math.min(...read.map((track) => track.startsAfterMs)) : 0;
  return first - leadInMs(probe);
}

/** The time of a picture's frames, in milliseconds. */
export interface PictureClock {
  /** What to add to ffmpeg's times. */
  readonly shiftMs: number;
  /** When the first frame is shown. */
  readonly firstMs: number;
}

/** @param fromPicture whether time begins with the first frame, as in a passthrough, instead of with the video */
export function pictureClock(
  probe: Pick<SourceProbe, 'container'> & { readonly video: Track & NonNullable<SourceProbe['video']> },
  read: readonly Track[],
  { fromPicture }: { fromPicture: boolean },
): PictureClock {
  const firstMs = probe.video.startsAfterMs - leadInMs(probe);
  return fromPicture
    ? { shiftMs: shiftMs(probe, read) - firstMs, firstMs: 0 }
    : { shiftMs: shiftMs(probe, read), firstMs };
}

/** `setpts` or `asetpts`, if it changes anything. */
export function shiftFilter(name: 'setpts' | 'asetpts', ms: number): string[] {
  return ms === 0 ? [] : [`${name}=PTS${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1_000}/TB`];
}
