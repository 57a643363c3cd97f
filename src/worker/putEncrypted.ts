import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';

import { encryptedSize, segmentCipher, type SegmentSeal } from '../domain/media/keys/segmentCipher.js';
import type { ObjectStore } from '../ports/objectStore.js';
import { digestTap } from './renditionDigest.js';

/** The result: sizes in bytes, and the SHA-256 of what is stored, in hex. */
export interface StoredSegment {
  readonly clearBytes: number;
  readonly encryptedBytes: number;
  readonly digest: string;
}

/** Encrypts a clear segment from the local disk and stores it. Keeps the clear file. */
export async function putEncrypted(
  store: ObjectStore,
  key: string,
  { path, seal, signal }: { path: string; seal: SegmentSeal; signal: AbortSignal },
): Promise<StoredSegment> {
  const { size: clearBytes } = await stat(path);
  const encryptedBytes = encryptedSize(clearBytes);
  const clear = createReadStream(path);
  const { tap, digest } = digestTap();
  try {
    // An error in either stream destroys the other and so reaches the store.
    const encrypted = pipeline(clear, segmentCipher(seal), tap, () => undefined);
    const stored = await store.put(key, encrypted, { signal, sizeBytes: encryptedBytes });
    if (stored.sizeBytes !== encryptedBytes) throw new Error(`${key} was stored with ${stored.sizeBytes} bytes`);
  } finally {
    clear.destroy();
  }
  return { clearBytes, encryptedBytes, digest: digest() };
}
