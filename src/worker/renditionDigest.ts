import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { Transform } from 'node:stream';

import type { EncodedRendition } from '../ports/transcoder.js';

const PIECE_BYTES = 512 * 1024;

/** SHA-256 of each stored file, in hex, by its path in the ladder. */
export type Digests = Map<string, string>;

/**
 * One digest over all stored files of a rendition except its playlist. Anyone who has the files can compute it with
 * `sha256sum init.mp4 seg_*.m4s | sha256sum`.
 *
 * @returns undefined if the digest of a file is missing
 */
export function renditionDigest({ initPath, segmentPaths }: EncodedRendition, digests: Digests): string | undefined {
  const whole = createHash('sha256');
  for (const path of [initPath, ...segmentPaths]) {
    const digest = digests.get(path);
    if (digest === undefined) return undefined;
    whole.update(`${digest}  ${basename(path)}\n`);
  }
  return whole.digest('hex');
}

export async function digestOfFile(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    return await digestOfOpenFile(file);
  } finally {
    await file.close();
  }
}

/** In large pieces: with those of a stream, reading a segment takes twice the time. */
export async function digestOfOpenFile(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, PIECE_BYTES);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytesRead));
  }
}

/** Passes bytes through and returns their digest after the last one. */
export function digestTap(): { tap: Transform; digest: () => string } {
  const hash = createHash('sha256');
  const tap = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { tap, digest: () => hash.digest('hex') };
}
