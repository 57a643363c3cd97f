import { describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { KeyService } from '../../../src/domain/accounts/keys/keys.service.js';
import { StaffRequestService } from '../../../src/domain/operations/support/staffRequest.service.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { openStaffAccount } from '../../support/accounts.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';

const rig = await PaymentsRig.ofFile();
const keys = new KeyService({ db: rig.db });
const requests = new StaffRequestService({ db: rig.db, keys, refunds: rig.refunds });
const staff = () => openStaffAccount(rig.db);
const [asha, ravi, maya] = [await staff(), await staff(), await staff()];

async function paidBy(accountId: string) {
  const topUp = await rig.topUp(accountId);
  const facts = factsOf(topUp);
  await rig.deliver([facts.captured]);
  return { topUpId: topUp.id, facts };
}

async function keyOf(accountId: string): Promise<string> {
  return (await keys.create(accountId, { name: 'Website' })).record.id;
}

const quotaOf = async (accountId: string, keyId: string) =>
  (
    await rig.rows<{ daily_limit: number }>('select daily_limit from api_key where account_id = $1 and id = $2', [
      accountId,
      keyId,
    ])
  )[0]!.daily_limit;

const askQuota = (actorId: string, accountId: string, apiKeyId: string, dailyQuota = 5000, key: string = newId()) =>
  requests.proposeQuota({ actorId, accountId, apiKeyId, dailyQuota, reason: 'a launch', idempotencyKey: key });

const askRefund = (actorId: string, accountId: string, topUpId: string, amount = '60', key: string = newId()) =>
  requests.proposeRefund({ actorId, accountId, topUpId, amount, reason: 'goodwill', idempotencyKey: key });

const decision = (actorId: string, { accountId, id }: { accountId: string; id: string }) => ({
  actorId,
  accountId,
  requestId: id,
  reason: 'looked at it',
});

const refundsOf = (accountId: string) =>
  rig.rows('select actor_id, approved_by, amount_minor, status from refund_request where account_id = $1', [accountId]);

describe('a quota change that needs two people', () => {
  it.each(['a colleague’s', 'one’s own'])(
    'of %s key is requested by one and approved by another, once',
    async (whose) => {
      const accountId = whose === 'one’s own' ? asha : await staff();
      const apiKeyId = await keyOf(accountId);
      const request = await askQuota(asha, accountId, apiKeyId);
      expect(request).toMatchObject({ status: 'pending', kind: 'quota', dailyQuota: 5000, apiKeyName: 'Website' });
      expect(await quotaOf(accountId, apiKeyId)).toBe(1000);

      await expect(requests.approve(decision(asha, request))).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(requests.approve(decision(accountId, request))).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(requests.approve(decision(await rig.account(), request))).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
      expect(await quotaOf(accountId, apiKeyId)).toBe(1000);

      expect(await requests.approve(decision(ravi, request))).toMatchObject({ status: 'approved' });
      expect(await quotaOf(accountId, apiKeyId)).toBe(5000);
      await keys.setDailyQuota(accountId, apiKeyId, 2000);
      expect(await requests.approve(decision(ravi, request))).toMatchObject({ status: 'approved' });
      expect(await quotaOf(accountId, apiKeyId)).toBe(2000);
      await expect(requests.refuse(decision(ravi, request))).rejects.toMatchObject({ code: 'INVALID_STATE' });
    },
  );

  it('is one request per idempotency key, even at once, and refused for a different change', async () => {
    const accountId = await staff();
    const apiKeyId = await keyOf(accountId);
    const asked = await Promise.all(Array.from({ length: 8 }, () => askQuota(asha, accountId, apiKeyId, 5000, 'once')));
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
    const other = askQuota(asha, accountId, apiKeyId, 9000, 'once');
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    await expect(askQuota(asha, accountId, newId())).rejects.toMatchObject({ code: 'API_KEY_NOT_FOUND' });
    await expect(askQuota(asha, accountId, apiKeyId, -1)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(askQuota(await rig.account(), accountId, apiKeyId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('is refused by another person, and stays refused', async () => {
    const accountId = await staff();
    const apiKeyId = await keyOf(accountId);
    const request = await askQuota(asha, accountId, apiKeyId);
    await expect(requests.refuse(decision(asha, request))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await requests.refuse(decision(ravi, request))).toMatchObject({
      status: 'refused',
      decisionReason: 'looked at it',
    });
    await expect(requests.approve(decision(maya, request))).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await quotaOf(accountId, apiKeyId)).toBe(1000);
    const trail = await rig.rows('select action, actor_id from audit_entry where account_id = $1 order by created_at', [
      accountId,
    ]);
    expect(trail).toEqual([
      { action: 'api_key.propose_daily_quota', actor_id: asha },
      { action: 'api_key.refuse_daily_quota', actor_id: ravi },
    ]);
  });

  it('is not made for a requester who is no longer staff', async () => {
    const [leaver, accountId] = [await staff(), await staff()];
    const apiKeyId = await keyOf(accountId);
    const request = await askQuota(leaver, accountId, apiKeyId);
    await rig.rows(`update account set role = 'owner' where id = $1`, [leaver]);
    await expect(requests.approve(decision(ravi, request))).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await quotaOf(accountId, apiKeyId)).toBe(1000);
  });
});

describe('a refund that needs two people', () => {
  it('is sent to the provider once when several approve it', async () => {
    for (let round = 0; round < 12; round += 1) {
      const accountId = await staff();
      const { topUpId } = await paidBy(accountId);
      const request = await askRefund(asha, accountId, topUpId);
      expect(await refundsOf(accountId)).toEqual([]);
      const made = rig.razorpay.refunds.size;
      const approvals = [ravi, maya, ravi, maya].map((actor) => requests.approve(decision(actor, request)));
      expect((await Promise.all(approvals)).map(({ status }) => status)).toEqual(Array(4).fill('approved'));
      const [refund, ...others] = await refundsOf(accountId);
      expect(others).toEqual([]);
      expect(refund).toMatchObject({ actor_id: asha, amount_minor: '6000' });
      expect([ravi, maya]).toContain(refund!['approved_by']);
      expect(rig.razorpay.refunds.size).toBe(made + 1);
    }
  });

  it('of one’s own top-up is approved by another, and posted by the webhook', async () => {
    const { topUpId, facts } = await paidBy(asha);
    const request = await askRefund(asha, asha, topUpId);
    await expect(requests.approve(decision(asha, request))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await requests.approve(decision(ravi, request));
    const [{ refund_id: refundId } = { refund_id: '' }] = await rig.rows<{ refund_id: string }>(
      'select refund_id from refund_request where account_id = $1 and topup_id = $2',
      [asha, topUpId],
    );
    await rig.deliver([facts.refund(refundId, 6_000n, 'processed')]);
    expect(await rig.balances(asha)).toMatchObject({ MASTER: 40_000_000n });
    const trail = await rig.rows(
      `select action, actor_id from audit_entry where account_id = $1 and action ~ '^payment' order by created_at`,
      [asha],
    );
    expect(trail).toEqual([
      { action: 'payment.propose_refund', actor_id: asha },
      { action: 'payment.refund', actor_id: ravi },
    ]);
  });

  it('of more than is left is refused at the request and at the approval', async () => {
    const accountId = await staff();
    const { topUpId } = await paidBy(accountId);
    await expect(askRefund(asha, accountId, topUpId, '100.01')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(askRefund(asha, accountId, newId())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const [first, second] = [await askRefund(asha, accountId, topUpId), await askRefund(asha, accountId, topUpId)];
    await requests.approve(decision(ravi, first));
    await expect(requests.approve(decision(ravi, second))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const pending = await requests.list({ first: 100, after: null, status: 'pending' });
    expect(pending.map(({ id }) => id)).toContain(second.id);
    expect(pending.map(({ id }) => id)).not.toContain(first.id);
    expect(await refundsOf(accountId)).toHaveLength(1);
  });

  it('cannot be decided by a person whom the owner invited', async () => {
    const accountId = await rig.account();
    const { topUpId } = await paidBy(accountId);
    const friend = await staff();
    await rig.rows(
      `insert into referral (account_id, referrer_id, code, masked_email, joined_at) values ($1, $2, 'C', 'x', now())`,
      [friend, accountId],
    );
    const request = await askRefund(asha, accountId, topUpId);
    await expect(requests.approve(decision(friend, request))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await requests.approve(decision(ravi, request))).toMatchObject({ status: 'approved' });
  });
});

describe('the table of staff requests', () => {
  const decide = (request: { accountId: string; id: string }, by: string) =>
    rig.db.sql.query(
      {
        name: '',
        text: `update staff_request set status = 'approved', decided_by = $3, decided_at = now() where account_id = $1 and id = $2`,
      },
      [request.accountId, request.id, by],
    );

  it('refuses an approval by the requester, by the owner, or by a person who is not staff', async () => {
    const accountId = await staff();
    const request = await askQuota(asha, accountId, await keyOf(accountId));
    await expect(decide(request, asha)).rejects.toThrow('check constraint');
    await expect(decide(request, accountId)).rejects.toThrow('check constraint');
    await expect(decide(request, await rig.account())).rejects.toThrow('needs another member of staff');
  });

  it('refuses a request that is inserted as approved, or changed later', async () => {
    const accountId = await staff();
    const request = await askQuota(asha, accountId, await keyOf(accountId));
    const again = rig.db.sql.query(
      {
        name: '',
        text: `insert into staff_request select (jsonb_populate_record(r, $3)).* from staff_request r where account_id = $1 and id = $2`,
      },
      [
        accountId,
        request.id,
        JSON.stringify({ id: newId(), idempotency_key: newId(), status: 'approved', decided_by: ravi }),
      ],
    );
    await expect(again).rejects.toThrow('needs another member of staff');
    const raise = { name: '', text: 'update staff_request set daily_quota = 9 where account_id = $1' };
    await expect(rig.db.sql.query(raise, [accountId])).rejects.toThrow('permission denied');
    await requests.refuse(decision(ravi, request));
    await expect(decide(request, ravi)).rejects.toThrow('needs another member of staff');
  });

  it('refuses a refund that names an approver without an approved request', async () => {
    const accountId = await staff();
    const { topUpId } = await paidBy(accountId);
    const write = (requestId: string) =>
      rig.db.transaction((tx) =>
        rig.refunds.writeApproved(tx, {
          accountId,
          requestId,
          topUpId,
          amountMinor: 6_000n,
          actorId: asha,
          approvedBy: ravi,
          reason: 'x',
        }),
      );
    await expect(write(newId())).rejects.toThrow('needs another member of staff');
    const request = await askRefund(asha, accountId, topUpId);
    await expect(write(request.id)).rejects.toThrow('needs another member of staff');
    expect(await refundsOf(accountId)).toEqual([]);
  });

  it('refuses an approval after seven days', async () => {
    const accountId = await staff();
    const request = await askQuota(asha, accountId, await keyOf(accountId));
    await installVirtualClock(rig.database.migrationUrl);
    await setClockOffset(rig.database.migrationUrl, 7 * 86_400_000 + 1000);
    try {
      await expect(requests.approve(decision(ravi, request))).rejects.toMatchObject({ code: 'INVALID_STATE' });
      await expect(decide(request, ravi)).rejects.toThrow('needs another member of staff');
    } finally {
      await setClockOffset(rig.database.migrationUrl, 0);
    }
  });
});
