import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';

import { createHealthRouter } from '../../../src/api/http/health.js';
import { HttpMetrics } from '../../../src/api/http/metrics.js';
import { requestContext, RequestLines } from '../../../src/api/http/requestContext.js';

let server: Server | undefined;
let nowMs: number;
let checks: PromiseWithResolvers<void>[];

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A router whose checks end when the test says so, with a fixed clock. */
async function start(): Promise<() => Promise<number>> {
  nowMs = 0;
  checks = [];
  const readiness = {
    check: () => {
      const check = Promise.withResolvers<void>();
      checks.push(check);
      return check.promise;
    },
  };
  const metrics = new HttpMetrics();
  const app = express();
  const logger = pino({ level: 'silent' });
  app.use(requestContext(logger, new RequestLines(logger, metrics)));
  app.use(createHealthRouter(readiness, () => nowMs));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`;
  return async () => (await fetch(url)).status;
}

/** Resolves when `asked` requests have reached the service. */
async function arrived(asked: number): Promise<void> {
  let requests = 0;
  while (requests < asked) {
    await once(server!, 'request');
    requests += 1;
  }
}

describe('/readyz', () => {
  it('makes one check for all requests at once and for two seconds afterwards', async () => {
    const ask = await start();
    const all = arrived(50);
    const answers = Promise.all(Array.from({ length: 50 }, ask));
    await all;
    expect(checks).toHaveLength(1);
    checks[0]!.resolve();
    expect(new Set(await answers)).toEqual(new Set([200]));

    nowMs = 1999;
    expect(await ask()).toBe(200);
    expect(checks).toHaveLength(1);
    nowMs = 2000;
    const one = arrived(1);
    const next = ask();
    await one;
    expect(checks).toHaveLength(2);
    checks[1]!.resolve();
    expect(await next).toBe(200);
  });

  it('reports a failure, and its end', async () => {
    const ask = await start();
    const first = arrived(1);
    const failing = ask();
    await first;
    nowMs = 5000;
    checks[0]!.reject(new Error('the store is away'));
    expect(await failing).toBe(503);
    nowMs = 6999;
    expect(await ask()).toBe(503);
    expect(checks).toHaveLength(1);

    nowMs = 7000;
    const second = arrived(1);
    const recovered = ask();
    await second;
    checks[1]!.resolve();
    expect(await recovered).toBe(200);
  });

  it('does not wait forever for a check that hangs', async () => {
    const ask = await start();
    const first = arrived(1);
    const hanging = ask();
    await first;
    nowMs = 10_000;
    const second = arrived(1);
    const next = ask();
    await second;
    expect(checks).toHaveLength(2);
    checks[1]!.resolve();
    expect(await next).toBe(200);
    checks[0]!.reject(new Error('the database is away'));
    expect(await hanging).toBe(503);
    expect(await ask()).toBe(200);
  });
});
