import { describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { AppError } from '../../../src/errors.js';
import { chargeArrears, openStaffAccount } from '../../support/accounts.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';

const CREDIT = 1_000_000n;

const rig = await PaymentsRig.ofFile();

describe('refunds', () => {
  it('are refused beyond MASTER without calling the provider', async () => {
    const { accountId, topUp } = await rig.paid();
    await rig.spend(accountId, 70n);
    const calls = rig.razorpay.refundCalls;
    const order = { topUpId: topUp.id, amount: '40', idempotencyKey: 'r' };
    await expect(rig.refunds.requestRefund(accountId, order)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
    expect(rig.razorpay.refundCalls).toBe(calls);
    expect(await rig.balances(accountId)).toMatchObject({ MASTER: 30n * CREDIT });
  });

  it('leave what is owed in MASTER, since arrears are not repaid automatically', async () => {
    const { accountId, topUp } = await rig.paid();
    await rig.db.transaction(({ sql }) => chargeArrears(sql, accountId, 25n * CREDIT));
    const ask = (amount: string) =>
      rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount, idempotencyKey: amount });
    await expect(ask('75.01')).rejects.toMatchObject({ code: 'DEBT_OUTSTANDING', details: { owed: '25' } });
    expect(await ask('75')).toMatchObject({ status: 'requested' });
    expect(await rig.balances(accountId)).toMatchObject({ MASTER: 25n * CREDIT, REFUND_HOLD: 75n * CREDIT });
  });

  it('accept one of two concurrent requests for two top-ups with one key, and refuse the other', async () => {
    for (let round = 0; round < 20; round += 1) {
      const accountId = await rig.account();
      const topUps = [await rig.topUp(accountId), await rig.topUp(accountId)];
      for (const topUp of topUps) await rig.deliver([factsOf(topUp).captured]);
      const answers = await Promise.allSettled(
        topUps.map(({ id }) =>
          rig.refunds.requestRefund(accountId, { topUpId: id, amount: '30', idempotencyKey: 'one key' }),
        ),
      );
      const refusals = answers.filter((answer) => answer.status === 'rejected');
      expect(refusals).toMatchObject([{ reason: { code: 'IDEMPOTENCY_CONFLICT' } }]);
      expect(await rig.balances(accountId)).toMatchObject({ MASTER: 170n * CREDIT, REFUND_HOLD: 30n * CREDIT });
    }
  });

  it('are made once per key of an account, for the same amount of the same top-up', async () => {
    const [one, other] = [await rig.paid(), await rig.paid()];
    const second = await rig.topUp(one.accountId);
    await rig.deliver([factsOf(second).captured]);
    const ask = ({ accountId, topUp }: Pick<typeof one, 'accountId' | 'topUp'>, amount: string) =>
      rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount, idempotencyKey: 'key' });
    const first = await ask(one, '30');
    expect((await ask(one, '30')).id).toBe(first.id);
    await expect(ask(one, '31')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    await expect(ask({ ...one, topUp: second }, '30')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    expect((await ask(other, '30')).id).not.toBe(first.id);
    expect(await rig.balances(other.accountId)).toMatchObject({ REFUND_HOLD: 30n * CREDIT });
  });

  it('are refused to a suspended owner', async () => {
    const { accountId, topUp } = await rig.paid();
    await rig.rows('update account set suspended_at = now() where id = $1', [accountId]);
    const order = { topUpId: topUp.id, amount: '30', idempotencyKey: 's' };
    await expect(rig.refunds.requestRefund(accountId, order)).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
    expect(await rig.balances(accountId)).toMatchObject({ MASTER: 100n * CREDIT });
  });

  it('hold credits first, and settle or return them by webhook, in parts', async () => {
    const { accountId, topUp, facts } = await rig.paid();
    const ask = (amount: string, idempotencyKey: string) =>
      rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount, idempotencyKey });
    const [first, again] = await Promise.all([ask('30', 'a'), ask('30', 'a')]);
    expect(again.id).toBe(first.id);
    const second = await ask('20', 'b');
    expect(await rig.balances(accountId)).toEqual({
      MASTER: 50n * CREDIT,
      REFUND_HOLD: 50n * CREDIT,
      CASH: -100n * CREDIT,
    });
    await expect(ask('50.01', 'c')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await rig.deliver([facts.refund(first.refundId!, 3_000n, 'processed')]);
    await rig.deliver([facts.refund(second.refundId!, 2_000n, 'failed')]);
    await rig.deliver([facts.refund(second.refundId!, 2_000n, 'processed')]);
    expect(await rig.balances(accountId)).toEqual({ MASTER: 70n * CREDIT, CASH: -70n * CREDIT });
    await rig.deliver([facts.refund(first.refundId!, 3_000n, 'failed')]);
    expect(await rig.balances(accountId)).toEqual({ MASTER: 100n * CREDIT, CASH: -100n * CREDIT });
  });

  it.each(['with our key', 'without our key'])(
    'settle the hold once if the webhook comes before the provider’s response, %s',
    async (how) => {
      const { accountId, topUp, facts } = await rig.paid();
      rig.razorpay.beforeRefundResponse = async ({ refundId, idempotencyKey }) => {
        const requestKey = how === 'with our key' ? idempotencyKey : null;
        await rig.deliver([{ ...facts.refund(refundId, 4_000n, 'processed'), requestKey }]);
      };
      await rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount: '40', idempotencyKey: 'r' });
      rig.razorpay.beforeRefundResponse = async () => Promise.resolve();
      expect(await rig.balances(accountId)).toEqual({ MASTER: 60n * CREDIT, CASH: -60n * CREDIT });
      expect((await rig.topUps.get(accountId, topUp.id)).refunds).toMatchObject([{ state: 'processed' }]);
    },
  );

  it('return to MASTER if the provider refuses, and stay held while it is away', async () => {
    const { accountId, topUp, facts } = await rig.paid();
    const ask = (key: string) =>
      rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount: '40', idempotencyKey: key });
    rig.razorpay.refusesRefunds = true;
    expect(await ask('a')).toMatchObject({ status: 'refused' });
    rig.razorpay.refusesRefunds = false;
    expect(await rig.balances(accountId)).toEqual({ MASTER: 100n * CREDIT, CASH: -100n * CREDIT });

    // This is also the state after a kill between commit and call: only the row and its hold exist.
    rig.razorpay.isAway = true;
    const waiting = await ask('b');
    rig.razorpay.isAway = false;
    expect(waiting).toMatchObject({ status: 'requested', refundId: null });
    expect(await rig.balances(accountId)).toMatchObject({ REFUND_HOLD: 40n * CREDIT });
    await rig.rows(`update refund_request set next_attempt_at = now() where id = $1`, [waiting.id]);
    expect(await rig.refunds.retry()).toBe(1);
    const refund = rig.razorpay.refunds.get(waiting.id)!;
    await rig.deliver([facts.refund(refund.refundId, 4_000n, 'processed')]);
    expect(await rig.balances(accountId)).toEqual({ MASTER: 60n * CREDIT, CASH: -60n * CREDIT });
  });

  it('stay held if a lost response is followed by a refusal, since the webhook has reported the refund', async () => {
    const { accountId, topUp, facts } = await rig.paid();
    let refundId = '';
    rig.razorpay.beforeRefundResponse = async ({ idempotencyKey, ...refund }) => {
      refundId = refund.refundId;
      await rig.deliver([{ ...facts.refund(refundId, 4_000n, 'pending'), requestKey: idempotencyKey }]);
      // The refund was made. A second call, which ignores the key, is refused.
      throw new AppError('INVALID_STATE', 'The payment has been refunded already.');
    };
    const asked = await rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount: '40', idempotencyKey: 'l' });
    rig.razorpay.beforeRefundResponse = async () => Promise.resolve();
    expect(asked).toMatchObject({ status: 'requested', refundId });
    expect(await rig.balances(accountId)).toMatchObject({ MASTER: 60n * CREDIT, REFUND_HOLD: 40n * CREDIT });
    await rig.deliver([facts.refund(refundId, 4_000n, 'processed')]);
    expect(await rig.balances(accountId)).toEqual({ MASTER: 60n * CREDIT, CASH: -60n * CREDIT });
  });

  it('whose end is never reported raise an alert after a week, without a second call', async () => {
    const { accountId, topUp, facts } = await rig.paid();
    const alerts = () =>
      rig.rows<{ message: string }>(
        `select message from alert where kind = 'payment.refund_stuck' and account_id = $1`,
        [accountId],
      );
    const asked = await rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount: '40', idempotencyKey: 'w' });
    const calls = rig.razorpay.refundCalls;
    expect(await rig.refunds.retry()).toBe(0);
    await rig.rows(`update refund_request set next_attempt_at = next_attempt_at - interval '7 days' where id = $1`, [
      asked.id,
    ]);
    expect(await rig.refunds.retry()).toBe(1);
    expect(rig.razorpay.refundCalls).toBe(calls);
    expect(await alerts()).toMatchObject([{ message: expect.stringContaining(asked.refundId!) as string }]);
    await rig.deliver([facts.refund(asked.refundId!, 4_000n, 'processed')]);
    expect(
      await rig.rows('select 1 from refund_request where id = $1 and next_attempt_at is not null', [asked.id]),
    ).toEqual([]);
  });

  it('made in the provider’s console turn spent credits into DEBT, which the next top-up repays first', async () => {
    const { accountId, facts } = await rig.paid();
    await rig.spend(accountId, 90n);
    await rig.deliver([facts.refund(newId(), 10_000n, 'processed')]);
    expect(await rig.balances(accountId)).toMatchObject({ DEBT: -90n * CREDIT });
    await rig.deliver([factsOf(await rig.topUp(accountId)).captured]);
    expect(await rig.balances(accountId)).toMatchObject({ MASTER: 10n * CREDIT });
    expect((await rig.balances(accountId))['DEBT']).toBeUndefined();
  });

  it('by staff hold nothing, are in the audit trail, and are refused on one’s own account', async () => {
    const { accountId, topUp, facts } = await rig.paid();
    await rig.spend(accountId, 80n);
    const order = {
      accountId,
      actorId: await openStaffAccount(rig.db),
      topUpId: topUp.id,
      amount: '60',
      reason: 'goodwill',
      idempotencyKey: 's',
    };
    await expect(rig.refunds.refundByStaff({ ...order, actorId: accountId })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    const request = await rig.refunds.refundByStaff(order);
    expect(await rig.balances(accountId)).toMatchObject({ MASTER: 20n * CREDIT });
    await rig.deliver([facts.refund(request.refundId!, 6_000n, 'processed')]);
    expect(await rig.balances(accountId)).toMatchObject({ DEBT: -40n * CREDIT });
    expect(await rig.rows(`select action, reason from audit_entry where account_id = $1`, [accountId])).toEqual([
      { action: 'payment.refund', reason: 'goodwill' },
    ]);
  });

  it('that came before their payment are posted together with it, before the credits can be spent', async () => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId));
    const refund = newId();
    await rig.deliver([facts.refund(newId(), 4_000n, 'processed')], { eventId: refund });
    // This lock keeps the refund's own webhook from being processed.
    const holder = await rig.admin.connect();
    await holder.query('begin');
    await holder.query('select 1 from webhook_event where event_id = $1 for update', [refund]);
    const delivered = rig.deliver([facts.captured]);
    await expect.poll(() => rig.balances(accountId)).not.toEqual({});
    expect(await rig.balances(accountId)).toEqual({ MASTER: 60n * CREDIT, CASH: -60n * CREDIT });
    await holder.query('commit');
    holder.release();
    await delivered;
    await rig.settled([refund]);
    expect(await rig.balances(accountId)).toEqual({ MASTER: 60n * CREDIT, CASH: -60n * CREDIT });
  });

  it('and disputes together never take more than was paid', async () => {
    const { accountId, facts } = await rig.paid();
    await rig.deliver([facts.refund(newId(), 7_000n, 'processed')]);
    await rig.deliver([facts.refund(newId(), 7_000n, 'processed')]);
    await rig.deliver([facts.dispute(newId(), 10_000n, 'lost')]);
    expect(await rig.balances(accountId)).toEqual({});
  });
});
