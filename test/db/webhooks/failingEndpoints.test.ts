import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { execute } from '../../../src/db/sql.js';
import { recordFailure } from '../../../src/domain/accounts/webhooks/delivery.sql.js';
import { enableEndpoint } from '../../../src/domain/accounts/webhooks/endpoint.sql.js';
import { MAX_FAILING_SECONDS } from '../../../src/domain/accounts/webhooks/schedule.js';
import { hastenEndpoints } from '../../../src/domain/accounts/webhooks/testTime.sql.js';
import type { Delivery } from '../../../src/domain/accounts/webhooks/webhookRecords.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { eventsOf } from '../../support/events/log.js';
import { HookServer } from '../../support/webhooks/hookServer.js';
import { WebhooksRig } from '../../support/webhooks/webhooksRig.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';
import { query } from '../../support/database/query.js';

const HOUR = 3_600;

let rig: WebhooksRig;
let server: HookServer;
let accountId: string;
beforeAll(async () => {
  rig = await WebhooksRig.start();
});
beforeEach(async () => {
  server = await HookServer.start();
  accountId = await rig.account();
});
afterEach(async () => {
  await rig.rest();
  await server.stop();
});
afterAll(() => rig.stop());

const deliveries = (id: string, isDone: (all: Delivery[]) => boolean) => rig.deliveries(accountId, id, isDone);

/** The delivery with this place in the log, once it has been attempted so often. */
async function attempt(id: string, place: number, attempts: number): Promise<Delivery> {
  return (await deliveries(id, (all) => (all[place]?.attempts ?? 0) >= attempts))[place]!;
}

describe('the three days of an endpoint that fails', () => {
  it('begin again after a quiet time: one more failure disables nothing', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    await rig.events(accountId);
    const [first] = await eventsOf(rig.db, accountId);
    server.answer = (hook, res) => void res.writeHead(hook.headers['webhook-id'] === first!.id ? 500 : 200).end();
    rig.deliver();
    for (let n = 1; n < 9; n += 1) await rig.passUntil((await attempt(id, 0, n)).nextAttemptAt!);
    const { nextAttemptAt } = await attempt(id, 0, 9);
    await rig.pass(HOUR);
    await rig.events(accountId);
    await attempt(id, 1, 1);
    expect(await rig.service.get(accountId, id)).toMatchObject({ disabled: null, failingSince: null });
    // The last attempt of the first one fails, and then nothing is left to send.
    await rig.passUntil(nextAttemptAt!);
    expect(await attempt(id, 0, 10)).toMatchObject({ state: 'failed' });
    const { failingSince } = await rig.service.get(accountId, id);
    expect(failingSince).not.toBeNull();
    await rig.pass(4 * 24 * HOUR);
    server.answer = (_hook, res) => void res.writeHead(500).end();
    await rig.events(accountId);
    const third = await attempt(id, 2, 1);
    const endpoint = await rig.service.get(accountId, id);
    expect(endpoint).toMatchObject({ disabled: null });
    expect(endpoint.failingSince!.getTime()).toBeGreaterThanOrEqual(third.createdAt.getTime());
    // So does the circuit breaker, with its shortest pause.
    const { rows } = await rig.db.pool.query('select failures from webhook_endpoint where id = $1', [id]);
    expect(rows).toEqual([{ failures: 1 }]);
    // An endpoint that is tried for three days is disabled as before.
    for (let n = 1; n < 10; n += 1) await rig.passUntil((await attempt(id, 2, n)).nextAttemptAt!);
    await attempt(id, 2, 10);
    expect(await rig.service.get(accountId, id)).toMatchObject({ disabled: { reason: 'failing' } });
  });

  it.each([
    ['pass', 'waits', 'pending', true],
    ['do not pass', 'does not wait', 'failed', false],
  ])('%s with the clock of test mode while a delivery %s for its next attempt', async (_how, _waits, state, ends) => {
    const { id } = await rig.endpoint(accountId, server.url);
    server.answer = (_hook, res) => void res.writeHead(500).end();
    await rig.events(accountId);
    rig.deliver();
    await attempt(id, 0, 1);
    await rig.db.pool.query(
      `update webhook_delivery set state = $2, next_attempt_at = case when $2 = 'pending' then next_attempt_at end
       where endpoint_id = $1`,
      [id, state],
    );
    for (const seconds of [40 * HOUR, 40 * HOUR]) {
      await rig.db.transaction(({ sql }) => execute(sql, hastenEndpoints, { accountId, seconds }));
    }
    await rig.events(accountId);
    await attempt(id, 1, 1);
    expect((await rig.service.get(accountId, id)).disabled?.reason).toBe(ends ? 'failing' : undefined);
  });

  it('do not begin with a webhook that was not sent, for its event is no longer kept', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    await rig.events(accountId, 2);
    await query(
      rig.database.migrationUrl,
      'delete from event where account_id = $1 and created_at = (select min(created_at) from event where account_id = $1)',
      [accountId],
    );
    rig.deliver();
    await attempt(id, 1, 1);
    const [lost, sent] = await deliveries(id, (all) => all.length === 2);
    expect(lost).toMatchObject({ state: 'failed', lastError: 'The event is no longer kept' });
    expect(sent).toMatchObject({ state: 'succeeded' });
    expect(await rig.service.get(accountId, id)).toMatchObject({ failingSince: null });
  });

  it('end when its owner enables it: a failure that is recorded at the same moment disables nothing', async () => {
    const { id } = await rig.endpoint(accountId, server.url);
    await rig.events(accountId);
    const [delivery] = (
      await rig.db.pool.query(
        `update webhook_endpoint e set failing_since = service_now() - interval '4 days', last_failed_at = service_now()
         from webhook_delivery d where e.id = $1 and d.endpoint_id = e.id
         returning d.created_at::text as "createdAt", d.event_id as "eventId", e.lease_until::text as lease, e.url`,
        [id],
      )
    ).rows;
    const failure = {
      accountId,
      endpointId: id,
      ...delivery,
      attempts: 0,
      attemptId: newId(),
      status: 500,
      durationMs: 1,
    };
    const recorded = await rig.db.transaction(async ({ sql }) => {
      await execute(sql, enableEndpoint, { accountId, id });
      const failed = execute(rig.db.sql, recordFailure, {
        ...failure,
        answer: '',
        error: 'HTTP 500',
        retrySeconds: 5,
        pauseSeconds: 5,
        wasSent: true,
        isGone: false,
        maxFailingSeconds: MAX_FAILING_SECONDS,
      });
      await expect.poll(() => statementsWaiting(rig.db.pool)).toBeGreaterThan(0);
      return { failed };
    });
    expect(await recorded.failed).toEqual([]);
    expect(await rig.service.get(accountId, id)).toMatchObject({ disabled: null });
  });
});
