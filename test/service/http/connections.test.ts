import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

import express, { type Express } from 'express';
import { afterEach, describe, expect, it } from 'vitest';

import { type ConnectionTimeouts, Connections } from '../../../src/api/http/connections.js';
import { listen, type RunningServer } from '../../../src/api/http/server.js';
import { IS_FULL } from '../../support/effort.js';
import { closed, HOSTILE_HABITS, type HostileHabit, hostileSocket, hostileSockets } from './hostileSockets.js';

const QUICK: ConnectionTimeouts = { stalledMs: 200, leftoversMs: 100, sweepMs: 50 };

let service: RunningServer | undefined;
let bare: Server | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service?.stop(100);
  bare?.closeAllConnections();
  bare?.close();
  service = bare = undefined;
});

/** More than the kernel buffers for a reader that does not read. */
const LARGE = Buffer.alloc(10_000_000);

function application(): Express {
  const app = express();
  app.disable('etag');
  app.get('/', (_req, res) => void res.json({ ok: true }));
  app.get('/large', (_req, res) => void res.send(LARGE));
  app.post('/body', express.json(), (_req, res) => void res.json({ ok: true }));
  app.patch('/uploads/1', (_req, res) => void res.status(401).json({ ok: false }));
  return app;
}

/** A server with the limits only: it closes no connection for being slow. */
async function startBare(limits: { maxConnections: number; maxPerAddress: number | null }, fairness = QUICK) {
  const connections = new Connections(limits, fairness);
  bare = createServer({ requestTimeout: 0, keepAliveTimeout: 0, headersTimeout: 0 }, connections.guard(application()));
  connections.watch(bare);
  bare.listen(0, '127.0.0.1');
  await once(bare, 'listening');
  return { connections, port: (bare.address() as AddressInfo).port };
}

async function ask(port: number, localAddress = '127.0.0.1'): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).setEncoding('utf8');
  sockets.push(socket);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let answer = '';
  for await (const part of socket as AsyncIterable<string>) answer += part;
  return answer.slice(0, 12);
}

describe('one address', () => {
  it('has a limit of connections, and a new one replaces an idle one', async () => {
    const { connections, port } = await startBare({ maxConnections: 1_000, maxPerAddress: 20 });
    for (let n = 0; n < 100; n += 1) sockets.push(await hostileSocket(port, 'sends nothing'));
    await expect.poll(() => connections.size).toBeLessThanOrEqual(20);
    expect(await ask(port)).toBe('HTTP/1.1 200');
    expect(await ask(port, '127.0.0.2')).toBe('HTTP/1.1 200');
  });

  it.each(Object.keys(HOSTILE_HABITS) as HostileHabit[])(
    'is not locked out by connections of which each %s',
    async (habit) => {
      const fairness = { ...QUICK, stalledMs: 1e6, leftoversMs: 1e6 };
      const { connections, port } = await startBare({ maxConnections: 30, maxPerAddress: 20 }, fairness);
      for (let n = 0; n < 20; n += 1) sockets.push(await hostileSocket(port, habit));
      await expect.poll(async () => ask(port).catch(() => '')).toBe('HTTP/1.1 200');
      expect(connections.size).toBeLessThanOrEqual(20);
    },
  );

  it('has no limit if all come through a proxy', async () => {
    const { connections, port } = await startBare({ maxConnections: 100, maxPerAddress: null });
    for (let n = 0; n < 60; n += 1) sockets.push(await hostileSocket(port, 'sends nothing'));
    await expect.poll(() => connections.size).toBe(60);
  });

  it('keeps a request that waits for its response, even if others need its place', async () => {
    const answered = Promise.withResolvers<void>();
    const connections = new Connections({ maxConnections: 100, maxPerAddress: 5 }, QUICK);
    bare = createServer(connections.guard((_req, res) => void answered.promise.then(() => res.end('done'))));
    connections.watch(bare);
    bare.listen(0, '127.0.0.1');
    await once(bare, 'listening');
    const { port } = bare.address() as AddressInfo;
    const patient = connect(port, '127.0.0.1').setEncoding('utf8');
    sockets.push(patient);
    const asked = once(bare, 'request');
    patient.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await asked;
    for (let n = 0; n < 50; n += 1) sockets.push(await hostileSocket(port, 'sends nothing'));
    await expect.poll(() => connections.size).toBeLessThanOrEqual(5);
    answered.resolve();
    expect(String(await once(patient, 'data'))).toContain('200 OK');
  });
});

describe('all addresses', () => {
  it('share a limit of connections, and idle ones are closed for new ones', async () => {
    const { connections, port } = await startBare({ maxConnections: 50, maxPerAddress: 20 });
    sockets.push(...(await hostileSockets(port, 200, 10)));
    await expect.poll(() => connections.size).toBeLessThanOrEqual(50);
    for (let n = 0; n < 5; n += 1) {
      const answer = expect.poll(async () => ask(port, `127.0.0.${2 + n}`).catch(() => ''));
      await answer.toBe('HTTP/1.1 200');
    }
  });
});

describe('a connection', () => {
  it.each(['never finishes a body that the service does not read', 'reads no response'] as const)(
    'is closed if it %s',
    async (habit) => {
      const { connections, port } = await startBare({ maxConnections: 50, maxPerAddress: 20 });
      const accepted = once(bare!, 'connection');
      sockets.push(await hostileSocket(port, habit));
      await accepted;
      await expect.poll(() => connections.size).toBe(0);
    },
  );

  it.each([
    ['a proxy stays open longer than proxies keep idle connections', null, 65],
    ['a caller is closed within a minute of its last request', 20, 50],
  ])('of %s', async (_what, maxPerAddress, seconds) => {
    service = await listen(application(), '127.0.0.1', 0, { connections: { maxConnections: 50, maxPerAddress } });
    const { headers } = await fetch(`http://127.0.0.1:${service.port}/`);
    expect(headers.get('keep-alive')).toBe(`timeout=${seconds}`);
  });

  it('may read a large response slowly', async () => {
    const { port } = await startBare({ maxConnections: 50, maxPerAddress: 20 });
    const reader = await hostileSocket(port, 'reads no response');
    sockets.push(reader);
    let bytes = 0;
    reader.on('data', (part: Buffer) => {
      bytes += part.length;
      reader.pause();
      setImmediate(() => reader.resume());
    });
    reader.resume();
    await expect.poll(() => bytes).toBeGreaterThan(LARGE.length);
  });

  it('is closed if it sends more than a hundred requests ahead', async () => {
    const { connections, port } = await startBare({ maxConnections: 50, maxPerAddress: 20 });
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket.on('error', () => undefined).resume());
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
    await closed(socket);
    expect(connections.size).toBe(0);
  });
});

describe('a service with many hostile connections', () => {
  const count = IS_FULL ? 5_000 : 300;

  it(`responds to others while ${count} are open${IS_FULL ? ', and closes them in time' : ''}`, async () => {
    service = await listen(application(), '127.0.0.1', 0);
    sockets.push(...(await hostileSockets(service.port, count, 20)));
    await expect.poll(() => service!.openConnections).toBeGreaterThan(count / 2);
    for (let n = 0; n < 20; n += 1) expect(await ask(service.port, `127.0.0.${2 + n}`)).toBe('HTTP/1.1 200');
    // Connections that sent one request and are idle are closed last, after 65 seconds.
    if (IS_FULL) await expect.poll(() => service!.openConnections, { interval: 500 }).toBe(0);
  });
});
