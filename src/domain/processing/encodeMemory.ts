import type { Rung } from '../../ports/transcoder.js';
import type { Making } from './admission.js';
import { rungsFor } from './ladder.js';

/*
 * Peak resident memory of the one ffmpeg that makes a ladder from H.264 of its top size, `veryfast`, in MiB:
 *
 *   top rung              480p   720p  1080p  1440p  2160p
 *   3 threads an encoder   111    218    450    836  1,664
 *   12 threads             147    329    753   1,432
 *
 * which the figures below follow, and exceed by a little. No machine runs short by the difference.
 */
const MIB = 1024 * 1024;
/** The program itself, and sound. */
const BASE_BYTES = 60 * MIB;
/** Frames that wait between decoder and encoders. */
const DECODED_BYTES_PER_PIXEL = 65;
/** Of each rung: x264 looks some forty frames ahead, and each of its threads has a few at hand. */
const LOOKAHEAD_BYTES_PER_PIXEL = 105;
const BYTES_PER_PIXEL_AND_THREAD = 6;
/** x264's own choice. */
const THREADS_PER_CORE = 1.5;

/** What making a film takes of memory, or a little more: all rungs come out of one decode. */
export function estimateEncodeBytes({ quality, probe }: Making, cores: number): number {
  const decoded = probe.video === null ? 0 : probe.video.width * probe.video.height * DECODED_BYTES_PER_PIXEL;
  const bytesPerPixel = LOOKAHEAD_BYTES_PER_PIXEL + BYTES_PER_PIXEL_AND_THREAD * THREADS_PER_CORE * cores;
  const encoded = rungsFor(quality, probe).map((rung) => pixelsOf(rung) * bytesPerPixel);
  return Math.ceil(BASE_BYTES + encoded.reduce((sum, bytes) => sum + bytes, decoded));
}

function pixelsOf(rung: Rung): number {
  return rung.quality === 'audio' ? 0 : rung.width * rung.height;
}
