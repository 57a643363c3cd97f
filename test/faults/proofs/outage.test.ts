import { setTimeout as delay } from 'node:timers/promises';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/db/embedded/index.js';
import { findFreePort } from '../../support/freePort.js';
import { migrate } from '../../../src/db/migrate.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { Shop } from './shop.js';
import { makeDataDir, removeDataDir } from '../../support/dataDir.js';
import { IS_FULL } from '../../support/effort.js';

/** How long the database is down at least; with 0, until every provider was refused. */
const AWAY_MS = IS_FULL ? 30_000 : 0;
const MINUTE_MS = 60_000;

const log = pino({ level: 'silent' });
let dataDir: string;
let port: number;
let postgres: EmbeddedPostgres;
let shop: Shop;

beforeAll(async () => {
  dataDir = (await makeDataDir('dhara-outage-')).path;
  port = await findFreePort();
  postgres = await startEmbeddedPostgres({ dataDir, port, log });
  await migrate(postgres);
  shop = await Shop.open(postgres);
});

afterAll(async () => {
  await shop?.close();
  await postgres?.stop();
  await removeDataDir(dataDir);
});

test('webhooks are refused while there is no database, sent again, and credited once', async () => {
  const topUps = [];
  for (const provider of ['razorpay', 'stripe', 'razorpay'] as const) {
    topUps.push(await shop.topUp(await shop.account(), provider));
  }
  await postgres.stop();
  const stoppedAtMs = performance.now();

  shop.startDelivering();
  for (const topUp of topUps) await shop.pay(topUp, 0, 2);
  const tried = () =>
    shop.rows<{ last_status: number | null; attempts: number }>(
      'theirs',
      'select last_status, attempts from payment_sandbox_webhook where attempts > 0 or due_at is null',
    );
  const sent = await shop.rows('theirs', 'select 1 from payment_sandbox_webhook');
  await expect.poll(async () => (await tried()).length).toBe(sent.length);
  const answers = (await tried()).map(({ last_status: status }) => status);
  expect(new Set(answers)).toEqual(new Set([503]));
  // Providers retry repeatedly while their time passes.
  let laterMs = 0;
  do {
    laterMs += 10 * MINUTE_MS;
    await shop.setClock(laterMs, 'provider');
    const before = (await tried()).reduce((sum, { attempts }) => sum + attempts, 0);
    await expect
      .poll(async () => (await tried()).reduce((sum, { attempts }) => sum + attempts, 0))
      .toBeGreaterThanOrEqual(before + sent.length);
    if (AWAY_MS > 0) await delay(500);
  } while (performance.now() - stoppedAtMs < AWAY_MS);
  expect((await tried()).filter(({ last_status: status }) => status !== 503)).toEqual([]);

  postgres = await startEmbeddedPostgres({ dataDir, port, log });
  await shop.setClock(laterMs + 120 * MINUTE_MS);
  await expect.poll(async () => (await tried()).filter(({ last_status: status }) => status !== 200)).toEqual([]);
  for (const topUp of topUps) {
    await expect.poll(() => shop.balances(topUp.accountId)).not.toEqual({});
  }
  const open = () => shop.rows('ours', `select 1 from webhook_event where status in ('pending', 'failed')`);
  await expect.poll(open).toEqual([]);
  for (const { accountId, creditMicros } of topUps) {
    expect(await shop.balances(accountId)).toEqual({ MASTER: creditMicros, CASH: -creditMicros });
  }
  expect((await verifyLedger(shop.db)).faults).toEqual([]);
});
