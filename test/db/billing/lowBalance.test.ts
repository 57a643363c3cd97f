import { expect, it } from 'vitest';

import { planOf } from '../../../src/db/migrateTables.js';
import { Migration0197LowBalancesBefore } from '../../../src/db/migrations/0197_low_balances_before.js';
import { LowBalanceService } from '../../../src/domain/payments/billing/lowBalance.service.js';
import { releaseEscrow } from '../../../src/domain/ledger/escrow.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { adjustByStaff, correct } from '../../support/accounts.js';
import { eventsOf } from '../../support/events/log.js';
import { lockForJob } from '../../support/jobs.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';

const CREDIT = 1_000_000n;

const rig = await PaymentsRig.ofFile();
const low = new LowBalanceService(rig.db);

it('writes an event and an email per fall below the threshold, and again only after the balance was above it', async () => {
  const { accountId } = await rig.paid();
  await rig.spend(accountId, 50n);
  expect(await falls(accountId)).toEqual([]);
  await adjustByStaff(rig.db, accountId, -1n);
  const first = { balance: '49.999999', threshold: '50' };
  expect(await falls(accountId)).toEqual([first]);
  expect(await emails(accountId)).toEqual([{ key: 'low-balance:1', kind: 'wallet.low', data: first }]);
  await rig.spend(accountId, 10n);
  expect(await falls(accountId)).toEqual([first]);

  await adjustByStaff(rig.db, accountId, 20n * CREDIT);
  expect(await falls(accountId)).toEqual([first]);
  await rig.spend(accountId, 30n);
  const second = { balance: '29.999999', threshold: '50' };
  expect(await falls(accountId)).toEqual([first, second]);
  expect((await emails(accountId)).map(({ key }) => key)).toEqual(['low-balance:1', 'low-balance:2']);
});

it('compares what a transaction leaves, not what it moves on the way', async () => {
  const { accountId } = await rig.paid();
  const job = { accountId, videoId: newId(), attempt: 1, bucket: 'MASTER', amountMicros: 70n * CREDIT } as const;
  await rig.db.transaction(async ({ sql }) => {
    await lockForJob(sql, job);
    await releaseEscrow(sql, job);
  });
  expect(await falls(accountId)).toEqual([]);

  await rig.spend(accountId, 60n);
  expect(await falls(accountId)).toHaveLength(1);
  await rig.db.transaction(async (tx) => {
    await correct(rig.wallet, tx, { accountId, amountMicros: 30n * CREDIT });
    await correct(rig.wallet, tx, { accountId, amountMicros: -30n * CREDIT });
  });
  expect(await falls(accountId)).toHaveLength(1);
});

it('counts MASTER, CREATIVE and CLOUD together, and nothing else', async () => {
  const { accountId } = await rig.paid();
  await rig.spend(accountId, 50n);
  const move = async (to: 'CREATIVE' | 'CLOUD' | 'AI', amountMicros: bigint) =>
    rig.wallet.allocate(accountId, { from: 'MASTER', to, amountMicros, idempotencyKey: newId() });
  await move('CREATIVE', 20n * CREDIT);
  await move('CLOUD', 20n * CREDIT);
  expect(await falls(accountId)).toEqual([]);
  await move('AI', 1n);
  expect(await falls(accountId)).toHaveLength(1);
});

it('says nothing to accounts that never topped up, unless they set a threshold', async () => {
  const accountId = await rig.account(10n * CREDIT);
  await rig.spend(accountId, 1n);
  expect(await falls(accountId)).toEqual([]);
  expect(await low.thresholdMicros(accountId)).toBeNull();
  await low.setThreshold(accountId, 9n * CREDIT);
  expect(await low.thresholdMicros(accountId)).toBe(9n * CREDIT);
  expect(await falls(accountId)).toEqual([]);
  await rig.spend(accountId, 1n);
  expect(await falls(accountId)).toEqual([{ balance: '8', threshold: '9' }]);
});

it('uses the owner’s own threshold, and says nothing to those who switched it off', async () => {
  const [high, off] = [(await rig.paid()).accountId, (await rig.paid()).accountId];
  expect(await low.thresholdMicros(high)).toBe(50n * CREDIT);
  await low.setThreshold(high, 100n * CREDIT + 1n);
  expect(await falls(high)).toEqual([{ balance: '100', threshold: '100.000001' }]);
  await low.setThreshold(off, null);
  expect(await low.thresholdMicros(off)).toBeNull();
  await rig.spend(off, 99n);
  expect(await falls(off)).toEqual([]);

  // Raising the threshold further is not a fall.
  await anHourPasses(high);
  await low.setThreshold(high, 200n * CREDIT);
  expect(await falls(high)).toHaveLength(1);
  // A threshold that the balance reaches ends the fall, too.
  await low.setThreshold(high, 100n * CREDIT);
  await rig.spend(high, 1n);
  expect(await falls(high)).toHaveLength(2);
  await expect(low.setThreshold(high, 0n)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

it.each([
  ['switched off and on', null],
  ['lowered and raised', 1n * CREDIT],
])('tells at most once an hour if the threshold is %s, and then with the next posting', async (_, between) => {
  const { accountId } = await rig.paid();
  const again = async () => {
    await low.setThreshold(accountId, between);
    await low.setThreshold(accountId, 1_000n * CREDIT);
    return (await falls(accountId)).length;
  };
  expect(await again()).toBe(1);
  expect(await again()).toBe(1);
  expect(await again()).toBe(1);
  await rig.spend(accountId, 1n);
  expect(await falls(accountId)).toHaveLength(2);
  expect(await again()).toBe(2);
  await anHourPasses(accountId);
  expect(await again()).toBe(3);
});

it.each([
  ['a first top-up', 10n],
  ['a first top-up of the minimum', 1n],
])(
  'says nothing when %s ends below the threshold, and tells with the next posting that lowers it',
  async (_, rupees) => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId, `${rupees}`));
    await rig.deliver([facts.captured]);
    await adjustByStaff(rig.db, accountId, CREDIT);
    expect(await falls(accountId)).toEqual([]);
    expect(await emails(accountId)).toEqual([]);
    await rig.spend(accountId, 1n);
    expect(await falls(accountId)).toEqual([{ balance: `${rupees}`, threshold: '50' }]);
  },
);

it('says nothing while the account is closed, and tells with the next posting that lowers the balance after it was reopened', async () => {
  const { accountId } = await rig.paid();
  await rig.rows(
    `insert into account_closing (account_id, id, closed_at, erase_after) values ($1, $2, now(), now() + interval '30 days')`,
    [accountId, newId()],
  );
  await rig.spend(accountId, 60n);
  expect(await falls(accountId)).toEqual([]);
  await rig.rows('update account_closing set reopened_at = now() where account_id = $1', [accountId]);
  await adjustByStaff(rig.db, accountId, CREDIT);
  expect(await falls(accountId)).toEqual([]);
  await rig.spend(accountId, 1n);
  expect(await falls(accountId)).toEqual([{ balance: '40', threshold: '50' }]);
});

it('the migration tells what fell and notes what rose before the trigger was there, once', async () => {
  const [fell, rose] = [(await rig.paid()).accountId, (await rig.paid()).accountId];
  await rig.spend(rose, 60n);
  await rig.rows('alter table ledger_tx disable trigger ledger_tx_tells_low_balance');
  await rig.spend(fell, 60n);
  await adjustByStaff(rig.db, rose, 60n * CREDIT);
  await rig.rows('alter table ledger_tx enable trigger ledger_tx_tells_low_balance');
  expect(await falls(fell)).toEqual([]);
  for (let times = 0; times < 2; times += 1) {
    for (const statement of (await planOf(Migration0197LowBalancesBefore)).statements) await rig.rows(statement);
    expect(await falls(fell)).toEqual([{ balance: '40', threshold: '50' }]);
    expect(await falls(rose)).toHaveLength(1);
  }
  await rig.spend(rose, 60n);
  expect(await falls(rose)).toHaveLength(2);
});

async function falls(accountId: string): Promise<Record<string, unknown>[]> {
  const events = await eventsOf(rig.db, accountId);
  return events.filter(({ type }) => type === 'wallet.low').map(({ data }) => data);
}

async function anHourPasses(accountId: string): Promise<void> {
  await rig.rows(`update notice set created_at = created_at - interval '1 hour' where account_id = $1`, [accountId]);
}

function emails(accountId: string) {
  return rig.rows(`select key, kind, data from notice where account_id = $1 and kind = 'wallet.low' order by key`, [
    accountId,
  ]);
}
