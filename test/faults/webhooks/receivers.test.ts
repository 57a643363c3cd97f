import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import type { Delivery } from '../../../src/domain/accounts/webhooks/webhookRecords.js';
import { IS_FULL } from '../../support/effort.js';
import { HookServer } from '../../support/webhooks/hookServer.js';
import { attempted, succeeded, WebhooksRig } from '../../support/webhooks/webhooksRig.js';

const PAGE = { first: 100, after: null, state: null };
const SLOW_MS = 30_000;
/** As the service waits. */
const TIMEOUT_MS = 15_000;

/** A server that is killed as soon as it has a webhook: before it answers, or in the middle of its answer. */
const KILLED = `
  const [port, status] = process.argv.slice(1).map(Number);
  require('node:http').createServer((req, res) => {
    const die = () => process.kill(process.pid, 'SIGKILL');
    req.resume().on('end', () => {
      if (!status) return die();
      res.writeHead(status, { 'content-length': 1000 });
      res.write('half an answer', die);
    });
  }).listen(port, '127.0.0.1', () => console.log('listening'));`;

let rig: WebhooksRig;
let accountId: string;
let child: ChildProcess | null = null;
beforeAll(async () => {
  rig = await WebhooksRig.start();
});
beforeEach(async () => {
  accountId = await rig.account();
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rig.rest();
});
afterAll(() => rig.stop());

/** A server in its own process. @param status `0` for none */
async function startKilled(status: number): Promise<{ port: number; ended: Promise<unknown> }> {
  const port = await findFreePort();
  child = spawn(process.execPath, ['-e', KILLED, String(port), String(status)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout!, 'data');
  return { port, ended };
}

const deliveries = (id: string, isDone: (all: Delivery[]) => boolean) => rig.deliveries(accountId, id, isDone);

describe('a receiver', () => {
  it('that is killed before it has a status fails the attempt, and the webhook comes again', async () => {
    const { port, ended } = await startKilled(0);
    const { id } = await rig.endpoint(accountId, `http://127.0.0.1:${port}/hooks`);
    await rig.events(accountId);
    rig.deliver();
    const [delivery] = await deliveries(id, attempted(1));
    await ended;
    expect(delivery).toMatchObject({ state: 'pending', lastStatus: null, lastError: 'Connection lost' });
    const server = await HookServer.start(port);
    await rig.pass(6);
    const [again] = await deliveries(id, succeeded);
    expect(server.ids).toEqual([again!.eventId]);
    await server.stop();
  });

  it.each([
    [200, 'succeeded', null],
    [500, 'pending', 'HTTP 500'],
  ])('that is killed in the middle of its answer has answered %i', async (status, state, lastError) => {
    const { port, ended } = await startKilled(status);
    const { id } = await rig.endpoint(accountId, `http://127.0.0.1:${port}/hooks`);
    await rig.events(accountId);
    rig.deliver();
    const [delivery] = await deliveries(id, attempted(1));
    await ended;
    expect(delivery).toMatchObject({ state, lastStatus: status, lastError });
    const [attempt] = await rig.service.attempts(accountId, id, delivery!.id, { first: 1, after: null });
    expect(attempt).toMatchObject({ status, error: lastError, answer: 'half an answer' });
  });

  it.runIf(IS_FULL)('that takes 30 s is given up after 15 s and asked again; no other endpoint waits', async () => {
    const slow = await HookServer.start();
    const quick = await HookServer.start();
    const late = Promise.withResolvers<{ isAlone: boolean }>();
    slow.answer = (_hook, res) => {
      let isAlone = false;
      res.once('close', () => {
        isAlone = true;
      });
      setTimeout(() => {
        late.resolve({ isAlone });
        res.end('late');
      }, SLOW_MS);
    };
    const { id } = await rig.endpoint(accountId, slow.url);
    await rig.events(accountId);
    rig.deliver();
    await slow.until(1);
    slow.answer = (_hook, res) => void res.end('in time');

    const otherId = await rig.account();
    const other = await rig.endpoint(otherId, quick.url);
    await rig.events(otherId, 20);
    await quick.until(20);
    expect((await rig.service.deliveries(otherId, other.id, PAGE)).every(({ lastError }) => lastError === null)).toBe(
      true,
    );
    // The slow one is still in its first attempt.
    expect(attempted(1)(await rig.service.deliveries(accountId, id, PAGE))).toBe(false);

    const [delivery] = await deliveries(id, attempted(1));
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1, lastStatus: null, lastError: 'Timed out' });
    await rig.pass(6);
    await deliveries(id, succeeded);
    expect(slow.ids).toEqual([delivery!.eventId, delivery!.eventId]);
    // The answer that comes too late reaches nobody, and changes nothing.
    expect(await late.promise).toEqual({ isAlone: true });
    const attempts = await rig.service.attempts(accountId, id, delivery!.id, { first: 10, after: null });
    expect(attempts).toMatchObject([
      { status: 200, error: null, answer: 'in time' },
      { status: null, error: 'Timed out', answer: '' },
    ]);
    expect(attempts[1]!.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 50);
    expect(attempts[1]!.durationMs).toBeLessThan(SLOW_MS);
    expect(await deliveries(id, succeeded)).toHaveLength(1);
    await Promise.all([slow.stop(), quick.stop()]);
  });
});
