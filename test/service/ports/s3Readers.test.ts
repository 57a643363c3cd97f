import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, it, vi } from 'vitest';

import { S3ObjectStore } from '../../../src/adapters/store/s3.js';

/** When the client sets its own timeout, which replaces that of the connection. */
const LIMITS_SET_AFTER_MS = 3000;

afterEach(() => vi.useRealTimers());

it('a viewer may pause for ten minutes, and no longer', async () => {
  const server = createServer((req, res) => {
    if (req.method !== 'GET') return void res.end();
    res.writeHead(200, { 'Content-Length': 1000, ETag: '"e"', 'Last-Modified': new Date(0).toUTCString() });
    res.write('the rest does not come');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const downloadDir = await mkdtemp(join(tmpdir(), 'dhara-s3-'));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const access = { endpoint, region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b', forcePathStyle: true };
  const store = await S3ObjectStore.open({ ...access, bucket: 'videos', prefix: '', downloadDir });
  try {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const body = (await store.get('segment'))!.body as IncomingMessage;
    vi.advanceTimersByTime(LIMITS_SET_AFTER_MS);

    expect(body.socket.timeout).toBe(10 * 60_000);
    const broken = once(body, 'error');
    body.socket.emit('timeout');
    expect(await broken).toMatchObject([{ name: 'TimeoutError' }]);
    expect(body.destroyed).toBe(true);
  } finally {
    store.close();
    server.closeAllConnections();
    server.close();
    await rm(downloadDir, { recursive: true });
  }
});
