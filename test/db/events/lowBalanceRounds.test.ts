import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { LowBalanceService } from '../../../src/domain/payments/billing/lowBalance.service.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { adjustByStaff, chargeArrears, correct, openStaffAccount } from '../../support/accounts.js';
import { IS_FULL } from '../../support/effort.js';
import { eventsOf } from '../../support/events/log.js';
import { type Cause, playRounds, Refusal } from '../../support/events/rounds.js';
import { lockForJob, spendOnJob } from '../../support/jobs.js';
import { PaymentsRig } from '../../support/payments.js';
import { Chance } from '../../support/proofs/chance.js';
import { GB, StorageScene } from '../../support/storage/scene.js';
import { after, ReferralTest } from '../referrals/referralTest.js';

const CREDIT = 1_000_000n;
const LOW = { 'wallet.low': 1 };

describe('one event when a balance falls below its threshold:', () => {
  let rig: PaymentsRig;
  let refusal: Refusal;
  beforeAll(async () => {
    rig = await PaymentsRig.start();
    refusal = await Refusal.in(rig.database.migrationUrl);
  });
  afterAll(async () => {
    await refusal.end();
    expect(await rig.faults()).toEqual([]);
    await rig.stop();
  });
  const does = (title: string, leadsTo: Record<string, number>, prepare: () => Promise<Cause>) =>
    it(title, () => playRounds(rig.db, refusal, leadsTo, prepare));
  /** The webhook comes, and whatever waits in the inbox is due at once. */
  const told = async (facts: Parameters<PaymentsRig['receive']>[0]) => {
    await rig.receive(facts);
    await rig.admin.query(`update webhook_event set next_attempt_at = service_now() where status = 'failed'`);
    await rig.inbox.drain();
  };

  does('a job is bought', LOW, async () => {
    const { accountId } = await rig.paid();
    const job = { accountId, videoId: newId(), attempt: 1, bucket: 'CREATIVE', amountMicros: 51n * CREDIT } as const;
    return { accountIds: [accountId], run: () => rig.db.transaction(({ sql }) => lockForJob(sql, job)) };
  });

  does('the owner repays debt', LOW, async () => {
    const { accountId } = await rig.paid();
    await rig.db.transaction(({ sql }) => chargeArrears(sql, accountId, 60n * CREDIT));
    const payment = { amountMicros: 51n * CREDIT, idempotencyKey: 'once' };
    return { accountIds: [accountId], run: () => rig.wallet.repayDebt(accountId, payment) };
  });

  does('staff adjust', LOW, async () => {
    const { accountId } = await rig.paid();
    const id = newId();
    const run = () =>
      rig.db.transaction((tx) => correct(rig.wallet, tx, { accountId, amountMicros: -51n * CREDIT, id }));
    return { accountIds: [accountId], run };
  });

  does('the owner requests a refund', LOW, async () => {
    const { accountId, topUp } = await rig.paid();
    const order = { topUpId: topUp.id, amount: '51', idempotencyKey: 'once' };
    return { accountIds: [accountId], run: () => rig.refunds.requestRefund(accountId, order) };
  });

  does('the provider refunds', { ...LOW, 'refund.booked': 1 }, async () => {
    const { accountId, topUp, facts } = await rig.paid();
    return { accountIds: [accountId], run: () => told([facts.refund(`re-${topUp.id}`, 5_100n, 'processed')]) };
  });

  does('a refund of staff is booked', { ...LOW, 'refund.booked': 1 }, async () => {
    const { accountId, topUp, facts } = await rig.paid();
    const actorId = await openStaffAccount(rig.db);
    const order = { topUpId: topUp.id, amount: '51', reason: 'goodwill', idempotencyKey: 'once' };
    await rig.refunds.refundByStaff({ ...order, accountId, actorId });
    const made = [...rig.razorpay.refunds.values()].find((refund) => refund.accountId === accountId)!;
    const booked = { ...facts.refund(made.refundId, 5_100n, 'processed'), requestKey: made.idempotencyKey };
    return { accountIds: [accountId], run: () => told([booked]) };
  });

  does('a dispute holds credits', { ...LOW, 'dispute.opened': 1 }, async () => {
    const { accountId, topUp, facts } = await rig.paid();
    return { accountIds: [accountId], run: () => told([facts.dispute(`dp-${topUp.id}`, 5_100n, 'open')]) };
  });

  does('a payment contradicts itself, and its credit is withdrawn', LOW, async () => {
    const { accountId, facts } = await rig.paid();
    return { accountIds: [accountId], run: () => told([{ ...facts.captured, topUpId: newId() }]) };
  });

  does('the owner raises the threshold', LOW, async () => {
    const { accountId } = await rig.paid();
    const lowBalance = new LowBalanceService(rig.db);
    return { accountIds: [accountId], run: () => lowBalance.setThreshold(accountId, 101n * CREDIT) };
  });

  it('whatever many postings at once do, there are as many events as falls in the books', async () => {
    for (let round = 0; round < (IS_FULL ? 200 : 5); round += 1) {
      const { accountId } = await rig.paid();
      await adjustByStaff(rig.db, accountId, -45n * CREDIT);
      const chance = Chance.of('low balances', round);
      await Promise.all(
        Array.from({ length: 24 }, async () => {
          const amountMicros = BigInt(1 + chance.below(12)) * CREDIT;
          if (chance.below(2) === 0) return adjustByStaff(rig.db, accountId, amountMicros);
          return spendOnJob(rig.db, accountId, amountMicros).catch(tooFewCredits);
        }),
      );
      const events = await eventsOf(rig.db, accountId);
      const falls = await fallsOf(accountId);
      expect(events.filter(({ type }) => type === 'wallet.low').map(({ data }) => data['balance'])).toEqual(falls);
    }
  });

  function tooFewCredits(error: unknown): void {
    expect(error).toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
  }

  /** The balance after each posting that brought MASTER below 50 credits, in credits. */
  async function fallsOf(accountId: string): Promise<string[]> {
    const rows = await rig.rows<{ after: string }>(
      `select trim_scale(balance_after / 1000000.0)::text as after from ledger_entry
       where owner_id = $1 and account_no = 1 and balance_after < 50000000 and balance_after - delta >= 50000000
       order by version`,
      [accountId],
    );
    return rows.map(({ after: balance }) => balance);
  }
});

it('one event when a referral’s bonus is taken back', async () => {
  const test = await ReferralTest.start();
  const refusal = await Refusal.in(test.database.migrationUrl);
  await playRounds(test.db, refusal, { 'wallet.low': 1, 'referral.reversed': 2 }, async () => {
    const { referrerId, inviteeId } = await test.pair();
    await new LowBalanceService(test.db).setThreshold(inviteeId, 11n * CREDIT);
    await test.settle(inviteeId);
    await test.referrals.deliver();
    const run = async () => {
      await test.settle(inviteeId, { refundedAt: after(1_000) });
      await test.referrals.deliver();
    };
    return { accountIds: [referrerId, inviteeId], run };
  });
  await refusal.end();
  await test.stop();
});

it('one event for each owner whom a night of storage brings below', async () => {
  const scene = await StorageScene.open('2027-03-01');
  const refusal = await Refusal.in(scene.database.migrationUrl);
  const lowBalance = new LowBalanceService(scene.db);
  let day = Date.parse('2027-03-02T00:15:00Z');
  await playRounds(scene.db, refusal, { 'wallet.low': 2 }, async () => {
    await scene.admin.query('delete from stored_object');
    const owners = [await scene.account({ CLOUD: 100n * CREDIT }), await scene.account({ MASTER: 100n * CREDIT })];
    // Stays above its threshold.
    owners.push(await scene.account({ CLOUD: 200n * CREDIT }));
    for (const owner of owners) {
      await scene.store(owner, { bytes: 31n * GB, storedAt: '2026-01-01T00:00:00Z' });
      await lowBalance.setThreshold(owner, 100n * CREDIT);
    }
    await scene.setClock(new Date(day).toISOString());
    // A minute later each day: what the log hides after 90 days is hidden before a round begins, and not during it.
    day += 86_400_000 + 60_000;
    return { accountIds: owners, run: () => scene.run() };
  });
  await refusal.end();
  await scene.close();
});

it('a night that is reversed brings the balance back, and one that is charged again is another fall', async () => {
  const scene = await StorageScene.open('2027-03-01');
  const [owner, low] = [await scene.account({ CLOUD: 100n * CREDIT }), await scene.account({ CLOUD: 100n * CREDIT })];
  const lowBalance = new LowBalanceService(scene.db);
  await scene.setClock('2027-03-02T00:15:00Z');
  for (const [accountId, threshold] of [
    [owner, 100n],
    [low, 101n],
  ] as const) {
    await scene.store(accountId, { bytes: 31n * GB, storedAt: '2026-01-01T00:00:00Z' });
    await lowBalance.setThreshold(accountId, threshold * CREDIT);
  }
  const fallsOf = async (accountId: string) =>
    (await eventsOf(scene.db, accountId)).filter(({ type }) => type === 'wallet.low').map(({ data }) => data);
  await scene.run();
  const signal = new AbortController().signal;
  const order = { from: '2027-03-01', reason: 'The clock was wrong.', signal };
  // As after a fall that is not told, such as one of an account that was closed.
  await scene.admin.query('update low_balance set below_since = null where account_id = $1', [low]);
  expect(await scene.storage.reversals.reverse(order, () => undefined)).toBe(true);
  expect(await fallsOf(low)).toEqual([{ balance: '100', threshold: '101' }]);
  await scene.admin.query(`update service_clock set nights_confirmed_through = '9999-12-31'`);
  await scene.run();
  expect(await fallsOf(owner)).toEqual([
    { balance: '98.5', threshold: '100' },
    { balance: '98.5', threshold: '100' },
  ]);
  expect(await fallsOf(low)).toEqual([
    { balance: '100', threshold: '101' },
    { balance: '98.5', threshold: '101' },
  ]);
  await scene.close();
});
