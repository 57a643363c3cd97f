import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { ScratchFolder } from '../../../src/adapters/store/scratchFolder.js';
import { until } from '../../support/worker/pipeline.js';

const FIVE_HOURS_MS = 5 * 3_600_000;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dhara-scratch-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Makes the file look untouched for five hours. */
async function age(path: string): Promise<void> {
  const then = new Date(Date.now() - FIVE_HOURS_MS);
  await utimes(path, then, then);
}

it('lends a path, and removes what was written there on success and on failure', async () => {
  const folder = await ScratchFolder.open(dir);
  const lent = folder.lend(async (path) => {
    await writeFile(path, 'some bytes');
    return 'done';
  });
  expect(await lent).toBe('done');
  const failed = folder.lend(async (path) => {
    await writeFile(path, 'some bytes');
    throw new Error('the video is bad');
  });
  await expect(failed).rejects.toThrow('the video is bad');
  expect(await readdir(dir)).toEqual([]);
});

it('protects a lent file from all processes, even if its user only reads for hours', async () => {
  const [ours, neighbours] = [await ScratchFolder.open(dir, { touchEveryMs: 20 }), await ScratchFolder.open(dir)];
  const read = ours.lend(async (path) => {
    await writeFile(path, 'a video');
    for (let hours = 5; hours <= 15; hours += 5) {
      await age(path);
      await until(async () => Date.now() - (await stat(path)).mtimeMs < FIVE_HOURS_MS / 2);
      expect(await neighbours.removeLeftovers()).toBe(0);
    }
    return readFile(path, 'utf8');
  });
  expect(await read).toBe('a video');
});

it('fails with SERVICE_UNAVAILABLE if a file was removed because its process stood still for hours', async () => {
  const [ours, neighbours] = [await ScratchFolder.open(dir), await ScratchFolder.open(dir)];
  const read = ours.lend(async (path) => {
    await writeFile(path, 'a video');
    await age(path);
    expect(await neighbours.removeLeftovers()).toBe(1);
    return readFile(path);
  });
  await expect(read).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: { code: 'ENOENT' } });
});

it('lists leftovers with the time of their last touch', async () => {
  const folder = await ScratchFolder.open(dir);
  const path = folder.newPath();
  await writeFile(path, 'x');
  await age(path);
  const { mtime } = await stat(path);
  const names = [];
  for await (const leftover of folder.leftovers()) names.push(leftover);
  expect(names).toEqual([{ name: basename(path), touchedAt: mtime }]);
  await rm(dir, { recursive: true });
  expect(await folder.removeLeftovers()).toBe(0);
});
