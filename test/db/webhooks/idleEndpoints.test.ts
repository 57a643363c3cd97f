import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { leaseOfAccounts, leaseOfAll } from '../../../src/domain/accounts/webhooks/delivery.sql.js';
import { MAX_QUIET_SECONDS } from '../../../src/domain/accounts/webhooks/schedule.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { WebhooksRig } from '../../support/webhooks/webhooksRig.js';

const IDLE = 10_000;
const PER_ACCOUNT = 20;
const DUE = 5;

let rig: WebhooksRig;
let client: pg.Client;
beforeAll(async () => {
  rig = await WebhooksRig.start();
  client = new pg.Client({ connectionString: rig.database.migrationUrl });
  await client.connect();
  // As the service plans a statement that it has run a few times.
  await client.query('set plan_cache_mode = force_generic_plan');
  await client.query(`prepare of_all as ${leaseOfAll.text}`);
  await client.query(`prepare of_accounts as ${leaseOfAccounts.text}`);
});
afterAll(async () => {
  await client.end();
  await rig.stop();
});

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Actual Rows': number;
}

/** What a look for due webhooks reads, in pages, and how many endpoints it finds. It changes nothing. */
async function look(call: string): Promise<{ pages: number; found: number }> {
  await client.query('begin');
  try {
    const { rows } = await client.query(`explain (analyze, buffers, timing off, format json) execute ${call}`);
    const plan = rows[0]['QUERY PLAN'][0].Plan as Plan;
    return { pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], found: plan['Actual Rows'] };
  } finally {
    await client.query('rollback');
  }
}

/** Endpoints of new accounts. Each was sent something, and waits for nothing. */
async function addIdle(count: number): Promise<void> {
  await client.query(
    `with opened as materialized (select id, open_account(id) from (
       select gen_random_uuid() as id from generate_series(1, $1::int)) ids)
     insert into webhook_endpoint (account_id, id, url, description, paused_until, lease_until, created_at)
     select opened.id, gen_random_uuid(), 'https://example.com/hooks', '', service_now(), service_now(), service_now()
     from opened, generate_series(1, ${PER_ACCOUNT})`,
    [count / PER_ACCOUNT],
  );
  await client.query(
    `insert into webhook_delivery (account_id, created_at, endpoint_id, event_id, type, state)
     select e.account_id, service_now(), e.id, gen_random_uuid(), 'wallet.low', 'succeeded' from webhook_endpoint e
     where not exists (select from webhook_delivery d where d.account_id = e.account_id and d.endpoint_id = e.id)`,
  );
  await client.query('vacuum analyze webhook_endpoint, webhook_delivery');
}

it(`a look for due webhooks reads what is due, not ${IDLE} endpoints that wait for nothing`, async () => {
  await addIdle(100);
  const accountIds: string[] = [];
  for (let n = 0; n < DUE; n += 1) {
    const accountId = await rig.account();
    await rig.endpoint(accountId, `http://127.0.0.1:9/${newId()}`);
    await rig.events(accountId, n === 0 ? 200 : 2);
    accountIds.push(accountId);
  }
  const ofAll = `of_all (100, 30, ${MAX_QUIET_SECONDS})`;
  const ofOne = `of_accounts ('{${accountIds[1]}}', 100, 30, ${MAX_QUIET_SECONDS})`;
  const few = { all: await look(ofAll), one: await look(ofOne) };
  expect(few.all.found).toBe(DUE);
  expect(few.one.found).toBe(1);

  await addIdle(IDLE - 100);
  const many = { all: await look(ofAll), one: await look(ofOne) };
  expect(many.all.found).toBe(DUE);
  expect(many.one.found).toBe(1);
  // The indexes are a level or two deeper.
  expect(many.all.pages).toBeLessThan(3 * few.all.pages);
  expect(many.one.pages).toBeLessThan(3 * few.one.pages);

  await rig.events(accountIds[1]!, 2_000);
  await client.query('vacuum analyze webhook_delivery');
  const queued = await look(ofAll);
  expect(queued.found).toBe(DUE);
  expect(queued.pages, 'also with a long queue').toBeLessThan(3 * few.all.pages);

  await client.query(`update webhook_delivery set state = 'succeeded', next_attempt_at = null where state = 'pending'`);
  await client.query('vacuum analyze webhook_delivery');
  const nothing = await look(ofAll);
  expect(nothing.found).toBe(0);
  expect(nothing.pages).toBeLessThan(few.all.pages);
});
