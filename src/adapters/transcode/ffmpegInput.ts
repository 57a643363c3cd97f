import type { Container } from '../../ports/transcoder.js';

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

/**
 * The options that must stand before every `-i`, and the input itself.
 *
 * The demuxer is pinned, and the white lists hold for whatever it might open inside. Both probe and
 * encode look equally far into the file, so that they number its streams alike.
 */
export function inputArguments(container: Container, inputPath: string): string[] {
  const demuxer = DEMUXERS[container];
  return [
    ['-protocol_whitelist', 'file,pipe'],
    ['-format_whitelist', demuxer],
    ['-max_streams', '1000'],
    ['-probesize', '20M', '-analyzeduration', '20M'],
    ['-f', demuxer],
    ['-i', `file:${inputPath}`],
  ].flat();
}
