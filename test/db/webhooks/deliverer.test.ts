import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { verifyWebhook } from '../../../src/client/webhooks.js';
import type { Delivery } from '../../../src/domain/accounts/webhooks/webhookRecords.js';
import { eventsOf } from '../../support/events/log.js';
import { HookServer } from '../../support/webhooks/hookServer.js';
import { attempted, succeeded, WebhooksRig } from '../../support/webhooks/webhooksRig.js';

const HOUR = 3_600;
/** What the sender of these tests waits for an answer. */
const TIMEOUT_MS = 300;

let rig: WebhooksRig;
let server: HookServer;
let accountId: string;
beforeAll(async () => {
  rig = await WebhooksRig.start({ timeoutMs: TIMEOUT_MS });
});
beforeEach(async () => {
  server = await HookServer.start();
  accountId = await rig.account();
});
afterEach(async () => {
  await rig.rest();
  await server.stop().catch(() => undefined);
});
afterAll(() => rig.stop());

const deliveries = (id: string, isDone: (all: Delivery[]) => boolean) => rig.deliveries(accountId, id, isDone);

async function disabled(id: string) {
  for (;;) {
    const endpoint = await rig.service.get(accountId, id);
    if (endpoint.disabled !== null) return endpoint;
    await delay(10);
  }
}

async function notices(): Promise<{ kind: string; data: { url: string; reason: string } }[]> {
  const { rows } = await rig.db.pool.query('select kind, data from notice where account_id = $1', [accountId]);
  return rows;
}

describe('a webhook', () => {
  it('is the event as in the log, signed by Standard Webhooks', async () => {
    const { id, secret } = await rig.endpoint(accountId, server.url);
    await rig.events(accountId);
    rig.deliver();
    await server.until(1);
    const [{ headers, body, path }] = server.received as [(typeof server.received)[0]];
    const [event] = await eventsOf(rig.db, accountId);
    expect(path).toBe('/hooks');
    expect(headers).toMatchObject({ 'webhook-id': event!.id, 'content-type': 'application/json' });
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({
      id: event!.id,
      type: 'wallet.low',
      version: 1,
      timestamp: event!.createdAt.toISOString(),
      livemode: true,
      data: { balance: '1', threshold: '2' },
    });
    expect(await verifyWebhook(body, headers, secret)).toMatchObject({ id: event!.id });
    const [delivery] = await deliveries(id, succeeded);
    expect(delivery).toMatchObject({ eventId: event!.id, attempts: 1, lastStatus: 204, nextAttemptAt: null });
  });

  it('is signed with both secrets while one is rotated', async () => {
    const { id, secret } = await rig.endpoint(accountId, server.url);
    const next = await rig.service.rotateSecret(accountId, id, 1);
    await rig.events(accountId);
    rig.deliver();
    await server.until(1);
    const [{ headers, body }] = server.received as [(typeof server.received)[0]];
    expect(headers['webhook-signature']!.toString().split(' ')).toHaveLength(2);
    for (const each of [secret, next]) new Webhook(each).verify(body, headers as Record<string, string>);
    expect(() => new Webhook(`whsec_${'a'.repeat(32)}`).verify(body, headers as Record<string, string>)).toThrow();
  });

  it('comes in the order of its events, one at a time, from however many deliverers', async () => {
    await rig.endpoint(accountId, server.url);
    let open = 0;
    let most = 0;
    server.answer = (_hook, res) => {
      most = Math.max(most, (open += 1));
      setImmediate(() => {
        open -= 1;
        res.end();
      });
    };
    await rig.events(accountId, 40);
    for (let n = 0; n < 3; n += 1) rig.deliver();
    await server.until(40);
    expect(server.ids).toEqual((await eventsOf(rig.db, accountId)).map(({ id }) => id));
    expect(most).toBe(1);
  });

  it('of a test goes to one endpoint, and into no log', async () => {
    const { id, secret } = await rig.endpoint(accountId, server.url);
    await rig.endpoint(accountId, `${server.url}/other`);
    await rig.service.test(accountId, id);
    rig.deliver();
    const [delivery] = await deliveries(id, succeeded);
    const [{ headers, body }] = server.received as [(typeof server.received)[0]];
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      id: delivery!.eventId,
      type: 'webhook.test',
      data: { endpointId: id },
    });
    expect(server.received).toHaveLength(1);
    expect(await eventsOf(rig.db, accountId)).toEqual([]);
  });
});

describe('a failed attempt', () => {
  it('is logged with the first 2 KB of the answer, and made again with the same id', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    server.answer = (_hook, res) => void res.writeHead(500).end('é'.repeat(5_000));
    await rig.events(accountId);
    rig.deliver();
    const [delivery] = await deliveries(id, attempted(1));
    expect(delivery).toMatchObject({ state: 'pending', lastStatus: 500, lastError: 'HTTP 500' });
    const wait = delivery!.nextAttemptAt!.getTime() - delivery!.createdAt.getTime();
    expect(wait).toBeGreaterThanOrEqual(5_000);
    const [attempt] = await rig.service.attempts(accountId, id, delivery!.id, { first: 10, after: null });
    expect(attempt).toMatchObject({ status: 500, error: 'HTTP 500', url: server.url, answer: 'é'.repeat(1_024) });
    server.answer = (_hook, res) => void res.end('ok');
    await rig.pass(6);
    await deliveries(id, succeeded);
    expect(new Set(server.ids).size).toBe(1);
    const attempts = await rig.service.attempts(accountId, id, delivery!.id, { first: 10, after: null });
    expect(attempts.map(({ status }) => status)).toEqual([200, 500]);
    const page = { first: 10, after: attempts[0]!.cursor };
    expect(await rig.service.attempts(accountId, id, delivery!.id, page)).toEqual([attempts[1]]);
    expect(await rig.service.get(accountId, id)).toMatchObject({ failingSince: null });
  });

  it('of a killed server is made again until it is back', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    const { port } = server;
    await server.stop();
    await rig.events(accountId, 3);
    rig.deliver();
    const [first] = await deliveries(id, attempted(1));
    expect(first!.lastError).toBe('Connection refused');
    server = await HookServer.start(port);
    await rig.pass(6);
    await deliveries(id, succeeded);
    expect(new Set(server.ids).size).toBe(3);
  });

  it('ends after the timeout where a server does not answer, and where its answer never ends', async () => {
    for (const answer of [() => undefined, (_hook: unknown, res: ServerResponse) => void res.write('a')]) {
      server.answer = answer;
      const { id } = await rig.endpoint(accountId, server.url);
      await rig.service.test(accountId, id);
      rig.deliver();
      const [delivery] = await deliveries(id, attempted(1));
      expect(delivery).toMatchObject({ lastError: 'Timed out', lastStatus: null });
      const [attempt] = await rig.service.attempts(accountId, id, delivery!.id, { first: 1, after: null });
      expect(attempt!.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 50);
      await rig.rest();
    }
  });

  it.each([
    [301, '/elsewhere'],
    [302, 'http://169.254.169.254/latest/meta-data'],
    [303, 'http://[::1]/'],
    [307, '/elsewhere'],
    [308, '/elsewhere'],
  ])('is a redirect with status %i to %s, which is not followed', async (status, to) => {
    const { id } = await rig.endpoint(accountId, server.url);
    server.answer = (_hook, res) => void res.writeHead(status, { location: new URL(to, server.url).href }).end();
    await rig.events(accountId);
    rig.deliver();
    const [delivery] = await deliveries(id, attempted(1));
    expect(delivery).toMatchObject({ lastStatus: status, lastError: `HTTP ${status}: redirects are not followed` });
    expect(server.received.map(({ path }) => path)).toEqual(['/hooks']);
  });

  it('is a change of the protocol, which nobody asked for, and stops neither the next one nor the deliverer', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    server.answer = (_hook, res) => {
      const { socket } = res;
      res.detachSocket(socket!);
      socket!.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
    };
    await rig.events(accountId, 2);
    rig.deliver();
    const [delivery] = await deliveries(id, attempted(1));
    expect(delivery).toMatchObject({ state: 'pending', lastStatus: 101, lastError: 'HTTP 101' });
    server.answer = (_hook, res) => void res.end();
    await rig.pass(6);
    await deliveries(id, succeeded);
    expect(new Set(server.ids).size).toBe(2);
  });

  it('with status 410 disables the endpoint at once, and tells its owner by email', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    server.answer = (_hook, res) => void res.writeHead(410).end();
    await rig.events(accountId, 3);
    rig.deliver();
    expect(await disabled(id)).toMatchObject({ disabled: { reason: 'gone' } });
    expect(server.received).toHaveLength(1);
    const { url } = await rig.service.get(accountId, id);
    expect(await notices()).toEqual([{ kind: 'webhook.disabled', data: { url, reason: 'gone' } }]);
    // Events that were waiting are sent once it is enabled.
    server.answer = (_hook, res) => void res.end();
    await rig.service.setEnabled(accountId, id, true);
    await rig.pass(10);
    await deliveries(id, succeeded);
    expect(new Set(server.ids).size).toBe(3);
  });

  it('is the last one after three days: ten attempts, and the endpoint is disabled with an email', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    server.answer = (_hook, res) => void res.writeHead(503).end();
    await rig.events(accountId);
    rig.deliver();
    for (let n = 1; n < 10; n += 1) {
      const [delivery] = await deliveries(id, attempted(n));
      expect(delivery!.state).toBe('pending');
      await rig.passUntil(delivery!.nextAttemptAt!);
    }
    const [delivery] = await deliveries(id, attempted(10));
    expect(delivery).toMatchObject({ state: 'failed', attempts: 10, nextAttemptAt: null });
    expect(await disabled(id)).toMatchObject({ disabled: { reason: 'failing' } });
    expect(await notices()).toMatchObject([{ kind: 'webhook.disabled', data: { reason: 'failing' } }]);
    expect(server.received).toHaveLength(10);
    expect(new Set(server.ids).size).toBe(1);
  });
});

describe('an endpoint that fails', () => {
  it('is sent one webhook at a time until one arrives, and then all of them', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    server.answer = (_hook, res) => void res.writeHead(500).end();
    await rig.events(accountId, 30);
    rig.deliver();
    for (let n = 1; n <= 4; n += 1) {
      await server.until(n);
      await deliveries(id, (all) => all.reduce((sum, { attempts }) => sum + attempts, 0) === n);
      expect(server.received).toHaveLength(n);
      await rig.pass(330);
    }
    server.answer = (_hook, res) => void res.end();
    await rig.pass(HOUR);
    await deliveries(id, succeeded);
  });

  it('does not slow the others', async () => {
    const silent = await HookServer.start();
    silent.answer = () => undefined;
    for (let n = 0; n < 5; n += 1) await rig.endpoint(accountId, silent.url);
    const { id } = await rig.endpoint(accountId, server.url);
    rig.deliver();
    await rig.events(accountId, 20);
    await deliveries(id, succeeded);
    // Each of the silent ones has been asked once, at most twice.
    expect(silent.received.length).toBeLessThanOrEqual(10);
    await silent.stop();
  });

  it('keeps no other webhook from arriving where it fails for one alone', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    await rig.events(accountId, 3);
    const [poison] = await eventsOf(rig.db, accountId);
    server.answer = (hook, res) => void res.writeHead(hook.headers['webhook-id'] === poison!.id ? 500 : 200).end();
    rig.deliver();
    await deliveries(id, attempted(1));
    await rig.pass(6);
    const all = await deliveries(id, (rows) => rows.filter(({ state }) => state === 'succeeded').length === 2);
    expect(all[0]!.state).toBe('pending');
  });
});

describe('a replay', () => {
  it('of one sends it again with the same id', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    await rig.events(accountId, 2);
    rig.deliver();
    const [first] = await deliveries(id, succeeded);
    expect(await rig.service.replay(accountId, id, first!.id)).toMatchObject({ state: 'pending', attempts: 0 });
    await server.until(3);
    expect(server.ids[2]).toBe(first!.eventId);
    await deliveries(id, succeeded);
    await expect(rig.service.replay(accountId, id, '9'.repeat(17))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of a range sends what was not delivered, or everything, in order', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    await rig.service.setEnabled(accountId, id, false);
    await rig.events(accountId, 5);
    await rig.service.setEnabled(accountId, id, true);
    await rig.events(accountId);
    rig.deliver();
    await server.until(1);
    await deliveries(id, succeeded);
    const range = { since: new Date(0), until: new Date(Date.now() + 365 * 86_400_000), includeDelivered: false };
    const ids = (await eventsOf(rig.db, accountId)).map((event) => event.id);
    expect(await rig.service.replayRange(accountId, id, range)).toBe(5);
    await server.until(6);
    expect(server.ids.slice(1)).toEqual(ids.slice(0, 5));
    await deliveries(id, succeeded);
    expect(await rig.service.replayRange(accountId, id, range)).toBe(0);
    expect(await rig.service.replayRange(accountId, id, { ...range, includeDelivered: true })).toBe(6);
    await server.until(12);
    expect(server.ids.slice(6)).toEqual(ids);
  });
});
