import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { TestWalletService } from '../../../src/domain/payments/testMode/testWallet.service.js';
import { TestModeService } from '../../../src/domain/accounts/testMode/testMode.service.js';
import { WEBHOOK_FAULTS, type WebhookFault } from '../../../src/domain/accounts/testMode/testFaults.js';
import { OneAtATime } from '../../../src/domain/shared/oneAtATime.js';
import { WAIT_MS } from '../../support/deadlines.js';
import { eventsOf } from '../../support/events/log.js';
import { HookServer } from '../../support/webhooks/hookServer.js';
import { WebhooksRig } from '../../support/webhooks/webhooksRig.js';

const PAGE = { first: 100, after: null, state: null };

let rig: WebhooksRig;
let server: HookServer;
let liveId: string;
let testId: string;
beforeAll(async () => {
  rig = await WebhooksRig.start();
});
beforeEach(async () => {
  server = await HookServer.start();
  liveId = await rig.account();
  testId = await new TestModeService(rig.db).accountOf(liveId);
});
afterEach(async () => {
  await rig.rest();
  await server.stop().catch(() => undefined);
});
afterAll(() => rig.stop());

async function endpoint(accountId: string, fault: WebhookFault | null): Promise<string> {
  const input = { url: server.url, description: '', eventTypes: null };
  return (await rig.service.create(accountId, input, null, fault)).endpoint.id;
}

/** Until the deliverer has put this many deliveries off. */
async function postponed(id: string, count: number): Promise<void> {
  const putOff = async (): Promise<number> =>
    (await rig.service.deliveries(testId, id, PAGE)).filter(
      ({ createdAt, nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt > createdAt,
    ).length;
  await expect.poll(putOff, { timeout: WAIT_MS }).toBe(count);
}

/** Of the 30 seconds whose events are sent together, how many are over. */
async function secondsOfStretch(): Promise<number> {
  const text = 'select extract(epoch from service_now())::float8 as now';
  const [row] = await rig.db.sql.query<{ now: number }>({ name: '', text }, []);
  return Math.floor(row!.now % 30);
}

describe('a webhook endpoint of a test account', () => {
  it('receives events of its own mode only, and each event and test event says its mode', async () => {
    for (const accountId of [testId, liveId]) {
      const id = await endpoint(accountId, null);
      await rig.service.test(accountId, id);
      await rig.events(accountId);
    }
    rig.deliver();
    await server.until(4);
    const modes = server.received.map(({ headers, body }) => {
      const { id, type, livemode } = JSON.parse(body) as { id: string; type: string; livemode: boolean };
      expect(headers['webhook-id']).toBe(id);
      return { id, type, livemode };
    });
    for (const [accountId, livemode] of [
      [testId, false],
      [liveId, true],
    ] as const) {
      const [event] = await eventsOf(rig.db, accountId);
      expect(event).toMatchObject({ livemode });
      expect(modes).toContainEqual({ id: event!.id, type: 'wallet.low', livemode });
      expect(modes).toContainEqual({ id: expect.any(String), type: 'webhook.test', livemode });
    }
  });

  it('receives each event twice, with the same id', async () => {
    const id = await endpoint(testId, 'TWICE');
    await rig.events(testId, 2);
    rig.deliver();
    await server.until(4);
    const [first, second] = (await eventsOf(rig.db, testId)).map((event) => event.id);
    expect(server.ids).toEqual([first, first, second, second]);
    // The service records an attempt once it has the answer.
    const recorded = async () =>
      (await rig.service.deliveries(testId, id, PAGE)).map(({ state, attempts }) => [state, attempts]);
    await expect.poll(recorded, { timeout: WAIT_MS }).toEqual([
      ['succeeded', 1],
      ['succeeded', 1],
    ]);
  });

  it('receives an event a minute late', async () => {
    const id = await endpoint(testId, 'LATE');
    await rig.events(testId);
    rig.deliver();
    await postponed(id, 1);
    const [delivery] = await rig.service.deliveries(testId, id, PAGE);
    expect(delivery!.nextAttemptAt!.getTime() - delivery!.createdAt.getTime()).toBe(60_000);
    await rig.pass(20);
    expect(server.ids).toEqual([]);
    await rig.pass(41);
    await server.until(1);
    expect(server.ids).toEqual((await eventsOf(rig.db, testId)).map((event) => event.id));
  });

  it('receives none of many events early, even if they are written while the service looks for work', async () => {
    const id = await endpoint(testId, 'LATE');
    rig.deliver({ pollMs: 1 });
    await Promise.all(Array.from({ length: 4 }, () => rig.events(testId, PAGE.first / 4)));
    await postponed(id, PAGE.first);
    expect(server.ids).toEqual([]);
  });

  it('receives the newest of several events first', async () => {
    const id = await endpoint(testId, 'OUT_OF_ORDER');
    // The three must fall into one stretch of 30 seconds, and none of it may end before all are put off.
    await rig.pass(31 - (await secondsOfStretch()));
    rig.deliver();
    await rig.events(testId, 3);
    await postponed(id, 3);
    await rig.pass(31);
    await server.until(3);
    const inOrder = (await eventsOf(rig.db, testId)).map((event) => event.id);
    expect(server.ids).toEqual(inOrder.toReversed());
  });

  it('receives a simulated dispute, and no live endpoint does', async () => {
    await endpoint(testId, null);
    const live = await endpoint(liveId, null);
    const wallets = new TestWalletService(rig.db, new OneAtATime());
    rig.deliver();
    await wallets.dispute(testId, null);
    await server.until(2);
    expect((await eventsOf(rig.db, testId)).map(({ type }) => type)).toEqual(['topup.credited', 'dispute.opened']);
    expect(await eventsOf(rig.db, liveId)).toEqual([]);
    expect(await rig.service.deliveries(liveId, live, PAGE)).toEqual([]);
    await expect(wallets.dispute(liveId, null)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await eventsOf(rig.db, liveId)).toEqual([]);
  });
});

describe('a live account', () => {
  it.each(WEBHOOK_FAULTS)('cannot have the fault %s', async (fault) => {
    await expect(endpoint(liveId, fault)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await rig.service.list(liveId)).toEqual([]);
    const text = 'insert into test_fault (account_id, subject_id, fault) values ($1, gen_random_uuid(), $2)';
    await expect(rig.db.sql.query({ name: '', text }, [liveId, fault])).rejects.toMatchObject({
      constraint: 'test_fault_account_id_fkey',
    });
  });
});
