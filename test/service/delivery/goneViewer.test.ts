import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import express from 'express';
import { expect, test } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { ObjectCache } from '../../../src/api/delivery/objectCache.js';
import { sendObject } from '../../../src/api/delivery/sendObject.js';
import { Connections } from '../../../src/api/http/connections.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import { mediaFolder } from '../../support/media.js';

test.each([{}, { range: 'bytes=0-' }, { 'accept-encoding': 'gzip' }])(
  'a viewer who leaves before the first byte leaves no file open (%o)',
  async (headers) => {
    await using folder = await mediaFolder();
    const store = await DiskObjectStore.open({ dir: folder.path });
    await store.put('video', Readable.from([Buffer.alloc(1_000_000)]));
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
      await sendObject(req, res, new ObjectCache(slow, 0), 'video', as).then(answered.resolve, answered.reject);
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

test('a stalled viewer is disconnected, which closes the file, and can resume by range', async () => {
  await using folder = await mediaFolder();
  const store = await DiskObjectStore.open({ dir: folder.path });
  // More than the kernel buffers for a reader that does not read.
  const video = randomBytes(20_000_000);
  await store.put('video', Readable.from([video]));
  const as = { contentType: 'video/mp4', cacheControl: 'no-store' } as const;
  const app = express();
  app.get('/', (req, res) => sendObject(req, res, new ObjectCache(store, 0), 'video', as));
  const fairness = { stalledMs: 200, leftoversMs: 100, sweepMs: 50 };
  const connections = new Connections({ maxConnections: 10, maxPerAddress: null }, fairness);
  const server = createServer(connections.guard(app)).listen(0, '127.0.0.1');
  connections.watch(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const [answer] = (await once(get({ port, agent: false }), 'response')) as [IncomingMessage];
  const taken: Buffer[] = [];
  await new Promise<void>((resolve) => {
    answer.on('data', (part: Buffer) => {
      taken.push(part);
      answer.pause();
      resolve();
    });
  });
  answer.on('error', () => undefined);
  await expect.poll(() => openFilesOf(folder.path)).toEqual([]);
  expect(connections.size).toBe(0);

  const start = Buffer.concat(taken).length;
  const rest = await fetch(`http://127.0.0.1:${port}/`, { headers: { range: `bytes=${start}-` } });
  expect(rest.status).toBe(206);
  expect(Buffer.concat([...taken, Buffer.from(await rest.arrayBuffer())]).equals(video)).toBe(true);
  server.close();
  server.closeAllConnections();
});

test('a viewer who leaves before the first byte releases what is in memory', async () => {
  await using folder = await mediaFolder();
  const store = await DiskObjectStore.open({ dir: folder.path });
  await store.put('video', Readable.from([Buffer.alloc(60_000)]));
  const objects = new ObjectCache(store, 1_000_000);
  const answered = Promise.withResolvers<void>();
  const app = express();
  const as = { contentType: 'video/mp4', cacheControl: 'no-store' } as const;
  app.get('/', async (req, res) => {
    const closed = once(res, 'close');
    viewer.destroy();
    await closed;
    await sendObject(req, res, objects, 'video', as).then(answered.resolve, answered.reject);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const viewer = get({ port: (server.address() as AddressInfo).port, agent: false }).on('error', () => undefined);
  await answered.promise;
  server.close();
  // An object that is still being sent would stay in the cache.
  for (let n = 0; n < 20; n += 1) {
    await store.put(`other${n}`, Readable.from([Buffer.alloc(100_000)]));
    const found = await objects.read(`other${n}`);
    if (found && 'bytes' in found) objects.release(found);
  }
  expect(objects.holdKept('video')).toBeUndefined();
});

async function openFilesOf(folder: string): Promise<string[]> {
  const open = await readdir('/proc/self/fd');
  const paths = await Promise.all(open.map((fd) => readlink(join('/proc/self/fd', fd)).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}
