import type { SegmentSeal } from './segmentCipher.js';

/** The address of a key, relative to a media playlist: a run's keys are next to its renditions. */
export function keyUri(keyIndex: number): string {
  return `../key/${keyIndex}`;
}

/**
 * Writes the media playlist of encrypted segments. Each segment has a key tag, because each has its own IV. All of them
 * follow EXT-X-MAP, so the init segment stays unencrypted.
 *
 * @param playlist as the encoder wrote it
 * @param seals of its segments, in playing order
 */
export function encryptedPlaylist(playlist: string, seals: readonly SegmentSeal[]): string {
  const lines: string[] = [];
  let next = 0;
  for (const line of playlist.split('\n')) {
    if (line.startsWith('#EXTINF:')) lines.push(keyTag(seals[next]));
    else if (line !== '' && !line.startsWith('#')) next += 1;
    lines.push(line);
  }
  if (next !== seals.length) throw new Error(`${seals.length} segments were encrypted, and ${next} are listed`);
  return lines.join('\n');
}

function keyTag(seal: SegmentSeal | undefined): string {
  if (seal === undefined) throw new Error('a segment is listed that was not encrypted');
  // RFC 8216bis, 4.2: hexadecimal sequences are in upper case.
  return `#EXT-X-KEY:METHOD=AES-128,URI="${keyUri(seal.keyIndex)}",IV=0x${seal.iv.toString('hex').toUpperCase()}`;
}
