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
