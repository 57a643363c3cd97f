import { open, readFile, writeFile } from 'node:fs/promises';

import { boxesOf } from './boxes.js';

/**
 * Moves fragments from the end of an init segment to the first media segment. ffmpeg leaves them there if the first
 * segment has several, because it takes everything it has written by then for the init segment.
 */
export async function separateInit(initPath: string, firstSegmentPath: string): Promise<void> {
  const headBytes = await bytesBeforeMedia(initPath);
  const init = await readFile(initPath);
  if (headBytes === init.length) return;
  const segment = await readFile(firstSegmentPath);
  const typeBytes = await bytesBeforeMedia(firstSegmentPath);
  const parts = [segment.subarray(0, typeBytes), init.subarray(headBytes), segment.subarray(typeBytes)];
  await writeFile(firstSegmentPath, Buffer.concat(parts));
  await writeFile(initPath, init.subarray(0, headBytes));
}

/** Where the first fragment begins, with its index if it has one. */
async function bytesBeforeMedia(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    let end = 0;
    for await (const { type, offset, size } of boxesOf(file)) {
      if (type === 'sidx' || type === 'moof') return offset;
      end = offset + size;
    }
    return end;
  } finally {
    await file.close();
  }
}
