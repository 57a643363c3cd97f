import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/ids.js';
import { verifyLedger } from '../../../src/domain/wallet/verify.js';
import { CREDIT, Desk } from './staff.js';

let desk: Desk;
let owner: string;
let asha: string;
let ravi: string;
let booksHold: boolean;

beforeEach(async () => {
  booksHold = true;
  desk = await Desk.open();
  [owner, asha, ravi] = [await desk.person(), await desk.person(), await desk.person()];
});
afterEach(async () => {
  if (booksHold) expect((await verifyLedger(desk.db)).faults).toEqual([]);
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

describe('what one member of staff may do', () => {
  it('books up to the limit at once, and asks from one micro-credit more', async () => {
    expect(await adjust(asha, 1000n)).toBeNull();
    expect(await desk.master(owner)).toBe(1000n);
    const over = { actorId: asha, accountId: owner, reason: 'x', idempotencyKey: 'over', amountMicros: 1n };
    expect(await desk.adjustments.adjust(over)).toMatchObject({ status: 'pending', amountMicros: 1n });
    expect(await desk.master(owner)).toBe(1000n);
    expect(await desk.trail(owner)).toEqual(['wallet.adjust 1000', 'wallet.propose_adjustment 0.000001']);
  });

  it('adds up what one person did to one account within 24 hours, up and down', async () => {
    expect(await adjust(asha, 600n)).toBeNull();
    expect(await adjust(asha, -300n)).toBeNull();
    expect(await adjust(asha, 101n)).toMatchObject({ status: 'pending' });
    expect(await adjust(asha, 100n)).toBeNull();
    expect(await adjust(ravi, 1000n)).toBeNull();
    expect(await adjust(asha, 1000n, newId(), await desk.person())).toBeNull();

    await desk.clockAfter(23.9);
    expect(await adjust(asha, 1n)).toMatchObject({ status: 'pending' });
    await desk.clockAfter(24.1);
    expect(await adjust(asha, 1000n)).toBeNull();
    expect(await desk.master(owner)).toBe(2400n);
  });

  it('lets no two corrections at once past the limit', async () => {
    for (let round = 0; round < 10; round += 1) {
      const account = await desk.person();
      const results = await Promise.all(Array.from({ length: 12 }, () => adjust(asha, 300n, newId(), account)));
      expect(results.filter((request) => request === null)).toHaveLength(3);
      expect(await desk.master(account)).toBe(900n);
    }
  });

  it('does the same key once, booked or asked for, and refuses it for something else', async () => {
    const booked = await Promise.all(Array.from({ length: 8 }, () => adjust(asha, 10n, 'small')));
    expect(booked).toEqual(Array.from({ length: 8 }, () => null));
    const asked = await Promise.all(Array.from({ length: 8 }, () => adjust(asha, 5000n, 'large')));
    expect(new Set(asked.map((request) => request!.id)).size).toBe(1);
    await expect(adjust(asha, 11n, 'small')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    await expect(adjust(ravi, 10n, 'small')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    expect(await desk.master(owner)).toBe(10n);
    expect(await desk.trail(owner)).toEqual(['wallet.adjust 10', 'wallet.propose_adjustment 5000']);
  });

  it('refuses the own account, nothing, bad keys and unknown accounts', async () => {
    await expect(adjust(asha, 1n, 'a', asha)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(adjust(asha, 0n)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(adjust(asha, 1n, '')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(adjust(asha, 5000n, 'x'.repeat(181))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(adjust(asha, 1n, 'a', newId())).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' });
    await expect(adjust(asha, -1n)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
    expect(await desk.trail(owner)).toEqual([]);
  });
});

describe('the second pair of eyes', () => {
  it('approves once, however often and by however many at once', async () => {
    const request = await adjust(asha, 5000n);
    const third = await desk.person();
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

  it('ends in one of the two where approval and refusal race', async () => {
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

  it('is never the same person, nor the owner; nor can the tables be told otherwise', async () => {
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

  it('can refuse, and a refused or expired request is never booked', async () => {
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

  it('keeps a request pending where the wallet does not hold what it would take', async () => {
    const request = await adjust(asha, -5000n);
    await expect(desk.adjustments.approve(decision(ravi, request!.id))).rejects.toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
    });
    const [listed] = await desk.adjustments.list({ first: 1, after: null, status: 'pending' });
    expect(listed).toMatchObject({ id: request!.id, requestedByEmail: `${asha}@example.com` });
  });

  it('does not deadlock with corrections of the same account', async () => {
    const requests = await Promise.all(Array.from({ length: 10 }, () => adjust(asha, 1001n)));
    await Promise.all([
      ...requests.map((request) => desk.adjustments.approve(decision(ravi, request!.id))),
      ...Array.from({ length: 10 }, (_, n) => adjust(ravi, 10n, `small:${n}`)),
      ...Array.from({ length: 10 }, (_, n) => adjust(ravi, 10n, `small:${n}`)),
    ]);
    expect(await desk.master(owner)).toBe(10_110n);
  });

  it('lists by pages and status', async () => {
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

describe('the proof', () => {
  it('tells a correction without its row, and a row that says something else', async () => {
    await adjust(asha, 7n, 'seven');
    await adjust(asha, 8n, 'eight');
    await desk.admin.query(`update adjustment set amount_micros = amount_micros + 1 where idempotency_key = 'seven'`);
    await desk.admin.query(`delete from adjustment where idempotency_key = 'eight'`);
    const { faults } = await verifyLedger(desk.db);
    expect(faults.map(({ check, ownerId, subject }) => [check, ownerId, subject])).toEqual([
      ['adjustment', owner, 'adjustment:support:eight'],
      ['adjustment', owner, 'adjustment:support:seven'],
    ]);
    booksHold = false;
  });
});
