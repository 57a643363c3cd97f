import { describe, expect, it } from 'vitest';

import { takeAllowance } from '../../../src/domain/accounts/staff.js';
import { openStaffAccount } from '../../support/accounts.js';
import { PaymentsRig } from '../../support/payments.js';

const CREDIT = 1_000_000n;

const rig = await PaymentsRig.ofFile();

describe('refunds', () => {
  it('by staff share one daily limit over all accounts with adjustments, also when made at once', async () => {
    const limitCredits = 1000n;
    for (let round = 0; round < 3; round += 1) {
      const actorId = await openStaffAccount(rig.db);
      const paidUps = await Promise.all(Array.from({ length: 6 }, () => rig.paid()));
      // What an adjustment takes of the limit.
      await rig.db.transaction(({ sql }) => takeAllowance(sql, actorId, 850n * CREDIT, limitCredits * CREDIT));
      const results = await Promise.allSettled(
        paidUps.map(({ accountId, topUp }) =>
          rig.refunds.refundByStaff({
            accountId,
            actorId,
            topUpId: topUp.id,
            amount: '60',
            reason: 'goodwill',
            idempotencyKey: 's',
          }),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'APPROVAL_REQUIRED' });
      }
      const asked = await rig.rows('select id from refund_request where actor_id = $1', [actorId]);
      expect(asked).toHaveLength(2);
    }
  });

  it('by one person of staff are refused for colleagues, invitees and oneself, and by anyone else for all', async () => {
    const actorId = await openStaffAccount(rig.db);
    const { accountId, topUp } = await rig.paid();
    const refund = (actor: string) =>
      rig.refunds.refundByStaff({
        accountId,
        actorId: actor,
        topUpId: topUp.id,
        amount: '1',
        reason: 'goodwill',
        idempotencyKey: 's',
      });
    await rig.rows(`update account set role = 'support' where id = $1`, [accountId]);
    await expect(refund(actorId)).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
    await rig.rows(`update account set role = 'owner' where id = $1`, [accountId]);
    await rig.rows(
      `insert into referral (account_id, referrer_id, code, masked_email, joined_at) values ($1, $2, 'C', 'x', now())`,
      [accountId, actorId],
    );
    await expect(refund(actorId)).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
    await expect(refund(await rig.account())).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await rig.rows(`update account set role = 'support' where id = $1`, [accountId]);
    await expect(refund(accountId)).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
    expect(await rig.rows('select id from refund_request where account_id = $1', [accountId])).toEqual([]);
  });
});
