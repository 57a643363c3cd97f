import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import express from 'express';
import { expect, test } from 'vitest';

import { DiskObjectStore } from '../../src/adapters/store/disk.js';
import { sendObject } from '../../src/delivery/sendObject.js';
import type { ObjectStore } from '../../src/ports/objectStore.js';
import { mediaFolder } from '../setup/media.js';

test.each([{}, { range: 'bytes=0-' }, { 'accept-encoding': 'gzip' }])(
  'a viewer who is gone before the first byte leaves no file open (%o)',
  async (headers) => {
    await using folder = await mediaFolder();
    const store = await DiskObjectStore.open({ dir: folder.path });
    await store.put('film', Readable.from([Buffer.alloc(1_000_000)]));
    const answered = Promise.withResolvers<void>();
    const app = express();
    app.get('/', async (req, res) => {
      const closed = new Promise((resolve) => res.once('close', resolve));
      const slow: ObjectStore = Object.assign(Object.create(store) as ObjectStore, {
        get: async (...asked: Parameters<ObjectStore['get']>) => {
          const found = await store.get(...asked);
          viewer.destroy();
          await closed;
          return found;
        },
      });
      const as = { contentType: 'text/plain', cacheControl: 'no-store', isText: true } as const;
      await sendObject(req, res, slow, 'film', as).then(answered.resolve, answered.reject);
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const viewer = get({ port, headers, agent: false }).on('error', () => undefined);
    await answered.promise;
    await expect.poll(() => openFilesOf(folder.path)).toEqual([]);
    server.close();
  },
);

async function openFilesOf(folder: string): Promise<string[]> {
  const open = await readdir('/proc/self/fd');
  const paths = await Promise.all(open.map((fd) => readlink(join('/proc/self/fd', fd)).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}
