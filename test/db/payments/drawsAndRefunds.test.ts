import { afterAll, beforeAll, expect, it } from 'vitest';

import type { SpendableAccount } from '../../../src/domain/ledger/ledgerAccounts.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { IS_FULL } from '../../support/effort.js';
import { lockForJob } from '../../support/jobs.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';

const CREDIT = 1_000_000n;
const CLIENTS = 200;
const ROUNDS = IS_FULL ? 30 : 1;
const REFUSALS = ['INSUFFICIENT_CREDITS', 'INVALID_INPUT'];

let rig: PaymentsRig;
beforeAll(async () => {
  rig = await PaymentsRig.start(24);
});
afterAll(() => rig.stop());

/**
 * Half of the clients want more than there is: jobs that draw, moves by hand in both directions, and refunds of the one
 * top-up. The later one is refused, and no credit is spent and paid back as well.
 */
it(`of ${CLIENTS} clients that lock, move by hand and ask for refunds, nobody gets a credit twice`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const accountId = await rig.account();
    const topUp = await rig.topUp(accountId);
    const facts = factsOf(topUp);
    await rig.deliver([facts.captured]);
    let locked = 0n;
    let asked = 0n;
    const move = (from: SpendableAccount, to: SpendableAccount) =>
      rig.wallet.allocate(accountId, { from, to, amountMicros: CREDIT, idempotencyKey: newId() });
    const client = async (n: number): Promise<void> => {
      if (n % 5 === 0) await move('MASTER', 'CREATIVE');
      else if (n % 5 === 1) await move('CREATIVE', 'MASTER');
      else if (n % 5 === 2) {
        await rig.refunds.requestRefund(accountId, { topUpId: topUp.id, amount: '1', idempotencyKey: `refund ${n}` });
        asked += 1n;
      } else {
        const job = { accountId, videoId: newId(), attempt: 1, amountMicros: (CREDIT * BigInt(1 + (n % 3))) / 2n };
        await rig.db.transaction(({ sql }) => lockForJob(sql, { ...job, bucket: 'CREATIVE' }));
        locked += job.amountMicros;
      }
    };
    const results = await Promise.allSettled(Array.from({ length: CLIENTS }, (_, n) => client(n)));
    for (const result of results) {
      if (result.status === 'rejected') expect(REFUSALS).toContain((result.reason as { code?: string }).code);
    }
    // Of each kind, the first did not come too late.
    expect(locked).toBeGreaterThan(0n);
    expect(asked).toBeGreaterThan(0n);
    const held = await rig.wallet.balances(accountId);
    expect([held.ESCROW, held.REFUND_HOLD, held.DEBT]).toEqual([locked, asked * CREDIT, 0n]);
    expect(held.MASTER + held.CREATIVE + locked + asked * CREDIT).toBe(100n * CREDIT);
    expect([held.MASTER, held.CREATIVE].every((micros) => micros >= 0n)).toBe(true);

    // The provider pays back what was asked for, and nothing else changes.
    const orders = [...rig.razorpay.refunds.values()].filter(({ paymentId }) => paymentId === facts.paymentId);
    const paidBack = orders.map(({ refundId, amountMinor, idempotencyKey }) => ({
      ...facts.refund(refundId, amountMinor, 'processed'),
      requestKey: idempotencyKey,
    }));
    expect(BigInt(paidBack.length)).toBe(asked);
    await Promise.all(paidBack.map((refund) => rig.deliver([refund])));
    const after = await rig.wallet.balances(accountId);
    expect(after).toMatchObject({ ...held, REFUND_HOLD: 0n, CASH: held.CASH + asked * CREDIT });
  }
  expect(await rig.faults()).toEqual([]);
});
