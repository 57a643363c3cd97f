import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import express from 'express';
import { pino } from 'pino';
import { Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';

import { HttpMetrics } from '../../../src/api/http/metrics.js';
import { requestContext, RequestLines } from '../../../src/api/http/requestContext.js';
import { WAIT_MS } from '../../support/deadlines.js';

const MEASURED = [
  ['GET', '/v1/video', 200, [0, 1.9, 2, 2.1, 49, 9_999, 10_000, 60_000]],
  ['GET', '/v1/video', 401, [3]],
  ['POST', '/media/:grant "quoted"\\', 500, [700, 800]],
] as const;

describe('the durations of requests', () => {
  it('read as the library writes them', async () => {
    const metrics = new HttpMetrics();
    const registry = new Registry();
    const library = new Histogram({
      name: 'dhara_http_request_duration_seconds',
      help: 'Duration of HTTP requests by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    });
    for (const [method, route, status, durations] of MEASURED) {
      for (const durationMs of durations) {
        metrics.observe(method, route, status, durationMs);
        library.observe({ method, route, status }, durationMs / 1000);
      }
    }
    const ours = (await metrics.text())
      .split('\n')
      .filter((line) => line.includes('dhara_http_request_duration_seconds'));
    expect(ours.map(sorted)).toEqual((await registry.metrics()).trimEnd().split('\n').map(sorted));
  });
});

describe('the bytes that were sent', () => {
  it('are those that the client received, on one connection and on others', async () => {
    const metrics = new HttpMetrics();
    const app = express();
    const logger = pino({ level: 'silent' });
    app.use(requestContext(logger, new RequestLines(logger, metrics)));
    app.get('/small', (_req, res) => void res.send('a'.repeat(100)));
    app.get('/large', (_req, res) => void res.send('b'.repeat(300_000)));
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      let received = 0;
      socket.on('data', (chunk: Buffer) => (received += chunk.length));
      // Two requests at once, and a third when both were answered.
      const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
      socket.write(get('/small') + get('/large'));
      await expect.poll(() => received, { timeout: WAIT_MS }).toBeGreaterThan(300_000);
      socket.write(`GET /small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      await once(socket, 'close');
      await expect.poll(() => sentBytes(metrics), { timeout: WAIT_MS }).toBe(received);
    } finally {
      server.close();
    }
  });
});

async function sentBytes(metrics: HttpMetrics): Promise<number> {
  const text = await metrics.registry.getSingleMetricAsString('dhara_http_sent_bytes_total');
  return text
    .split('\n')
    .filter((line) => line.startsWith('dhara'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** With the labels of each line in one order. */
function sorted(line: string): string {
  return line.replace(/\{(.*)\}/, (_, labels: string) => labels.split(',').toSorted().join());
}
