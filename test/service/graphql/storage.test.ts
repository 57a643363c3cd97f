import { afterAll, beforeAll, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { parseCredits } from '../../../src/domain/ledger/credits.js';
import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const OVERVIEW = '{ storage { bytes creditsPerDay runwayDays autoAllocate } }';
const HISTORY = `query ($from: Day!, $to: Day!) {
  storage { history(from: $from, to: $to) { day bytes charged fromCloud fromMaster arrears } }
}`;

let service: GraphqlService;
let owner: Client;

beforeAll(async () => {
  service = await GraphqlService.start();
  owner = await service.signedIn('owner@example.com');
});
afterAll(() => service.stop());

it('storage is zero for an account that stores nothing', async () => {
  const stranger = await service.signedIn('stranger@example.com');
  expect(await stranger.data(OVERVIEW)).toEqual({
    storage: { bytes: 0, creditsPerDay: '0', runwayDays: null, autoAllocate: true },
  });
});

it('storage shows bytes, daily price and runway, including MASTER if it may pay', async () => {
  const bytes = 9_007_199_254_740_991n / 1000n;
  await service.rows(
    `insert into stored_object (account_id, key, size_bytes, stored_at, removed_at)
     values ($1, 'sources/a', $2, service_now(), null), ($1, 'sources/b', 5, service_now(), service_now())`,
    [owner.accountId, bytes],
  );
  const [month] = await service.rows<{ days: number }>(
    `select extract(day from date_trunc('month', service_now() at time zone 'UTC') + interval '1 month - 1 day')::int as days`,
  );
  const perDayMicros = (bytes * 1_500_000n) / (1_000_000_000n * BigInt(month!.days));
  const balance = `update ledger_account set balance = $2 where owner_id = $1 and account_no = $3`;
  await service.rows(balance, [owner.accountId, perDayMicros * 3n + 8n, 2]);
  await service.rows(balance, [owner.accountId, perDayMicros * 5n, 1]);

  const { storage } = (await owner.data(OVERVIEW)) as { storage: Record<string, unknown> };
  expect(storage).toMatchObject({ bytes: Number(bytes), runwayDays: 8, autoAllocate: true });
  expect(parseCredits(String(storage['creditsPerDay']))).toBe(perDayMicros);

  const SET =
    'mutation ($enabled: Boolean!) { setAutomaticAllocation(bucket: CLOUD, enabled: $enabled) { automaticAllocation } }';
  const off = await owner.data(SET, { enabled: false });
  expect(off).toEqual({ setAutomaticAllocation: { automaticAllocation: ['AI', 'CREATIVE'] } });
  expect(await owner.data(OVERVIEW)).toMatchObject({ storage: { runwayDays: 3, autoAllocate: false } });
  await owner.data(SET, { enabled: true });
  expect(await owner.data(OVERVIEW)).toMatchObject({ storage: { runwayDays: 8, autoAllocate: true } });
  expect(await owner.code('mutation { setAutomaticAllocation(bucket: MASTER, enabled: true) { master } }')).toBe(
    'INVALID_INPUT',
  );
  const trail = await service.rows(
    `select subject, details from audit_entry
     where account_id = $1 and actor_id = $1 and action = 'wallet.set_automatic_allocation' order by created_at`,
    [owner.accountId],
  );
  expect(trail).toEqual([
    { subject: 'CLOUD', details: { enabled: false } },
    { subject: 'CLOUD', details: { enabled: true } },
  ]);
});

it('charged days are shown exactly, to their owner and to staff only', async () => {
  const staff = await service.signedIn('staff@example.com', 'support');
  await service.rows(
    `insert into storage_day (account_id, day, bytes, charged_micros, remainder, from_cloud_micros, from_master_micros,
       arrears_micros, created_at)
     select $1, day, 2000000000, 9007199254740993, 0, 9007199254740000, 900, 93, now()
     from unnest('{2027-02-27,2027-02-28,2027-03-01,2027-03-02}'::date[]) day`,
    [owner.accountId],
  );
  const day = {
    day: '2027-02-28',
    bytes: 2_000_000_000,
    charged: '9007199254.740993',
    fromCloud: '9007199254.74',
    fromMaster: '0.0009',
    arrears: '0.000093',
  };
  const period = { from: '2027-02-28', to: '2027-03-01' };
  expect(await owner.data(HISTORY, period)).toEqual({ storage: { history: [day, { ...day, day: '2027-03-01' }] } });

  const asStaff = `query ($id: ID!) { account(id: $id) {
    storage { bytes history(from: "2027-02-28", to: "2027-02-28") { day arrears } } } }`;
  expect(await staff.data(asStaff, { id: owner.accountId })).toMatchObject({
    account: { storage: { history: [{ day: '2027-02-28', arrears: '0.000093' }] } },
  });
  expect(await staff.data(HISTORY, period)).toEqual({ storage: { history: [] } });
  expect(await owner.code(asStaff, { id: newId() })).toBe('FORBIDDEN');
});

it.each([
  ['2027-01-01', '2028-01-02'],
  ['2027-01-02', '2027-01-01'],
])('the storage history from %s to %s is refused', async (from, to) => {
  expect(await owner.code(HISTORY, { from, to })).toBe('INVALID_INPUT');
});

it('the storage history can be read for 366 days at once', async () => {
  expect(await owner.data(HISTORY, { from: '2027-01-01', to: '2028-01-01' })).toMatchObject({
    storage: { history: { length: 4 } },
  });
});

it.each(['2027-02-30', '2027-2-3', '20270203', 'yesterday'])('"%s" is refused as a day', async (from) => {
  const reply = await owner.ask(HISTORY, { from, to: '2027-03-01' });
  expect(reply.errors).toHaveLength(1);
});
