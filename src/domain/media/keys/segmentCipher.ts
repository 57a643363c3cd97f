import { createCipheriv, type Cipheriv } from 'node:crypto';

/** AES-128: the size of keys, of blocks, and of a segment's IV. */
export const AES_BYTES = 16;

/** How one media segment is encrypted: AES-128-CBC with PKCS#7, as a whole, called `METHOD=AES-128` in HLS. */
export interface SegmentSeal {
  /** The index of the key within the video. */
  readonly keyIndex: number;
  readonly key: Buffer;
  /** 16 random bytes, different for each segment. */
  readonly iv: Buffer;
}

/** A stream that encrypts one segment. */
export function segmentCipher({ key, iv }: SegmentSeal): Cipheriv {
  return createCipheriv('aes-128-cbc', key, iv);
}

/** PKCS#7 pads to the next whole block, and adds a block if the size is already whole. */
export function encryptedSize(clearBytes: number): number {
  return clearBytes - (clearBytes % AES_BYTES) + AES_BYTES;
}
