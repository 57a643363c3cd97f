import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { connection as Connection } from '../../../src/dashboard/session/connection.js';

let connection: typeof Connection;
let returns: number;
let isFailing: boolean;

beforeEach(async () => {
  [returns, isFailing] = [0, false];
  vi.useFakeTimers();
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('fetch', () => Promise.resolve(new Response()));
  vi.resetModules();
  ({ connection } = await import('../../../src/dashboard/session/connection.js'));
  connection.onReturn(() => {
    returns += 1;
    if (isFailing) loseAndRespond();
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** As a page does of whose two requests one fails. */
function loseAndRespond(): void {
  connection.reportLost();
  connection.reportResponse();
}

it('runs returns at once, and less and less often while each brings the next loss', async () => {
  isFailing = true;
  loseAndRespond();
  expect(returns).toBe(1);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(returns).toBe(1);
  await vi.advanceTimersByTimeAsync(10_001);
  expect(returns).toBe(3);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(returns).toBeLessThan(15);

  isFailing = false;
  await vi.advanceTimersByTimeAsync(300_000);
  const before = returns;
  loseAndRespond();
  expect(returns).toBe(before + 1);
});

it('waits while the connection is lost, and finds by itself that the service is back', async () => {
  loseAndRespond();
  loseAndRespond();
  connection.reportLost();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no way there')));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(returns).toBe(1);
  vi.stubGlobal('fetch', () => Promise.resolve(new Response()));
  await vi.advanceTimersByTimeAsync(2_500);
  expect(returns).toBe(2);
});

it('runs returns at once after an outage, however often single requests failed before', async () => {
  isFailing = true;
  loseAndRespond();
  await vi.advanceTimersByTimeAsync(120_000);
  isFailing = false;
  const before = returns;
  connection.reportLost();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no way there')));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(returns).toBe(before);
  vi.stubGlobal('fetch', () => Promise.resolve(new Response()));
  await vi.advanceTimersByTimeAsync(2_500);
  expect(returns).toBe(before + 1);
  // The return that was waiting is not run a second time.
  await vi.advanceTimersByTimeAsync(120_000);
  expect(returns).toBe(before + 1);
});

it('asks again if a request gets no response at all', async () => {
  connection.reportLost();
  vi.stubGlobal(
    'fetch',
    (_: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('gave up')))),
  );
  await vi.advanceTimersByTimeAsync(2_500);
  vi.stubGlobal('fetch', () => Promise.resolve(new Response()));
  await vi.advanceTimersByTimeAsync(12_500);
  expect(returns).toBe(1);
});
