import { describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';

const CREDIT = 1_000_000n;

const rig = await PaymentsRig.ofFile();

describe('disputes', () => {
  it('hold the credits that are left, and return exactly those when won', async () => {
    const { accountId, facts } = await rig.paid();
    await rig.wallet.allocate(accountId, { from: 'MASTER', to: 'AI', amountMicros: 30n * CREDIT, idempotencyKey: 'a' });
    await rig.spend(accountId, 50n);
    await rig.deliver([facts.dispute('d', 10_000n, 'open')]);
    expect(await rig.balances(accountId)).toMatchObject({ DISPUTE_HOLD: 50n * CREDIT });
    await rig.deliver([facts.dispute('d', 10_000n, 'open')]);
    await rig.deliver([facts.dispute('d', 10_000n, 'won')]);
    expect(await rig.balances(accountId)).toMatchObject({ MASTER: 20n * CREDIT, AI: 30n * CREDIT });
    expect((await rig.balances(accountId))['DISPUTE_HOLD']).toBeUndefined();
  });

  it('settle the hold when lost, and the rest becomes DEBT', async () => {
    const { accountId, facts } = await rig.paid();
    await rig.spend(accountId, 60n);
    await rig.deliver([facts.dispute('d2', 10_000n, 'open')]);
    await rig.deliver([facts.dispute('d2', 10_000n, 'lost')]);
    expect(await rig.balances(accountId)).toEqual({ DEBT: -60n * CREDIT, REVENUE_PROCESSING: 60n * CREDIT });
  });

  it('do not touch what our own refund holds', async () => {
    const { accountId, topUp, facts } = await rig.paid();
    await rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount: '30', idempotencyKey: 'r' });
    await rig.deliver([facts.dispute('d3', 10_000n, 'open')]);
    expect(await rig.balances(accountId)).toMatchObject({ REFUND_HOLD: 30n * CREDIT, DISPUTE_HOLD: 70n * CREDIT });
    const [refund] = [...rig.razorpay.refunds.values()].slice(-1);
    await rig.deliver([facts.refund(refund!.refundId, 3_000n, 'failed')]);
    expect(await rig.balances(accountId)).toMatchObject({ DISPUTE_HOLD: 100n * CREDIT });
  });

  it('hold what a refused refund returns', async () => {
    const { accountId, topUp, facts } = await rig.paid();
    rig.razorpay.isAway = true;
    const asked = await rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount: '40', idempotencyKey: 'h' });
    rig.razorpay.isAway = false;
    await rig.deliver([facts.dispute(newId(), 10_000n, 'open')]);
    expect(await rig.balances(accountId)).toMatchObject({ REFUND_HOLD: 40n * CREDIT, DISPUTE_HOLD: 60n * CREDIT });
    rig.razorpay.refusesRefunds = true;
    await rig.rows(`update refund_request set next_attempt_at = now() where id = $1`, [asked.id]);
    expect(await rig.refunds.retry()).toBe(1);
    rig.razorpay.refusesRefunds = false;
    expect(await rig.balances(accountId)).toEqual({ DISPUTE_HOLD: 100n * CREDIT, CASH: -100n * CREDIT });
  });

  it('when lost, take what a failed refund returns before credits in other buckets', async () => {
    const accountId = await rig.account(0n, 40n * CREDIT);
    const topUp = await rig.topUp(accountId);
    const facts = factsOf(topUp);
    await rig.deliver([facts.captured]);
    const asked = await rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount: '40', idempotencyKey: 'f' });
    await rig.deliver([facts.dispute(newId(), 10_000n, 'lost')]);
    expect(await rig.balances(accountId)).toMatchObject({ REFUND_HOLD: 40n * CREDIT, CREATIVE: 40n * CREDIT });
    await rig.deliver([facts.refund(asked.refundId!, 4_000n, 'failed')]);
    expect(await rig.balances(accountId)).toEqual({ CREATIVE: 40n * CREDIT, ADJUSTMENT: -40n * CREDIT });
  });

  it.each(['before', 'after'])('hold what a smaller loss returns, reported %s the rest', async (when) => {
    const { accountId, facts } = await rig.paid();
    await rig.wallet.allocate(accountId, {
      from: 'MASTER',
      to: 'CREATIVE',
      amountMicros: 40n * CREDIT,
      idempotencyKey: newId(),
    });
    const lost = facts.dispute(newId(), 8_000n, 'lost');
    // First lost, and only then with the amount that was lost.
    const part = { ...lost, lostMinor: 3_000n };
    await rig.deliver([when === 'before' ? part : { ...lost, lostMinor: null }]);
    await rig.deliver([facts.dispute(newId(), 8_000n, 'open')]);
    await rig.deliver([factsOf(await rig.topUp(accountId, '50')).captured]);
    await rig.deliver([part]);
    // The other dispute still holds credits of its own payment, not of the next one.
    expect(await rig.balances(accountId)).toEqual({
      MASTER: 50n * CREDIT,
      DISPUTE_HOLD: 70n * CREDIT,
      CASH: -120n * CREDIT,
    });
  });
});
