import type { Container, SourceVideo } from '../../../ports/transcoder.js';
import { decodersFor } from '../sandbox/decoders.js';

/** Container → ffmpeg's demuxer. Formats that refer to other files must not be added. */
const DEMUXERS: Record<Container, string> = {
  mp4: 'mov',
  matroska: 'matroska',
  mpegts: 'mpegts',
  mpegps: 'mpeg',
  avi: 'avi',
  flv: 'flv',
  asf: 'asf',
  mxf: 'mxf',
  dv: 'dv',
  gif: 'gif',
  mp3: 'mp3',
  aac: 'aac',
  wav: 'wav',
  flac: 'flac',
  ogg: 'ogg',
};

/** 8192 × 4608: more than any camera sold. Decoders refuse larger frames. */
export const MAX_PIXELS = 37_748_736;
/** ffmpeg's own maximum. */
export const ANY_PIXELS = 2 ** 31 - 1;
/** The rate of a slow disk, for timeouts of whole-file reads. A small file that takes longer was crafted to. */
export const READ_BYTES_PER_SECOND = 20_000_000;

/**
 * The options that must stand before every `-i`, and the input itself.
 *
 * The demuxer is pinned, and the allow lists apply to whatever it might open inside. Probe and encode analyze equally
 * much of the file, so that they number its streams alike.
 *
 * @param limits `maxPixels`: larger pictures are not decoded, not even cover art, and their size is not reported.
 *   `decoders`: no others are opened.
 */
export function inputArguments(
  container: Container,
  inputPath: string,
  {
    maxPixels = MAX_PIXELS,
    decoders = decodersFor(container),
  }: { maxPixels?: number; decoders?: readonly string[] } = {},
): string[] {
  const demuxer = DEMUXERS[container];
  return [
    ['-protocol_whitelist', 'file,pipe'],
    ['-format_whitelist', demuxer, '-codec_whitelist', decoders.join(',')],
    ['-max_streams', '1000', '-max_pixels', `${maxPixels}`],
    ['-probesize', '20M', '-analyzeduration', '20M'],
    ['-f', demuxer],
    ['-i', `file:${inputPath}`],
  ].flat();
}

/**
 * Options before an input whose picture is filtered. Recorded calls and broadcasts change their size mid-video: ffmpeg
 * would restart its filters, with another first frame and another frame count. The scalers that come first with every
 * picture accept any size. ffmpeg's own rotation reads past the end of a smaller frame, so it must stay off, whatever
 * the frames declare.
 */
export function steadyFilters(video: SourceVideo): string[] {
  return isSteady(video) ? ['-reinit_filter:v', '0', '-noautorotate'] : [];
}

/** Whether filters receive all sizes of a video without a restart. */
export function isSteady({ hasMatrix = true }: SourceVideo): boolean {
  return !hasMatrix;
}
