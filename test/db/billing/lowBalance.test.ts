import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { LowBalanceService } from '../../../src/domain/payments/billing/lowBalance.service.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { PastLedger } from '../../support/billing/ledger.js';

const CREDIT = 1_000_000n;

let database: TestDatabase;
let admin: pg.Pool;
let db: PostgresDatabase;
let low: LowBalanceService;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 5 });
  low = new LowBalanceService(db);
});
afterAll(async () => {
  await db?.close();
  await admin?.end();
  database?.leaveUnproven('postings of the past are written by hand');
  await database?.drop();
});
beforeEach(() => low.warn());

it('emails once per fall below the threshold, and again only after the balance was above it', async () => {
  const owner = await toppedUp(100n);
  expect(await emails(owner)).toEqual([]);
  await move(owner, -51n);
  expect(await low.warn()).toBe(1);
  expect(await low.warn()).toBe(0);
  await move(owner, -10n);
  expect(await low.warn()).toBe(0);
  expect(await emails(owner)).toEqual(['low-balance:1']);

  await move(owner, 20n);
  expect(await low.warn()).toBe(0);
  await move(owner, -30n);
  expect(await low.warn()).toBe(1);
  expect(await emails(owner)).toEqual(['low-balance:1', 'low-balance:2']);
});

it('says nothing of a balance that recovers before anyone looks, and nothing new of a low one that was enough meanwhile', async () => {
  const owner = await toppedUp(100n);
  await move(owner, -51n);
  await move(owner, 51n);
  expect(await low.warn()).toBe(0);
  await move(owner, -51n);
  expect(await low.warn()).toBe(1);
  await move(owner, 51n);
  await move(owner, -51n);
  expect(await low.warn()).toBe(0);
  expect(await emails(owner)).toEqual(['low-balance:1']);
});

it('counts MASTER, CREATIVE and CLOUD together, and nothing else', async () => {
  const owner = await toppedUp(50n);
  await owner.write([
    {
      type: 'ALLOCATION',
      at: new Date(),
      deltas: { MASTER: -40n * CREDIT, CREATIVE: 20n * CREDIT, CLOUD: 20n * CREDIT },
    },
  ]);
  expect(await low.warn()).toBe(0);
  await owner.write([{ type: 'ALLOCATION', at: new Date(), deltas: { MASTER: -1n, AI: 1n } }]);
  expect(await low.warn()).toBe(1);
});

it('does not warn accounts that never topped up, unless they set a threshold', async () => {
  const owner = await PastLedger.of(admin);
  expect(await low.warn()).toBe(0);
  expect(await low.thresholdMicros(owner.ownerId)).toBeNull();
  await low.setThreshold(owner.ownerId, 5n * CREDIT);
  expect(await low.thresholdMicros(owner.ownerId)).toBe(5n * CREDIT);
  expect(await low.warn()).toBe(1);
});

it('uses the owner’s own threshold, and warns nobody who switched it off', async () => {
  const [high, off] = [await toppedUp(100n), await toppedUp(100n)];
  expect(await low.thresholdMicros(high.ownerId)).toBe(50n * CREDIT);
  await low.setThreshold(high.ownerId, 100n * CREDIT + 1n);
  await low.setThreshold(off.ownerId, null);
  expect(await low.thresholdMicros(off.ownerId)).toBeNull();
  await move(off, -99n);
  expect(await low.warn()).toBe(1);
  expect(await emails(high)).toHaveLength(1);
  expect(await emails(off)).toEqual([]);
  // Raising the threshold is not a crossing. Switching it off and on again starts over.
  await low.setThreshold(high.ownerId, 200n * CREDIT);
  expect(await low.warn()).toBe(0);
  await low.setThreshold(high.ownerId, null);
  await low.setThreshold(high.ownerId, 200n * CREDIT);
  expect(await low.warn()).toBe(1);
  await expect(low.setThreshold(high.ownerId, 0n)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

it('emails each owner once when several processes check at the same time', async () => {
  const owners = await Promise.all(Array.from({ length: 20 }, () => toppedUp(10n)));
  const counts = await Promise.all(Array.from({ length: 4 }, () => low.warn()));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
  for (const owner of owners) expect(await emails(owner)).toEqual(['low-balance:1']);
});

async function toppedUp(credits: bigint): Promise<PastLedger> {
  const ledger = await PastLedger.of(admin);
  await ledger.write([{ type: 'TOPUP', at: new Date(), deltas: { MASTER: credits * CREDIT } }]);
  return ledger;
}

async function move(ledger: PastLedger, credits: bigint): Promise<void> {
  await ledger.write([{ type: 'ADJUSTMENT', at: new Date(), deltas: { MASTER: credits * CREDIT } }]);
}

async function emails(ledger: PastLedger): Promise<string[]> {
  const { rows } = await admin.query<{ key: string }>('select key from notice where account_id = $1 order by key', [
    ledger.ownerId,
  ]);
  return rows.map((row) => row.key);
}
