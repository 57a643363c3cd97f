import { timingSafeEqual } from 'node:crypto';

import { hmacSha256 } from '../../domain/playback/hmac.js';
import type { VideoPosition } from '../../domain/media/library/videoList.js';
import { isUuid } from '../../domain/shared/ids.js';
import { invalid } from './parameters.js';
import { type ListParameters, PARAMETER_RULES } from './schemas/listParameters.js';

const MAC_BYTES = 12;

/** Cursors are opaque and signed. A cursor that was invented, changed, or made for another list is refused. */
export class Cursors {
  /** @param key `deriveKey(masterKey, 'list-cursor')`: the same in every process */
  constructor(private readonly key: Buffer) {}

  write(list: ListParameters, position: VideoPosition): string {
    const payload = Buffer.from(JSON.stringify([position.key, position.id]));
    return Buffer.concat([this.macOf(list, payload), payload]).toString('base64url');
  }

  /** @throws INVALID_PARAMETER */
  read(list: ListParameters, cursor: string): VideoPosition {
    const bytes = Buffer.from(cursor, 'base64url');
    const payload = bytes.subarray(MAC_BYTES);
    const isOurs =
      bytes.toString('base64url') === cursor &&
      bytes.length > MAC_BYTES &&
      timingSafeEqual(this.macOf(list, payload), bytes.subarray(0, MAC_BYTES));
    if (!isOurs) throw invalid('cursor', PARAMETER_RULES.cursor);
    const [key, id] = JSON.parse(payload.toString()) as [string, string];
    if (!isUuid(id)) throw invalid('cursor', PARAMETER_RULES.cursor);
    return { key, id };
  }

  /** The signature covers the order and the filters. The page size may change between pages. */
  private macOf({ sort, status, q, tag }: ListParameters, payload: Buffer): Buffer {
    const list = JSON.stringify([sort, status ?? null, q ?? null, tag ?? null]);
    return hmacSha256(this.key, Buffer.concat([Buffer.from(`${list}\n`), payload])).subarray(0, MAC_BYTES);
  }
}
