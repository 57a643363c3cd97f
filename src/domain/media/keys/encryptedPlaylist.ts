import type { SegmentSeal } from './segmentCipher.js';

/** Where a player finds a key, seen from a media playlist: a run's keys lie beside its renditions. */
export function keyUri(keyIndex: number): string {
  return `../key/${keyIndex}`;
}

/**
 * The media playlist of encrypted segments: a key tag before each, since each has a vector of its own. All of them come
 * after EXT-X-MAP, so that the init segment stays clear.
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
  // RFC 8216bis, 4.2: a hexadecimal sequence has capitals.
  return `#EXT-X-KEY:METHOD=AES-128,URI="${keyUri(seal.keyIndex)}",IV=0x${seal.iv.toString('hex').toUpperCase()}`;
}
