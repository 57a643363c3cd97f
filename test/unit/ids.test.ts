import { randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { newId, parseVideoId, videoIdOf } from '../../src/domain/shared/ids.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The definition of base58, slow but short. */
function base58(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let digits = '';
  do {
    digits = ALPHABET[Number(rest % 58n)]! + digits;
    rest /= 58n;
  } while (rest > 0n);
  return `vid_${digits}`;
}

function uuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

describe('vid_ ids', () => {
  it('are the UUID in base58, and parse back to it', () => {
    const edges = ['0'.repeat(32), 'f'.repeat(32), `${'0'.repeat(31)}1`, `${'0'.repeat(30)}3a`, `1${'0'.repeat(31)}`];
    const random = Array.from({ length: 2000 }, (_, n) =>
      Buffer.concat([Buffer.alloc(n % 16), randomBytes(16 - (n % 16))]).toString('hex'),
    );
    for (const id of [...[...edges, ...random].map(uuid), newId()]) {
      expect(videoIdOf(id)).toBe(base58(id));
      expect(parseVideoId(videoIdOf(id))).toBe(id);
      expect(parseVideoId(id.toUpperCase())).toBe(id);
    }
  });

  it('have one spelling, and parse to null otherwise', () => {
    const id = videoIdOf(newId());
    for (const wrong of [
      '',
      'vid_',
      id.slice(4),
      `vid_1${id.slice(4)}`,
      'vid_zzzzzzzzzzzzzzzzzzzzzz',
      `${id}0`,
      `${id}\n`,
    ]) {
      expect(parseVideoId(wrong)).toBeNull();
    }
  });
});
