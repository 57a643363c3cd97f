import { createCipheriv, type Cipheriv } from 'node:crypto';

/** AES-128: of keys, of blocks, and of the vector that a segment begins with. */
export const AES_BYTES = 16;

/** What one media segment is encrypted with: AES-128-CBC and PKCS#7, whole, as HLS calls `METHOD=AES-128`. */
export interface SegmentSeal {
  /** Which of the video's keys. */
  readonly keyIndex: number;
  readonly key: Buffer;
  /** 16 random bytes of the segment's own. */
  readonly iv: Buffer;
}

/** A stream that takes the clear bytes of one segment and gives the encrypted ones. */
export function segmentCipher({ key, iv }: SegmentSeal): Cipheriv {
  return createCipheriv('aes-128-cbc', key, iv);
}

/** PKCS#7 fills up to the next whole block, and adds one where there is nothing to fill. */
export function encryptedSize(clearBytes: number): number {
  return clearBytes - (clearBytes % AES_BYTES) + AES_BYTES;
}
