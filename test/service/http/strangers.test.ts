import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express, { type RequestHandler } from 'express';
import { afterEach, expect, it } from 'vitest';

import { boundIdentity, boundRefusals } from '../../../src/api/http/strangers.js';

const FEW = { capacity: 3, perSecond: 0.001, maxCallers: 100 };
let server: Server;
let handled = 0;

afterEach(() => void server.close());

async function start(bound: RequestHandler): Promise<(path: string, caller?: string) => Promise<Response>> {
  handled = 0;
  const app = express();
  app.set('trust proxy', 1);
  app.use(bound, (req, res) => {
    handled += 1;
    res.status(Number(req.path.slice(1))).end();
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return (path, caller = '203.0.113.1') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: '{}', headers: { 'x-forwarded-for': caller } });
}

it('an address whose requests were refused too often is refused at once', async () => {
  const ask = await start(boundRefusals(FEW));
  for (let n = 0; n < 10; n += 1) expect((await ask('/200')).status).toBe(200);
  for (let n = 0; n < 3; n += 1) expect((await ask('/400')).status).toBe(400);

  const refused = await ask('/200');
  expect([refused.status, refused.headers.get('connection')]).toEqual([429, 'close']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ success: false, error: { code: 'RATE_LIMIT_EXCEEDED', status: 429 } });
  expect(handled).toBe(13);
  expect((await ask('/200', '203.0.113.2')).status).toBe(200);
});

it('failures of the service do not count against the caller', async () => {
  const ask = await start(boundRefusals(FEW));
  for (let n = 0; n < 6; n += 1) expect((await ask('/503')).status).toBe(503);
});

it('identity requests are limited per address, and an IPv6 network counts as one', async () => {
  const ask = await start(boundIdentity(FEW));
  for (let n = 0; n < 3; n += 1) expect((await ask('/200', `2001:db8::${n}`)).status).toBe(200);
  const refused = await ask('/200', '2001:db8::9');
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect((await ask('/200', '2001:db8:0:1::9')).status).toBe(200);
  expect(handled).toBe(4);
});
