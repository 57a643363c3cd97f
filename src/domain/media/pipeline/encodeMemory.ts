import { isHdr } from '../../../ports/transcoder.js';
import type { Making } from './admission.js';
import { pixelsOf, renditionsFor } from './ladder.js';

/*
 * Peak resident memory of the one ffmpeg that makes a ladder from H.264 of its top size, `veryfast`, in MiB:
 *
 *   top rendition              480p   720p  1080p  1440p  2160p
 *   3 threads an encoder   144    316    691  1,300  2,669
 *   12 threads             180    429    992  1,904
 *
 * The figures below exceed these by a little: they were measured with thirty frames of lookahead, of which renditions now
 * have twenty, and light ones, which came later, forty. A video in HDR took 233 MiB more at 2160p.
 */
const MIB = 1024 * 1024;
/** The program itself, and its sound. */
const BASE_BYTES = 60 * MIB;
/** Frames queued between decoder and encoders. */
const DECODED_BYTES_PER_PIXEL = 65;
/** Per rendition: x264's lookahead, and a few more frames in each of its threads. */
const LOOKAHEAD_BYTES_PER_PIXEL = 127;
const BYTES_PER_PIXEL_AND_THREAD = 10.5;
/** Tone mapping: floating-point pixels at the size of the top rendition. */
const TONED_BYTES_PER_PIXEL = 30;
/** x264's default. */
const THREADS_PER_CORE = 1.5;

/** Upper estimate of the memory for encoding a video. All renditions come from one decode. */
export function estimateEncodeBytes({ quality, probe }: Making, cores: number): number {
  const decoded = probe.video === null ? 0 : probe.video.width * probe.video.height * DECODED_BYTES_PER_PIXEL;
  const bytesPerPixel = LOOKAHEAD_BYTES_PER_PIXEL + BYTES_PER_PIXEL_AND_THREAD * THREADS_PER_CORE * cores;
  const pixels = renditionsFor(quality, probe).map(pixelsOf);
  const encoded = pixels.reduce((sum, some) => sum + some, 0) * bytesPerPixel;
  const toned = probe.video !== null && isHdr(probe.video) ? Math.max(...pixels) * TONED_BYTES_PER_PIXEL : 0;
  return Math.ceil(BASE_BYTES + decoded + encoded + toned);
}
