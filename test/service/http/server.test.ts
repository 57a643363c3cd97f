import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import express from 'express';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';

import { boundBodies } from '../../../src/api/http/bodyDeadline.js';
import { listen, type RunningServer } from '../../../src/api/http/server.js';
import { closed } from './hostileSockets.js';

let service: RunningServer | undefined;
let bare: Server | undefined;

afterEach(async () => {
  await service?.stop(100);
  bare?.closeAllConnections();
  bare?.close();
  service = bare = undefined;
});

/** Everything that the server sends for these bytes until it hangs up. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.on('error', () => undefined);
  socket.write(bytes);
  await closed(socket);
  return answer;
}

/** A connection that sends one request, and then nothing of its own. */
function asking(port: number, path: string) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  const said = { text: '' };
  socket.on('data', (text: string) => (said.text += text)).on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return { socket, said, ended: closed(socket) };
}

async function startService(): Promise<number> {
  const app = express();
  app.post('/token', (_req, res) => {
    setImmediate(() => res.json({ success: true }));
  });
  service = await listen(app, '127.0.0.1', 0, {
    malformed: { logger: pino({ level: 'silent' }), headers: () => ({ 'X-RateLimit-Limit': 0 }) },
  });
  return service.port;
}

describe('malformed requests', () => {
  it.each([
    ['headers beyond 16 kB', `POST /token HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['an address beyond 16 kB', `POST /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['an unknown method', 'SUMMON /token HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['binary noise', '\x16\x03\x01\x02\x00\r\n\r\n', 400],
    [
      'both a length and chunks',
      'POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
  ])('with %s are refused in the envelope', async (_name, bytes, status) => {
    const answer = await exchange(await startService(), bytes);

    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain('Content-Type: application/json; charset=utf-8');
    expect(head).toMatch(/X-Request-Id: [\w-]{36}/);
    expect(head).toContain('X-RateLimit-Limit: 0');
    expect(JSON.parse(body)).toEqual({
      success: false,
      error: { code: 'INVALID_PARAMETER', message: expect.any(String), status },
    });
  });

  it.each([
    ['a body that is not a chunk', 'POST /token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n'],
    ['an unknown expectation', 'POST /token HTTP/1.1\r\nHost: x\r\nExpect: much\r\nConnection: close\r\n\r\n'],
    ['a missing host', 'POST /token HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('with %s are accepted by a path that does not depend on it', async (_name, bytes) => {
    const answer = await exchange(await startService(), bytes);

    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toContain('{"success":true}');
  });
});

describe('a body that does not arrive', () => {
  const unfinished = (path: string, type = 'application/json') =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 100\r\n\r\n{`;

  async function startWaiting(lookMs: number): Promise<number> {
    const app = express();
    app.use(express.json(), (_req, res) => res.end());
    bare = createServer({ requestTimeout: 0 }, app);
    boundBodies(bare, '/uploads/', { withinMs: 10 * lookMs, lookMs, leastBytes: 50 });
    bare.listen(0, '127.0.0.1');
    await once(bare, 'listening');
    return (bare.address() as AddressInfo).port;
  }

  it('ends its connection', async () => {
    expect(await exchange(await startWaiting(100), unfinished('/graphql'))).toBe('');
  });

  it('ends its connection after the response of a path that does not need it', async () => {
    expect(await exchange(await startWaiting(100), unfinished('/token', 'text/plain'))).toMatch(/^HTTP\/1.1 200 /);
  });

  it('ends its connection if it only trickles', async () => {
    const port = await startWaiting(50);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{',
    );
    const trickle = setInterval(() => socket.write(' '), 5);
    await closed(socket);
    clearInterval(trickle);
  });

  it('may be slow as an upload', async () => {
    const port = await startWaiting(100);
    const upload = connect(port, '127.0.0.1');
    upload.write(unfinished('/uploads/1'));
    await once(upload, 'connect');

    await exchange(port, unfinished('/graphql'));
    await exchange(port, unfinished('/graphql'));
    expect(upload.readyState).toBe('open');
    upload.destroy();
  });
});

describe('a server that stops', () => {
  it('serves the next request of a busy connection, and closes it then', async () => {
    const first = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const server = await listen(
      (req, res) => {
        if (req.url === '/next') return void res.end('next');
        res.setHeader('Content-Length', 5);
        res.flushHeaders();
        begun.resolve();
        void first.promise.then(() => res.end('first'));
      },
      '127.0.0.1',
      0,
    );
    const { socket, said, ended } = asking(server.port, '/first');
    socket.on('data', () => {
      if (said.text.endsWith('first')) socket.write('GET /next HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    await begun.promise;
    // Without an end of its own: whatever ends it is not the grace.
    const stopped = server.stop(2 ** 31 - 1);
    first.resolve();
    await Promise.all([ended, stopped]);
    expect(said.text).toMatch(/Connection: keep-alive\r\n[^]*first[^]*Connection: close\r\n[^]*next/);
  });

  it.each([
    ['whose headers it had sent', true, 'keep-alive'],
    ['that it had not begun', false, 'close'],
  ])('closes a connection after a response %s', async (_when, isBegun, header) => {
    const first = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const server = await listen(
      (req, res) => {
        if (req.url === '/idle') return void res.end('idle');
        if (isBegun) res.flushHeaders();
        begun.resolve();
        void first.promise.then(() => res.end('first'));
      },
      '127.0.0.1',
      0,
    );
    const { said, ended } = asking(server.port, '/');
    await begun.promise;
    const idle = asking(server.port, '/idle');
    await once(idle.socket, 'data');
    const stopped = server.stop(2 ** 31 - 1);
    // After idle connections were closed, so that it is not closed as one of them.
    await idle.ended;
    first.resolve();
    // Its caller sends nothing more, and keeps the connection.
    await Promise.all([ended, stopped]);
    expect(said.text).toMatch(new RegExp(`Connection: ${header}\r\n[^]*first`));
  });

  it('answers a request that was on its way to it, and closes what stays idle', async () => {
    const server = await listen((req, res) => void res.end(req.url), '127.0.0.1', 0);
    const [busy, idle] = await Promise.all(
      ['/busy', '/idle'].map(async (path) => {
        const connection = asking(server.port, path);
        await expect.poll(() => connection.said.text).toContain(`\r\n\r\n${path}`);
        return connection;
      }),
    );
    // The service has not read it yet.
    busy!.socket.write('GET /underway HTTP/1.1\r\nHost: x\r\n\r\n');
    const stopped = server.stop(2 ** 31 - 1);
    await Promise.all([busy!.ended, idle!.ended, stopped]);
    expect(busy!.said.text).toMatch(/Connection: close\r\n[^]*\/underway/);
  });
});

describe('an idle connection', () => {
  it('keeps nothing of its last request in memory', async () => {
    let last: WeakRef<object>[] = [];
    const app = express();
    app.get('/large', (req, res) => {
      last = [new WeakRef(req), new WeakRef(res)];
      res.send('0123456789'.repeat(10_000));
    });
    service = await listen(app, '127.0.0.1', 0, {
      malformed: { logger: pino({ level: 'silent' }), headers: () => ({}) },
    });
    const agent = new Agent({ keepAlive: true });
    const response = await new Promise<IncomingMessage>((resolve) => {
      get({ port: service?.port, path: '/large', agent }, resolve);
    });
    response.resume();
    await once(response, 'end');

    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await expect
      .poll(() => {
        collect();
        return last.map((request) => request.deref());
      })
      .toEqual([undefined, undefined]);
    expect(service.openConnections).toBe(1);
    agent.destroy();
  });
});
