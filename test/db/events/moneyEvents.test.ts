import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { IS_FULL } from '../../support/effort.js';
import { eventsOf, eventTypesOf } from '../../support/events/log.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';
import { CREDIT, GB, StorageScene } from '../../support/storage/scene.js';
import { ReferralTest, after } from '../referrals/referralTest.js';

const ROUNDS = IS_FULL ? 1_000 : 30;

describe('payments', () => {
  let rig: PaymentsRig;
  beforeAll(async () => {
    rig = await PaymentsRig.start();
  });
  afterAll(async () => {
    expect(await rig.faults()).toEqual([]);
    await rig.stop();
  });

  it('write one event each for a credit, a refund and a dispute, in any order and with repetitions', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const accountId = await rig.account();
      const topUp = await rig.topUp(accountId);
      const facts = factsOf(topUp);
      const told = [
        facts.captured,
        facts.captured,
        facts.refund(`re-${round}`, 1_000n, 'processed'),
        facts.refund(`re-${round}`, 1_000n, 'processed'),
        facts.dispute(`dp-${round}`, 2_000n, 'open'),
        facts.dispute(`dp-${round}`, 2_000n, 'lost'),
      ].toSorted(() => Math.random() - 0.5);
      await Promise.all(told.map((fact) => rig.deliver([fact])));
      const events = await eventsOf(rig.db, accountId);
      expect(events.map(({ type }) => type).toSorted()).toEqual(['dispute.opened', 'refund.booked', 'topup.credited']);
      expect(events.find(({ type }) => type === 'topup.credited')!.data).toEqual({
        topUpId: topUp.id,
        provider: 'razorpay',
        amount: '100',
      });
      expect(events.find(({ type }) => type === 'refund.booked')!.data).toMatchObject({ amount: '10' });
      expect(events.find(({ type }) => type === 'dispute.opened')!.data).toMatchObject({ amount: '20' });
    }
  });

  it('a dispute is one event, though the log has forgotten it when it is lost', async () => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId));
    await rig.deliver([facts.captured]);
    await rig.deliver([facts.dispute('dp-long', 2_000n, 'open')]);
    await rig.db.pool.query('delete from event_fact where account_id = $1', [accountId]);
    await rig.deliver([facts.dispute('dp-long', 2_000n, 'lost')]);
    const types = await eventTypesOf(rig.db, accountId);
    expect(types.filter((type) => type === 'dispute.opened')).toEqual(['dispute.opened']);
  });
});

describe('referrals', () => {
  let test: ReferralTest;
  beforeAll(async () => {
    test = await ReferralTest.start();
  });
  afterAll(() => test.stop());

  it('write one event per side for a reward, and one for its reversal', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await Promise.all([test.settle(inviteeId), test.settle(inviteeId)]);
    await Promise.all([test.referrals.deliver(), test.referrals.deliver()]);
    await test.settle(inviteeId, { refundedAt: after(1_000) });
    await test.settle(inviteeId, { refundedAt: after(1_000) });
    await test.referrals.deliver();
    const types = ['referral.rewarded', 'referral.reversed'];
    const [rewarded] = await eventsOf(test.db, inviteeId);
    expect(rewarded!.data).toEqual({ side: 'invitee', amount: '2' });
    // 10 and 2 credits are below the threshold, but only the reversal lowers the balance.
    expect(await eventTypesOf(test.db, inviteeId)).toEqual([...types, 'wallet.low']);
    expect(await eventTypesOf(test.db, referrerId)).toEqual(types);
  });
});

describe('storage', () => {
  let scene: StorageScene;
  beforeAll(async () => {
    scene = await StorageScene.open('2027-03-01');
  });
  afterAll(() => scene.close());

  it('writes one event of arrears per day, and one of a short runway per week', async () => {
    const poor = await scene.account({});
    const short = await scene.account({ CLOUD: 2n * CREDIT });
    await scene.store(poor, { bytes: 31n * GB, storedAt: '2026-01-01T00:00:00Z' });
    await scene.store(short, { bytes: 14n * GB, storedAt: '2026-01-01T00:00:00Z' });
    await scene.setClock('2027-03-02T00:15:00Z');
    await Promise.all([scene.run(), scene.run()]);
    await scene.setClock('2027-03-03T00:15:00Z');
    await scene.run();
    expect((await eventsOf(scene.db, poor)).map(({ type, data }) => [type, data['day'], data['amount']])).toEqual([
      ['storage.arrears', '2027-03-01', '1.5'],
      ['storage.arrears', '2027-03-02', '1.5'],
    ]);
    expect((await eventsOf(scene.db, short)).map(({ type, data }) => [type, data['daysLeft']])).toEqual([
      ['wallet.runway_short', 1],
    ]);
  });
});
