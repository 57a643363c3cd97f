import { afterAll, beforeAll, expect, it } from 'vitest';

import { post } from '../../../src/domain/ledger/posting.js';
import type { Client } from '../../support/graphql/client.js';
import { credits } from './parents.js';
import { GraphqlService } from './service.js';

const SPENDING = `query ($from: Day!, $to: Day!, $by: SpendingUnit!) {
  spending(from: $from, to: $to, by: $by) { start processing storage }
}`;

let service: GraphqlService;
let owner: Client;
let other: Client;

beforeAll(async () => {
  service = await GraphqlService.start();
  owner = await service.signedIn('owner@example.com');
  other = await service.signedIn('other@example.com');
});
afterAll(() => {
  service.database.leaveUnproven('credits are spent without a job or a night');
  return service.stop();
});

it('spending adds up by kind, exactly, without movements and escrows', async () => {
  await credits(service, owner.accountId, { masterMicros: 9_007_199_254_742_000_000n });
  const { sql } = service.services.db;
  const at = async (): Promise<string> => {
    const [row] = await service.rows<{ day: string }>(`select (service_now() at time zone 'UTC')::date::text as day`);
    return row!.day;
  };
  const before = await at();
  const { accountId: ownerId } = owner;
  for (const [key, micros] of [
    ['test:a', 9_007_199_254_740_992_001n],
    ['test:b', 2n],
  ] as const) {
    const locked = { MASTER: -micros, ESCROW: micros };
    await post(sql, { ownerId, type: 'ESCROW_LOCK', idempotencyKey: `${key}:lock`, deltas: locked });
    const settled = { ESCROW: -micros, REVENUE_PROCESSING: micros };
    await post(sql, { ownerId, type: 'ESCROW_SETTLE', idempotencyKey: key, deltas: settled });
  }
  const stored = { MASTER: -500_000n, REVENUE_STORAGE: 500_000n };
  await post(sql, { ownerId, type: 'STORAGE', idempotencyKey: 'test:c', deltas: stored });
  await post(sql, {
    ownerId: owner.accountId,
    type: 'ESCROW_LOCK',
    idempotencyKey: 'test:d',
    deltas: { MASTER: -7n, ESCROW: 7n },
  });
  // Midnight may have passed meanwhile.
  const spent = { from: before, to: await at() };

  const { spending } = (await owner.data(SPENDING, { ...spent, by: 'MONTH' })) as { spending: unknown[] };
  expect(spending).toEqual([{ start: `${before.slice(0, 8)}01`, processing: '9007199254740.992003', storage: '0.5' }]);
  expect(await other.data(SPENDING, { ...spent, by: 'DAY' })).toEqual({ spending: [] });
});

it('spending includes the first and the last day of the period, in UTC', async () => {
  const day = async (text: string): Promise<void> => {
    await service.rows(
      `with tx as (insert into ledger_tx (owner_id, idempotency_key, tx_id, type, request_hash, created_at)
         values ($1, $2::text, gen_random_uuid(), 'STORAGE', '', ($2::text)::timestamptz) returning tx_id, created_at)
       insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
       select $1, no, extract(epoch from created_at) * 1000, tx_id, case no when 2 then -1 else 1 end, 0, created_at
       from tx, unnest('{2,62}'::smallint[]) no`,
      [other.accountId, text],
    );
  };
  for (const text of [
    '2025-02-27T23:59:59.999Z',
    '2025-02-28T00:00:00Z',
    '2025-02-28T23:59:59Z',
    '2025-03-01T23:59:59.999Z',
    '2025-03-02T00:00:00Z',
  ]) {
    await day(text);
  }
  expect(await other.data(SPENDING, { from: '2025-02-28', to: '2025-03-01', by: 'DAY' })).toEqual({
    spending: [
      { start: '2025-02-28', processing: '0', storage: '0.000002' },
      { start: '2025-03-01', processing: '0', storage: '0.000001' },
    ],
  });
});

it('spending refuses too long periods, and those that end before they begin', async () => {
  expect(await owner.code(SPENDING, { from: '2025-01-01', to: '2026-02-05', by: 'MONTH' })).toBe('INVALID_INPUT');
  expect(await owner.code(SPENDING, { from: '2025-01-02', to: '2025-01-01', by: 'DAY' })).toBe('INVALID_INPUT');
  expect(await owner.data(SPENDING, { from: '2025-01-01', to: '2026-02-04', by: 'DAY' })).toEqual({ spending: [] });
});
