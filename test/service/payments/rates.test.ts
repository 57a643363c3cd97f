import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { AddressRates } from '../../../src/adapters/payments/rates/addressRates.js';
import { NoRates } from '../../../src/adapters/payments/rates/fixedRates.js';
import { parseRate } from '../../../src/adapters/payments/rates/rate.js';

describe('an exchange rate', () => {
  it.each([
    ['85.1234', 851_234n],
    ['85', 850_000n],
    ['0.0001', 1n],
    ['1000', 10_000_000n],
    // Never rounded up, so that nobody is credited too much.
    ['85.12349', 851_234n],
  ])('of %s is %s micro-credits per cent', (text, microsPerCent) => {
    expect(parseRate(text, '2026-01-31')).toEqual({ microsPerCent, asOf: new Date('2026-01-31T00:00:00Z') });
  });

  it.each(['0', '0.00001', '-85', '1000.0001', '1e2', '85,12', '', ' 85', 'NaN', 'Infinity', '0x10'])(
    'of %j is refused',
    (text) => {
      expect(() => parseRate(text, '2026-01-31')).toThrow();
    },
  );

  it.each(['', 'yesterday', '2026-02-30', '31.01.2026', '2999-01-01'])('with the date %j is refused', (asOf) => {
    expect(() => parseRate('85', asOf)).toThrow();
  });
});

describe('an exchange rate from an address', () => {
  let server: Server;
  let url = '';
  let asked = 0;
  let answer: { status: number; body: string } = { status: 200, body: '' };
  let lines: string[] = [];

  beforeEach(async () => {
    asked = 0;
    lines = [];
    server = createServer((_req, res) => {
      asked += 1;
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rate?key=hidden`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const rates = (more: { cacheMs?: number; retryMs?: number; timeoutMs?: number } = {}) =>
    new AddressRates({ url, logger: pino({}, { write: (line: string) => void lines.push(line) }), ...more });

  it('is fetched once for many concurrent callers', async () => {
    answer = { status: 200, body: '{"rate": 85.1234, "asOf": "2026-01-31T10:00:00Z"}' };
    const source = rates();
    const all = await Promise.all(Array.from({ length: 20 }, () => source.usdToInr()));
    await source.usdToInr();
    expect(all[19]).toEqual({ microsPerCent: 851_234n, asOf: new Date('2026-01-31T10:00:00Z') });
    expect(asked).toBe(1);
  });

  it('is kept with its date while the source is away', async () => {
    answer = { status: 200, body: '{"rate": "85.1", "asOf": "2026-01-31"}' };
    const source = rates({ cacheMs: 0, retryMs: 0 });
    const first = await source.usdToInr();
    answer = { status: 500, body: 'oh' };
    expect(await source.usdToInr()).toEqual(first);
    expect(asked).toBe(2);
    expect(lines.join('')).toContain('status 500');
    expect(lines.join('')).not.toContain('hidden');
  });

  it.each([
    ['a server error', 500, '{}'],
    ['empty', 200, ''],
    ['of another shape', 200, '{"INR": 85}'],
    ['a rate of zero', 200, '{"rate": 0, "asOf": "2026-01-31"}'],
    ['too long', 200, `{"rate": 85, "asOf": "2026-01-31", "more": "${'x'.repeat(100_000)}"}`],
  ])('is unavailable if the response is %s', async (_, status, body) => {
    answer = { status, body };
    await expect(rates().usdToInr()).rejects.toMatchObject({ code: 'RATE_UNAVAILABLE' });
  });

  it('is waited for up to the limit', async () => {
    server.removeAllListeners('request');
    await expect(rates({ timeoutMs: 50 }).usdToInr()).rejects.toMatchObject({ code: 'RATE_UNAVAILABLE' });
    server.closeAllConnections();
  });

  it('is unavailable if none is configured', async () => {
    await expect(new NoRates().usdToInr()).rejects.toMatchObject({ code: 'RATE_UNAVAILABLE' });
  });
});
