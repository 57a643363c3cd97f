import { createDecipheriv } from 'node:crypto';
import { buffer, text } from 'node:stream/consumers';

import { AppError } from '../../../errors.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { inTime } from '../../shared/drawingTurns.js';
import { AES_BYTES } from '../keys/segmentCipher.js';

/** Above the size of six seconds of any rendition. */
const MAX_SEGMENT_BYTES = 128 * 1024 ** 2;

/** Where a media playlist has the segment of a moment. */
export interface MomentPlace {
  readonly initFile: string;
  readonly file: string;
  /** From the beginning of the segment. */
  readonly seconds: number;
  /** Null if it is not encrypted. */
  readonly seal: { readonly keyIndex: number; readonly iv: Buffer } | null;
}

/** Earlier versions wrote IVs in lower case. */
const KEY_TAG = /^#EXT-X-KEY:METHOD=AES-128,URI="\.\.\/key\/(\d+)",IV=0x([0-9A-Fa-f]{32})$/;
const MAP_TAG = /^#EXT-X-MAP:URI="([^"]+)"/;

/** Finds a moment in one of our media playlists. A moment after the end gives the last segment. */
export function placeOf(playlist: string, atSeconds: number): MomentPlace | null {
  let initFile: string | null = null;
  let seal: MomentPlace['seal'] = null;
  let [start, duration] = [0, 0];
  let place: MomentPlace | null = null;
  for (const line of playlist.split('\n')) {
    initFile = MAP_TAG.exec(line)?.[1] ?? initFile;
    const [, keyIndex, iv] = KEY_TAG.exec(line) ?? [];
    if (keyIndex !== undefined && iv !== undefined) seal = { keyIndex: Number(keyIndex), iv: Buffer.from(iv, 'hex') };
    if (line.startsWith('#EXTINF:')) duration = Number.parseFloat(line.slice('#EXTINF:'.length));
    if (line === '' || line.startsWith('#') || initFile === null) continue;
    if (place !== null && start > atSeconds) break;
    place = { initFile, file: line, seconds: Math.max(0, Math.min(duration, atSeconds - start)), seal };
    start += duration;
  }
  return place;
}

/**
 * The stretch of video from which a moment can be drawn: an init segment and a media segment, decrypted.
 *
 * @param folder of a rendition, with a trailing slash
 * @param keyOf gives a key of the video's run; null if it is gone
 */
export async function videoAround(
  store: ObjectStore,
  folder: string,
  place: MomentPlace,
  keyOf: (keyIndex: number) => Promise<Buffer | null>,
): Promise<Buffer> {
  const init = await read(store, folder + place.initFile);
  const segment = await read(store, folder + place.file);
  if (place.seal === null) return Buffer.concat([init, segment]);
  const key = await keyOf(place.seal.keyIndex);
  if (key?.length !== AES_BYTES) throw gone();
  const decipher = createDecipheriv('aes-128-cbc', key, place.seal.iv);
  return Buffer.concat([init, decipher.update(segment), decipher.final()]);
}

/** @throws VIDEO_NOT_FOUND if the object is gone */
export async function readPlaylist(store: ObjectStore, key: string): Promise<string> {
  const object = await store.get(key);
  if (object === null) throw gone();
  return text(inTime(object.body));
}

async function read(store: ObjectStore, key: string): Promise<Buffer> {
  const object = await store.get(key);
  if (object === null) throw gone();
  if (object.info.sizeBytes > MAX_SEGMENT_BYTES) {
    object.body.destroy();
    throw new Error(`${key} has ${object.info.sizeBytes} bytes`);
  }
  return buffer(inTime(object.body));
}

/** Deleted or processed again since it was looked up. */
function gone(): AppError {
  return new AppError('VIDEO_NOT_FOUND', 'Video not found.');
}
