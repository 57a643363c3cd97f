import type { ByteSpan } from '../../../ports/transcoder.js';

/** One picture: a byte range of the file `name`, shown until the next one. */
export interface ListedFrame extends ByteSpan {
  readonly name: string;
  readonly durationSeconds: number;
}

/**
 * An I-frame playlist by RFC 8216bis, 4.4.3.6.
 * @param map the attributes of its `EXT-X-MAP`
 */
export function iframePlaylist(frames: readonly ListedFrame[], map: string, targetSeconds: number): string {
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${targetSeconds}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-I-FRAMES-ONLY',
    `#EXT-X-MAP:${map}`,
    ...frames.flatMap(({ name, durationSeconds, offset, sizeBytes }) => [
      `#EXTINF:${durationSeconds.toFixed(6)},`,
      `#EXT-X-BYTERANGE:${sizeBytes}@${offset}`,
      name,
    ]),
    '#EXT-X-ENDLIST',
    '',
  ].join('\n');
}
