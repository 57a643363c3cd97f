import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const INNER = 0x36;
const OUTER = 0x5c;
const MAX_CACHED_KEYS = 16;

/**
 * HMAC-SHA-256 (RFC 2104) over one-shot hashes.
 *
 * On hot paths `createHmac` costs more than the rest of a signature, because it creates a stream and a key object for
 * every call. There are few keys, so we cache their padded blocks.
 *
 * @param key at most 64 bytes; all of ours have 32
 */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Buffer {
  const { inner, outer } = blocksOf(key);
  return hash('sha256', Buffer.concat([outer, hash('sha256', Buffer.concat([inner, message]), 'buffer')]), 'buffer');
}

interface Blocks {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const known = new Map<Uint8Array, Blocks>();

function blocksOf(key: Uint8Array): Blocks {
  const cached = known.get(key);
  if (cached) return cached;
  if (key.length > BLOCK_BYTES) throw new TypeError('A key of this HMAC has at most 64 bytes.');
  const blocks = { inner: padded(key, INNER), outer: padded(key, OUTER) };
  if (known.size < MAX_CACHED_KEYS) known.set(key, blocks);
  return blocks;
}

function padded(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad);
  for (const [index, byte] of key.entries()) block.writeUInt8(byte ^ pad, index);
  return block;
}
