import type { SourceProbe } from './sourceProbe.js';

/*
 * How the time of a source becomes the time of its renditions. Whole encodes, chunks and plans must agree on it.
 */

/** More than the lead-in of any audio encoder. */
const MAX_LEAD_IN_MS = 50;

/**
 * Where in the source the renditions begin. Audio encoders put some 20 ms of silence before their sound, and where the
 * container cannot hide it (Matroska, MPEG-TS), the picture starts that much later. If time began with that silence, the
 * first frame would be shown twice, and each video would be a frame longer than its picture.
 */
export function leadInMs({ video }: Pick<SourceProbe, 'video'>): number {
  return video !== null && video.startsAfterMs <= MAX_LEAD_IN_MS ? video.startsAfterMs : 0;
}

/** How long the renditions are. */
export function shownMs(probe: Pick<SourceProbe, 'video' | 'durationMs'>): number {
  return Math.max(1, probe.durationMs - leadInMs(probe));
}

/** The length of segments, unless the source's keyframes decide. */
export const SEGMENT_SECONDS = 4;
/** A last segment that would be shorter is joined to the one before: players request it for next to nothing. */
export const LEAST_LAST_SECONDS = 0.5;
/** A picture may last this much longer than its container says. */
const OVERRUN_MS = 100;

/** How many segments of `SEGMENT_SECONDS` a video has. */
export function regularSegments(shownMs: number): number {
  return Math.max(1, Math.floor(shownMs / 1_000 / SEGMENT_SECONDS + 1 - LEAST_LAST_SECONDS / SEGMENT_SECONDS));
}

/** Whether a video ends so soon after a multiple of `SEGMENT_SECONDS` that no segment begins there. */
export function endIsJoined(shownMs: number): boolean {
  return regularSegments(shownMs) * SEGMENT_SECONDS * 1_000 <= shownMs + OVERRUN_MS;
}
