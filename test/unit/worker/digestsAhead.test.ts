import { createHash } from 'node:crypto';
import { chmod, mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { DigestsAhead } from '../../../src/worker/digestsAhead.js';
import { WAIT_MS } from '../../support/deadlines.js';
import { mediaFolder } from '../../support/media.js';

const RENDITION = { quality: 'audio', bitrateBps: 128_000, sampleRate: 48_000, track: 1, passthrough: true } as const;
const FIRST = 'audio/seg_00000.m4s';
const SECOND = 'audio/seg_00001.m4s';
const THIRD = 'audio/seg_00002.m4s';

test('segments are read once the next one exists, and again if they change afterwards', async () => {
  await using folder = await mediaFolder();
  const write = (path: string, content: string): Promise<void> => writeFile(join(folder.path, path), content);
  await using ahead = new DigestsAhead(folder.path, [RENDITION]);
  await mkdir(join(folder.path, 'audio'));
  await write(FIRST, 'first');
  await write(SECOND, 'second');
  await expect.poll(() => ahead.count, { timeout: WAIT_MS }).toBe(1);
  await write(SECOND, 'second, whole');
  await write(THIRD, 'third');
  await expect.poll(() => ahead.count, { timeout: WAIT_MS }).toBe(2);
  await ahead.stop();

  await write(FIRST, 'FIRST');

  expect(await ahead.digest(FIRST)).toBe(sha256('FIRST'));
  expect(await ahead.digest(SECOND)).toBe(sha256('second, whole'));
  expect(await ahead.digest(THIRD)).toBe(sha256('third'));
  expect(ahead.count).toBe(2);
});

test('a file that only gets other rights, as all do when the encoder has ended, is not read again', async () => {
  await using folder = await mediaFolder();
  await mkdir(join(folder.path, 'audio'));
  const path = join(folder.path, FIRST);
  await writeFile(`${path}.new`, 'first');
  await utimes(`${path}.new`, 1, 1);
  await rename(`${path}.new`, path);
  await writeFile(join(folder.path, SECOND), 'second');
  await using ahead = new DigestsAhead(folder.path, [RENDITION]);
  await expect.poll(() => ahead.count, { timeout: WAIT_MS }).toBe(1);
  await ahead.stop();

  // Of the same size and the same moment, so that only a second reading would notice.
  await writeFile(path, 'FIRST');
  await utimes(path, 1, 1);
  await chmod(path, 0o640);

  expect(await ahead.digest(FIRST)).toBe(sha256('first'));
});

test('a file that cannot be read is left for later, and does not end the reading of others', async () => {
  await using folder = await mediaFolder();
  await mkdir(join(folder.path, FIRST), { recursive: true });
  await writeFile(join(folder.path, SECOND), 'second');
  await writeFile(join(folder.path, THIRD), 'third');
  await using ahead = new DigestsAhead(folder.path, [RENDITION]);

  await expect.poll(() => ahead.count, { timeout: WAIT_MS }).toBe(1);
  await ahead.stop();

  expect(await ahead.digest(SECOND)).toBe(sha256('second'));
  await expect(ahead.digest(FIRST)).rejects.toThrow('EISDIR');
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
