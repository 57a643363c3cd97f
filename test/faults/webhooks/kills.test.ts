import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { eventsOf } from '../../support/events/log.js';
import { HookServer } from '../../support/webhooks/hookServer.js';
import { WebhooksRig } from '../../support/webhooks/webhooksRig.js';
import { OWN_PROCESS } from '../../support/ownProcess.js';

const KILLS = 20;
const EVENTS_PER_KILL = 20;
/** Longer than a lease. */
const LEASE_SECONDS = 31;

let rig: WebhooksRig;
let server: HookServer;
let child: ChildProcess | null = null;
beforeAll(async () => {
  rig = await WebhooksRig.start();
  server = await HookServer.start();
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await rig.stop();
  await server.stop();
});

async function startDeliverer(): Promise<void> {
  child = spawn(process.execPath, [...OWN_PROCESS, join(import.meta.dirname, 'delivererChild.ts')], {
    env: {
      ...process.env,
      DATABASE_URL: rig.database.runtimeUrl,
      MASTER_KEY: rig.masterKeys.current.toString('base64'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout!, 'data');
}

it('a deliverer that is killed 20 times delivers every event at least once, with the same id', async () => {
  const accountId = await rig.account();
  const endpoints = [
    await rig.endpoint(accountId, `${server.url}/a`),
    await rig.endpoint(accountId, `${server.url}/b`),
  ];
  for (let kill = 0; kill < KILLS; kill += 1) {
    await startDeliverer();
    const before = server.received.length;
    const writing = rig.events(accountId, EVENTS_PER_KILL);
    // Somewhere in the middle of its work: after one delivery, after two, and so on.
    await server.until(before + 1 + (kill % 7));
    const ended = once(child!, 'exit');
    child!.kill('SIGKILL');
    await ended;
    await writing;
    await rig.pass(LEASE_SECONDS);
  }
  await startDeliverer();
  const expected = (await eventsOf(rig.db, accountId)).map(({ id }) => id);
  expect(expected).toHaveLength(KILLS * EVENTS_PER_KILL);
  for (const [index, { id }] of endpoints.entries()) {
    // The last one has arrived before it is recorded, so its arrival is not enough.
    await expect
      .poll(() => rig.service.deliveries(accountId, id, { first: 1, after: null, state: 'pending' }))
      .toEqual([]);
    const path = index === 0 ? '/hooks/a' : '/hooks/b';
    const ids = server.received
      .filter((hook) => hook.path === path)
      .map(({ headers }) => String(headers['webhook-id']));
    // In the order of the first arrival: what a kill repeats comes again later.
    expect([...new Set(ids)]).toEqual(expected);
    // Each kill repeats one delivery of an endpoint at most.
    expect(ids.length).toBeLessThanOrEqual(expected.length + KILLS);
  }
});
