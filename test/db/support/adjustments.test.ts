import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { CREDIT, Desk } from './staff.js';

let desk: Desk;
let owner: string;
let asha: string;
let ravi: string;

beforeEach(async () => {
  desk = await Desk.open();
  [owner, asha, ravi] = [await desk.person(), await desk.colleague(), await desk.colleague()];
});
afterEach(async () => {
  await desk.close();
});

const adjust = (actorId: string, credits: bigint, key: string = newId(), accountId = owner) =>
  desk.adjustments.adjust({
    actorId,
    accountId,
    amountMicros: credits * CREDIT,
    reason: 'goodwill',
    idempotencyKey: key,
  });
const decision = (actorId: string, adjustmentId: string) => ({
  actorId,
  accountId: owner,
  adjustmentId,
  reason: 'checked the invoice',
});

describe('an adjustment by one member of staff', () => {
  it('is posted at once up to the limit, and needs approval above it', async () => {
    expect(await adjust(asha, 1000n)).toBeNull();
    expect(await desk.master(owner)).toBe(1000n);
    const over = { actorId: asha, accountId: owner, reason: 'x', idempotencyKey: 'over', amountMicros: 1n };
    expect(await desk.adjustments.adjust(over)).toMatchObject({ status: 'pending', amountMicros: 1n });
    expect(await desk.master(owner)).toBe(1000n);
    expect(await desk.trail(owner)).toEqual(['wallet.adjust 1000', 'wallet.propose_adjustment 0.000001']);
  });

  it('counts with all others of that person on one UTC day, over all accounts, up and down', async () => {
    const untilMidnightHours = 24 - (Date.now() % 86_400_000) / 3_600_000;
    await desk.clockAfter(untilMidnightHours + 0.1);
    expect(await adjust(asha, 600n)).toBeNull();
    expect(await adjust(asha, -300n)).toBeNull();
    expect(await adjust(asha, 101n)).toMatchObject({ status: 'pending' });
    expect(await adjust(asha, 99n, newId(), await desk.person())).toBeNull();
    expect(await adjust(asha, 2n, newId(), await desk.person())).toMatchObject({ status: 'pending' });
    expect(await adjust(asha, 1n)).toBeNull();
    expect(await adjust(ravi, 1000n)).toBeNull();

    await desk.clockAfter(untilMidnightHours + 23.9);
    expect(await adjust(asha, 1n)).toMatchObject({ status: 'pending' });
    await desk.clockAfter(untilMidnightHours + 24.1);
    expect(await adjust(asha, 1000n)).toBeNull();
    expect(await desk.master(owner)).toBe(2301n);
  });

  it('cannot exceed the limit by racing', async () => {
    for (let round = 0; round < 10; round += 1) {
      const maya = await desk.colleague();
      const accounts = [await desk.person(), await desk.person(), await desk.person()];
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, n) => adjust(maya, 300n, newId(), accounts[n % accounts.length])),
      );
      expect(results.filter((request) => request === null)).toHaveLength(3);
      const masters = await Promise.all(accounts.map((account) => desk.master(account)));
      expect(masters.reduce((sum, credits) => sum + credits, 0n)).toBe(900n);
    }
  });

  it('is made once per key, posted or requested, and refused for a different one with its key', async () => {
    const booked = await Promise.all(Array.from({ length: 8 }, () => adjust(asha, 10n, 'small')));
    expect(booked).toEqual(Array.from({ length: 8 }, () => null));
    const asked = await Promise.all(Array.from({ length: 8 }, () => adjust(asha, 5000n, 'large')));
    expect(new Set(asked.map((request) => request!.id)).size).toBe(1);
    await expect(adjust(asha, 11n, 'small')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    await expect(adjust(ravi, 10n, 'small')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    expect(await desk.master(owner)).toBe(10n);
    expect(await desk.trail(owner)).toEqual(['wallet.adjust 10', 'wallet.propose_adjustment 5000']);
  });

  it('is refused for one’s own account, zero credits, bad keys and unknown accounts', async () => {
    await expect(adjust(asha, 1n, 'a', asha)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(adjust(asha, 1n, 'a', asha.toUpperCase())).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(adjust(asha, 0n)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(adjust(asha, 1n, '')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(adjust(asha, 5000n, 'x'.repeat(181))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(adjust(asha, 1n, 'a', newId())).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' });
    await expect(adjust(asha, -1n)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
    expect(await desk.trail(owner)).toEqual([]);
  });
});

describe('the second person', () => {
  it('approves once, however often and concurrently', async () => {
    const request = await adjust(asha, 5000n);
    const third = await desk.colleague();
    const approvals = await Promise.all(
      Array.from({ length: 10 }, (_, n) => desk.adjustments.approve(decision(n % 2 ? ravi : third, request!.id))),
    );
    expect(new Set(approvals.map(({ status }) => status))).toEqual(new Set(['approved']));
    expect(new Set(approvals.map(({ decidedBy }) => decidedBy)).size).toBe(1);
    expect(await desk.master(owner)).toBe(5000n);
    expect(await desk.trail(owner)).toEqual(['wallet.propose_adjustment 5000', 'wallet.adjust 5000']);
    await expect(desk.adjustments.refuse(decision(ravi, request!.id))).rejects.toMatchObject({
      code: 'INVALID_STATE',
      details: { status: 'approved' },
    });
  });

  it('approves or refuses, never both, when the two race', async () => {
    for (let round = 0; round < 15; round += 1) {
      const before = await desk.master(owner);
      const request = await adjust(asha, 2000n);
      const outcomes = await Promise.allSettled([
        desk.adjustments.approve(decision(ravi, request!.id)),
        desk.adjustments.refuse(decision(ravi, request!.id)),
      ]);
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
      const gained = (await desk.master(owner)) - before;
      expect(gained).toBe(outcomes[0].status === 'fulfilled' ? 2000n : 0n);
    }
  });

  it('is never the requester or the owner, and the table enforces that', async () => {
    const request = await adjust(asha, 5000n);
    await expect(desk.adjustments.approve(decision(asha, request!.id))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(desk.adjustments.refuse(decision(asha, request!.id))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(desk.adjustments.approve(decision(owner, request!.id))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(
      desk.admin.query(`update adjustment set status = 'refused', decided_by = requested_by where id = $1`, [
        request!.id,
      ]),
    ).rejects.toThrow('check constraint');
    expect(await desk.master(owner)).toBe(0n);
  });

  it('can refuse, and a refused or expired request is never posted', async () => {
    const refused = await adjust(asha, 5000n);
    expect(await desk.adjustments.refuse(decision(ravi, refused!.id))).toMatchObject({
      status: 'refused',
      decidedBy: ravi,
      decisionReason: 'checked the invoice',
    });
    await expect(desk.adjustments.approve(decision(ravi, refused!.id))).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });

    const inTime = await adjust(asha, 4000n);
    const late = await adjust(asha, 3000n);
    await desk.clockAfter(7 * 24 - 0.1);
    await desk.adjustments.approve(decision(ravi, inTime!.id));
    await desk.clockAfter(7 * 24 + 0.1);
    await expect(desk.adjustments.approve(decision(ravi, late!.id))).rejects.toMatchObject({
      code: 'INVALID_STATE',
      details: { status: 'expired' },
    });
    expect(await desk.master(owner)).toBe(4000n);
    const all = await desk.adjustments.list({ first: 10, after: null, status: null });
    expect(all.map(({ status }) => status)).toEqual(['expired', 'approved', 'refused']);
  });

  it('cannot approve more than the wallet holds, and the request stays pending', async () => {
    const request = await adjust(asha, -5000n);
    await expect(desk.adjustments.approve(decision(ravi, request!.id))).rejects.toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
    });
    const [listed] = await desk.adjustments.list({ first: 1, after: null, status: 'pending' });
    expect(listed).toMatchObject({ id: request!.id, requestedByEmail: `${asha}@example.com` });
  });

  it('does not deadlock with adjustments of the same account', async () => {
    const requests = await Promise.all(Array.from({ length: 10 }, () => adjust(asha, 1001n)));
    await Promise.all([
      ...requests.map((request) => desk.adjustments.approve(decision(ravi, request!.id))),
      ...Array.from({ length: 10 }, (_, n) => adjust(ravi, 10n, `small:${n}`)),
      ...Array.from({ length: 10 }, (_, n) => adjust(ravi, 10n, `small:${n}`)),
    ]);
    expect(await desk.master(owner)).toBe(10_110n);
  });

  it('lists requests by page and status', async () => {
    for (let n = 0; n < 5; n += 1) await adjust(asha, 2000n);
    const first = await desk.adjustments.list({ first: 3, after: null, status: 'pending' });
    const rest = await desk.adjustments.list({ first: 3, after: first[2]!.cursor, status: 'pending' });
    expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(5);
    expect(await desk.adjustments.list({ first: 3, after: null, status: 'approved' })).toEqual([]);
    await expect(desk.adjustments.list({ first: 3, after: 'bm9uZQ', status: null })).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
    });
  });
});

describe('a conflict of interest', () => {
  const atOnce = (actorId: string, accountId: string) => adjust(actorId, 1n, newId(), accountId);
  const invite = (invitee: string, referrer: string) =>
    desk.admin.query(
      `insert into referral (account_id, referrer_id, code, masked_email, joined_at) values ($1, $2, 'C', 'x', now())`,
      [invitee, referrer],
    );

  it('with a colleague or an invitee requires a second person from the first micro-credit', async () => {
    const invitee = await desk.person();
    await invite(invitee, asha);
    for (const account of [ravi, invitee]) {
      const request = await atOnce(asha, account);
      expect(request).toMatchObject({ status: 'pending' });
      expect(await desk.master(account)).toBe(0n);
    }
    expect(await atOnce(ravi, invitee)).toBeNull();
  });

  it('also excludes the second person', async () => {
    await invite(owner, ravi);
    const request = await adjust(asha, 5000n);
    await expect(desk.adjustments.approve(decision(ravi, request!.id))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const ofRavi = await atOnce(asha, ravi);
    const order = { ...decision(ravi, ofRavi!.id), accountId: ravi.toUpperCase() };
    await expect(desk.adjustments.approve(order)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect([await desk.master(owner), await desk.master(ravi)]).toEqual([0n, 0n]);
  });

  it('is enforced by the table', async () => {
    const insert = (accountId: string, actorId: string) =>
      desk.admin.query(
        `insert into adjustment (account_id, id, amount_micros, reason, idempotency_key, status, requested_by, requested_at,
          tx_id) values ($1, $2, 1, 'x', $4, 'posted', $3, now(), $2)`,
        [accountId, newId(), actorId, newId()],
      );
    await expect(insert(ravi, asha)).rejects.toMatchObject({ constraint: 'adjustment_people' });
    await expect(insert(owner, await desk.person())).rejects.toMatchObject({ constraint: 'adjustment_people' });
  });
});

describe('a person who is no longer staff', () => {
  it('cannot post, request, approve or refuse, and their requests cannot be approved', async () => {
    const mine = await adjust(asha, 5000n);
    const theirs = await adjust(ravi, 5000n);
    await desk.accounts.promote(`${asha}@example.com`, 'owner');
    for (const attempt of [
      () => adjust(asha, 1n),
      () => adjust(asha, 5000n),
      () => desk.adjustments.approve(decision(asha, theirs!.id)),
      () => desk.adjustments.refuse(decision(asha, theirs!.id)),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    await expect(desk.adjustments.approve(decision(ravi, mine!.id))).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await desk.adjustments.refuse(decision(ravi, mine!.id));
    expect(await desk.master(owner)).toBe(0n);
  });

  it('is stopped by a suspension that commits first, in every race', async () => {
    for (let round = 0; round < 10; round += 1) {
      const maya = await desk.colleague();
      const request = await adjust(asha, 1001n);
      const before = await desk.master(owner);
      const [approved] = await Promise.allSettled([
        desk.adjustments.approve(decision(maya, request!.id)),
        desk.accounts.suspend(maya, ravi, 'left'),
      ]);
      const gained = (await desk.master(owner)) - before;
      expect(gained).toBe(approved.status === 'fulfilled' ? 1001n : 0n);
      await expect(adjust(maya, 1n)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
  });
});

describe('verifying adjustments', () => {
  it('finds one without its row, and one whose row has another amount', async () => {
    await adjust(asha, 7n, 'seven');
    await adjust(asha, 8n, 'eight');
    await desk.admin.query(`update adjustment set amount_micros = amount_micros + 1 where idempotency_key = 'seven'`);
    await desk.admin.query(`delete from adjustment where idempotency_key = 'eight'`);
    const { faults } = await verifyLedger(desk.db);
    expect(faults.map(({ check, ownerId, subject }) => [check, ownerId, subject])).toEqual([
      ['adjustment', owner, 'adjustment:support:eight'],
      ['adjustment', owner, 'adjustment:support:seven'],
    ]);
    desk.database.leaveUnproven('two rows are changed');
  });
});
