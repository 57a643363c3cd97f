import { afterAll, beforeAll, expect, it } from 'vitest';

import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { settleClosing } from '../../../src/domain/operations/closing/settleClosing.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { CREDIT, GB, StorageScene } from '../../support/storage/scene.js';

let scene: StorageScene;

beforeAll(async () => {
  scene = await StorageScene.open('2027-03-01');
});
afterAll(() => scene.close());

const closing = (accountId: string, closedAt: string, reopenedAt: string | null = null) =>
  scene.admin.query(
    `insert into account_closing (account_id, id, closed_at, erase_after, reopened_at)
     values ($1, gen_random_uuid(), $2::timestamptz, $2::timestamptz + interval '30 days', $3)`,
    [accountId, closedAt, reopenedAt],
  );

it('storage costs nothing from the day of the closing until the day of the reopening, however late the night is', async () => {
  const accounts = await Promise.all(
    Array.from({ length: 5 }, () => scene.account({ CLOUD: 10n * CREDIT, MASTER: CREDIT })),
  );
  const [open, closed, reopened, sameDay, twice] = accounts as [string, string, string, string, string];
  for (const accountId of accounts) await scene.store(accountId, { bytes: 31n * GB, storedAt: '2027-01-01T00:00:00Z' });
  await closing(closed, '2027-03-03T23:59:59.999Z');
  await closing(reopened, '2027-03-02T00:00:00Z', '2027-03-04T00:00:00Z');
  await closing(sameDay, '2027-03-03T10:00:00Z', '2027-03-03T11:00:00Z');
  await closing(twice, '2027-03-01T10:00:00Z', '2027-03-02T10:00:00Z');
  await closing(twice, '2027-03-04T10:00:00Z');

  // Five days late.
  await scene.setClock('2027-03-06T01:00:00Z');
  expect((await scene.run()).map(({ accounts: charged }) => charged)).toEqual([4n, 4n, 3n, 3n, 3n]);

  const days = async (accountId: string) => (await scene.days(accountId)).map(({ day }) => Number(day!.slice(-2)));
  expect(await days(open)).toEqual([1, 2, 3, 4, 5]);
  expect(await days(closed)).toEqual([1, 2]);
  expect(await days(reopened)).toEqual([1, 4, 5]);
  expect(await days(sameDay)).toEqual([1, 2, 3, 4, 5]);
  expect(await days(twice)).toEqual([2, 3]);
  expect(await scene.faults()).toEqual([]);
  // The verification knows it by itself: without the closing, three days would be missing.
  expect(await uncharged(closed)).toEqual([]);
  await scene.admin.query('delete from account_closing where account_id = $1', [closed]);
  expect(await uncharged(closed)).toEqual(['storage:2027-03-03', 'storage:2027-03-04', 'storage:2027-03-05']);
  await closing(closed, '2027-03-03T23:59:59.999Z');
});

it('a refund waits until every day before the closing is charged', async () => {
  const accountId = await scene.account({ CLOUD: 10n * CREDIT });
  await scene.store(accountId, { bytes: 31n * GB, storedAt: '2027-03-06T00:00:00Z' });
  await scene.setClock('2027-03-07T00:05:00Z');
  const id = newId();
  await scene.admin.query(
    `insert into account_closing (account_id, id, closed_at, erase_after)
     values ($1, $2, service_now(), service_now() + interval '30 days')`,
    [accountId, id],
  );
  const settle = () =>
    settleClosing(
      { db: scene.db, queue: never, topUps: never, refunds: never },
      {
        accountId,
        id,
        closedAt: new Date('2027-03-07T00:05:00Z'),
        accountIds: [accountId],
      },
    );
  expect(await settle()).toBe(false);
  expect(await scene.wallet.balances(accountId)).toMatchObject({ CLOUD: 10n * CREDIT, MASTER: 0n });
  await scene.setClock('2027-03-07T00:20:00Z');
  await scene.run();
  expect(await settle()).toBe(true);
  expect(await scene.wallet.balances(accountId)).toMatchObject({ CLOUD: 0n, MASTER: 8_500_000n });
});

async function uncharged(accountId: string): Promise<string[]> {
  const { faults } = await verifyLedger(scene.db);
  return faults
    .filter((fault) => fault.check === 'storage-bytes' && fault.ownerId === accountId)
    .map((fault) => fault.subject);
}

/** Nothing was paid, so no provider is asked. */
const never = new Proxy({} as never, {
  get: () => {
    throw new Error('unexpected');
  },
});
