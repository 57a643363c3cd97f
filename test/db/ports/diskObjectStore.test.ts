import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { until } from '../../support/worker/pipeline.js';
import { objectStoreSuite } from '../../support/ports/objectStore.suite.js';

describe('DiskObjectStore', () => {
  objectStoreSuite(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'dhara-disk-store-'));
    const dispose = () => rm(dir, { recursive: true, force: true });
    return { store: await DiskObjectStore.open({ dir }), scratchDir: join(dir, 'incoming'), dispose };
  });
});

describe('DiskObjectStore on its disk', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dhara-disk-store-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('leaves no half-written file after a failed put', async () => {
    const store = await DiskObjectStore.open({ dir });
    const failing = new Readable({ read: () => undefined });
    const put = store.put('k', failing);
    failing.push('some bytes');
    failing.destroy(new Error('gone'));
    await expect(put).rejects.toThrow('gone');
    expect(await readdir(join(dir, 'incoming'))).toEqual([]);
  });

  it('lets no other user list its folders', async () => {
    const store = await DiskObjectStore.open({ dir: join(dir, 'store') });
    await store.put('videos/account/video/init.mp4', Readable.from(['bytes']));
    for (const folder of ['', 'incoming', 'objects', 'objects/videos', 'objects/videos/account']) {
      const { mode } = await stat(join(dir, 'store', folder));
      expect(`${folder} ${(mode & 0o066).toString(8)}`).toBe(`${folder} 0`);
    }
  });

  it('survives deletions that remove folders while it writes to them', async () => {
    const store = await DiskObjectStore.open({ dir });
    const key = 'videos/account/video/1-1/720p/seg_00000.m4s';
    const writer = async (): Promise<void> => {
      for (let round = 0; round < 200; round += 1) await store.put(key, Readable.from(['bytes']));
    };
    const written = new AbortController();
    const remover = async (): Promise<void> => {
      while (!written.signal.aborted) await store.delete(key);
    };
    const removers = [remover(), remover()];
    await Promise.all([writer(), writer()]).finally(() => written.abort());
    await Promise.all(removers);
  });

  // /dev/shm is a separate file system on every Linux, so that the kernel refuses a rename from there.
  it.runIf(existsSync('/dev/shm'))('takes a file from another file system', async () => {
    const elsewhere = await mkdtemp('/dev/shm/dhara-');
    try {
      const store = await DiskObjectStore.open({ dir });
      const path = join(elsewhere, 'video');
      await writeFile(path, 'a video');
      await store.putFile('a/video', path);
      expect(await store.head('a/video')).toMatchObject({ sizeBytes: 7 });
      expect(existsSync(path)).toBe(false);
      expect(await readdir(join(dir, 'incoming'))).toEqual([]);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it('fails a put with SERVICE_UNAVAILABLE if its file was removed as a leftover, and stores nothing', async () => {
    const [store, neighbour] = [await DiskObjectStore.open({ dir }), await DiskObjectStore.open({ dir })];
    const video = new Readable({ read: () => undefined });
    const put = store.put('a/k', video);
    video.push('half of ');
    const path = await until(async () => {
      const [name = ''] = await readdir(join(dir, 'incoming'));
      const found = join(dir, 'incoming', name);
      return (await stat(found)).size === 8 ? found : null;
    });
    const fiveHoursAgo = new Date(Date.now() - 5 * 3_600_000);
    await utimes(path, fiveHoursAgo, fiveHoursAgo);
    expect(await neighbour.removeLeftovers()).toBe(1);
    video.push('a video');
    video.push(null);
    await expect(put).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await store.head('a/k')).toBeNull();
  });

  it('removes empty folders', async () => {
    const store = await DiskObjectStore.open({ dir });
    await store.put('a/b/c', Readable.from(['x']));
    await store.delete('a/b/c');
    expect(await readdir(join(dir, 'objects'))).toEqual([]);
  });

  it('reports a full disk', async () => {
    const store = await DiskObjectStore.open({ dir, minFreeBytes: Number.MAX_SAFE_INTEGER });
    await expect(store.check()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
