import type { Container, SourceVideo } from '../../../ports/transcoder.js';
import { VIDEO_DECODERS } from '../sandbox/decoders.js';

/** Container → ffmpeg's demuxer. Nothing that refers to other files has a place here. */
const DEMUXERS: Record<Container, string> = {
  mp4: 'mov',
  matroska: 'matroska',
  mpegts: 'mpegts',
  avi: 'avi',
  mp3: 'mp3',
  aac: 'aac',
  wav: 'wav',
  flac: 'flac',
  ogg: 'ogg',
};

/** 8192 × 4608: more than any camera sold; a decoder refuses frames above it. */
export const MAX_PIXELS = 37_748_736;
/** As far as ffmpeg goes by itself. */
export const ANY_PIXELS = 2 ** 31 - 1;
/** Where all of a file is read: what a slow disk gives. A small file that takes longer was made to. */
export const READ_BYTES_PER_SECOND = 20_000_000;

/**
 * The options that must stand before every `-i`, and the input itself.
 *
 * The demuxer is pinned, and the white lists hold for whatever it might open inside. Both probe and
 * encode look equally far into the file, so that they number its streams alike.
 *
 * @param limits `maxPixels`: no picture that is larger is decoded, be it a cover that nobody asked for; nor is its size
 * told. `decoders`: no other is opened.
 */
export function inputArguments(
  container: Container,
  inputPath: string,
  { maxPixels = MAX_PIXELS, decoders = VIDEO_DECODERS }: { maxPixels?: number; decoders?: readonly string[] } = {},
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
 * What stands before an input whose picture goes through filters. Calls and broadcasts change their size in the middle of
 * a video: ffmpeg would begin its filters anew, with another first frame and another count of them. The scalers that come
 * first with every picture take any size as it comes. What ffmpeg itself turns a picture with reads past the end of a
 * smaller one: it must not come in, whatever is said between the frames.
 */
export function steadyFilters(video: SourceVideo): string[] {
  return isSteady(video) ? ['-reinit_filter:v', '0', '-noautorotate'] : [];
}

/** Whether filters get whatever sizes a video has, one after the other. */
export function isSteady({ hasMatrix = true }: SourceVideo): boolean {
  return !hasMatrix;
}
