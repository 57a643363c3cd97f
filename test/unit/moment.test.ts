import { PassThrough } from 'node:stream';

import { afterEach, expect, test, vi } from 'vitest';

import { placeOf, readPlaylist } from '../../src/domain/media/posters/moment.js';
import type { ObjectStore } from '../../src/ports/objectStore.js';

afterEach(() => vi.restoreAllMocks());

test('a moment is found in every playlist that we write', () => {
  const playlist = [
    '#EXTM3U',
    '#EXT-X-MAP:URI="init.mp4"',
    `#EXT-X-KEY:METHOD=AES-128,URI="../key/0",IV=0x${'0'.repeat(31)}a`,
    '#EXTINF:4.000000,',
    'seg_00000.m4s',
    `#EXT-X-KEY:METHOD=AES-128,URI="../key/1",IV=0x${'0'.repeat(31)}B`,
    '#EXTINF:2.500000,',
    'seg_00001.m4s',
    '#EXT-X-ENDLIST',
  ].join('\n');
  expect(placeOf(playlist, 3.999)).toMatchObject({
    file: 'seg_00000.m4s',
    seconds: 3.999,
    seal: { keyIndex: 0, iv: Buffer.alloc(16).fill(10, 15) },
  });
  expect(placeOf(playlist, 4)).toMatchObject({
    file: 'seg_00001.m4s',
    seconds: 0,
    seal: { keyIndex: 1, iv: Buffer.alloc(16).fill(11, 15) },
  });
  expect(placeOf(playlist, 99)).toMatchObject({ file: 'seg_00001.m4s', seconds: 2.5, initFile: 'init.mp4' });
  expect(placeOf('#EXTM3U\n', 1)).toBeNull();
});

test('reading from a store that stalls times out', async () => {
  const late = new AbortController();
  const within = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  const body = new PassThrough();
  const opened = Promise.withResolvers<void>();
  const store = {
    get: () => {
      opened.resolve();
      return Promise.resolve({ info: { sizeBytes: 10 }, body });
    },
  } as unknown as ObjectStore;
  const read = readPlaylist(store, 'k');
  await opened.promise;
  late.abort();
  await expect(read).rejects.toMatchObject({ name: 'AbortError' });
  expect(body.destroyed).toBe(true);
  expect(within).toHaveBeenCalledWith(30_000);
});
