import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { EncodedRendition } from '../ports/transcoder.js';

/** Of each stored file, by its path in the ladder: SHA-256 in hexadecimal digits. */
export type Digests = Map<string, string>;

/**
 * One digest for all that is stored of a rendition but its playlist. Whoever has the files makes the same of them with
 * `sha256sum init.mp4 seg_*.m4s | sha256sum`.
 *
 * @returns undefined where a file's is missing
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
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Passes bytes on, and tells their digest once all have passed. */
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
