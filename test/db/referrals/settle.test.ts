import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { openFundedAccount } from '../../support/accounts.js';
import { after, CAPTURED_AT, CREDIT, HOUR_MS, permutations, ReferralTest } from './referralTest.js';

let test: ReferralTest;
beforeAll(async () => {
  test = await ReferralTest.start();
  await installVirtualClock(test.database.migrationUrl);
});
afterEach(async () => {
  expect(await test.faults()).toEqual([]);
});
afterAll(() => test.stop());

describe('the first top-up', () => {
  it('grants both bonuses, the referrer’s through the outbox', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(inviteeId);

    expect(await test.balance(inviteeId)).toBe(12n * CREDIT);
    expect(await test.balance(inviteeId, 'PROMO')).toBe(-2n * CREDIT);
    expect(await test.balance(referrerId)).toBe(0n);
    expect(await test.status(inviteeId)).toEqual({ status: 'granted', reason: null });

    await test.referrals.deliver();
    expect(await test.balance(referrerId)).toBe(5n * CREDIT);
    expect(await test.postings(referrerId)).toEqual({ REFERRAL_BONUS: 1 });
  });

  it('is the only one that grants bonuses', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(inviteeId);
    await test.settle(inviteeId, { topUpId: 'second', capturedAt: after(HOUR_MS) });
    await test.settle(inviteeId, { topUpId: 'second', capturedAt: after(HOUR_MS), refundedAt: after(2 * HOUR_MS) });
    await test.referrals.deliver();

    expect(await test.postings(inviteeId)).toEqual({ TOPUP: 2, REFERRAL_BONUS: 1 });
    expect(await test.postings(referrerId)).toEqual({ REFERRAL_BONUS: 1 });
  });

  it('grants nothing without a referral, and still records who paid', async () => {
    const ownerId = await openFundedAccount(test.db, {});
    await test.settle(ownerId, { payerHashes: ['b', 'a', 'b'] });
    await test.settle(ownerId, { payerHashes: ['a', 'c'] });
    expect(await test.postings(ownerId)).toEqual({ TOPUP: 1 });
    expect(await test.rows('select hash from payer where account_id = $1 order by hash', [ownerId])).toEqual([
      { hash: 'a' },
      { hash: 'b' },
      { hash: 'c' },
    ]);
  });

  it('repays the debts of invitee and referrer first', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.owe(inviteeId, 11n * CREDIT);
    await test.owe(referrerId, 3n * CREDIT);
    await test.settle(inviteeId);
    await test.referrals.deliver();
    expect(await test.wallet.balances(inviteeId)).toMatchObject({ MASTER: CREDIT, DEBT: 0n });
    expect(await test.wallet.balances(referrerId)).toMatchObject({ MASTER: 2n * CREDIT, DEBT: 0n });
  });

  it('grants once when fifty are credited at the same time', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        test.settle(inviteeId, { topUpId: `race-${n}`, capturedAt: after((n % 7) * 1000) }),
      ),
    );
    await test.referrals.deliver();
    expect(await test.postings(inviteeId)).toEqual({ TOPUP: 50, REFERRAL_BONUS: 1 });
    expect(await test.balance(inviteeId)).toBe(502n * CREDIT);
    expect(await test.balance(referrerId)).toBe(5n * CREDIT);
    expect(await test.rows('select topup_id from referral where account_id = $1', [inviteeId])).toEqual([
      { topup_id: 'race-0' },
    ]);
  });
});

describe('a refund, delivered three days late', () => {
  for (const { at, ms, clawedBack } of [
    { at: '47:59:59', ms: 48 * HOUR_MS - 1000, clawedBack: true },
    { at: '48:00:00', ms: 48 * HOUR_MS, clawedBack: true },
    { at: '48:00:00.001', ms: 48 * HOUR_MS + 1, clawedBack: false },
    { at: '48:00:01', ms: 48 * HOUR_MS + 1000, clawedBack: false },
  ]) {
    it(`${clawedBack ? 'claws both bonuses back' : 'leaves both bonuses'} if it was made ${at} after the capture`, async () => {
      const { referrerId, inviteeId } = await test.pair();
      await test.settle(inviteeId);
      await test.referrals.deliver();
      await setClockOffset(test.database.migrationUrl, 5 * 24 * HOUR_MS);
      try {
        await test.settle(inviteeId, { refundedAt: after(ms) });
        await test.referrals.deliver();
      } finally {
        await setClockOffset(test.database.migrationUrl, 0);
      }
      expect(await test.balance(inviteeId)).toBe(clawedBack ? 10n * CREDIT : 12n * CREDIT);
      expect(await test.balance(referrerId)).toBe(clawedBack ? 0n : 5n * CREDIT);
      const bonus = { REFERRAL_BONUS: 1 };
      expect(await test.postings(referrerId)).toEqual(clawedBack ? { ...bonus, REFUND: 1 } : bonus);
      expect((await test.status(inviteeId))?.status).toBe(clawedBack ? 'clawed_back' : 'granted');
    });
  }

  it('leaves debt if the bonus was spent, after taking from MASTER, CREATIVE, AI and CLOUD', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(inviteeId);
    await test.referrals.deliver();
    for (const [to, credits] of [
      ['CREATIVE', 2n],
      ['AI', 1n],
      ['CLOUD', 1n],
    ] as const) {
      await test.wallet.allocate(referrerId, {
        from: 'MASTER',
        to,
        amountMicros: credits * CREDIT,
        idempotencyKey: to,
      });
    }
    await test.spend(referrerId, CREDIT);
    await test.spend(inviteeId, 11n * CREDIT);
    await test.settle(inviteeId, { refundedAt: after(HOUR_MS) });
    await test.referrals.deliver();

    expect(await test.wallet.balances(inviteeId)).toMatchObject({ MASTER: 0n, DEBT: -CREDIT });
    expect(await test.wallet.balances(referrerId)).toMatchObject({
      MASTER: 0n,
      CREATIVE: 0n,
      AI: 0n,
      CLOUD: 0n,
      DEBT: -CREDIT,
    });
  });

  it('cancels the referral for good if it is known before the grant', async () => {
    const { referrerId, inviteeId } = await test.pair();
    for (let times = 0; times < 2; times += 1) await test.settle(inviteeId, { refundedAt: after(HOUR_MS) });
    await test.settle(inviteeId, { topUpId: 'second', capturedAt: after(HOUR_MS) });
    await test.referrals.deliver();
    expect(await test.status(inviteeId)).toEqual({ status: 'cancelled', reason: 'refunded' });
    expect(await test.postings(inviteeId)).toEqual({ TOPUP: 2 });
    expect(await test.postings(referrerId)).toEqual({});
    expect(await test.referrals.invitees(referrerId, { first: 10, after: null })).toMatchObject([
      { status: 'cancelled', bonusMicros: 0n },
    ]);
  });

  it('is not lost if it comes at the moment of the grant', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { referrerId, inviteeId } = await test.pair();
      const refundedAt = after(HOUR_MS);
      await Promise.all([{}, { refundedAt }, {}, { refundedAt }].map((facts) => test.judge(inviteeId, facts)));
      await test.referrals.deliver();
      expect(await test.wallet.balances(inviteeId)).toMatchObject({ MASTER: 0n, DEBT: 0n });
      expect(await test.balance(referrerId)).toBe(0n);
    }
  });

  it('is final: neither another top-up nor an earlier capture restores the bonus', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(inviteeId);
    await test.settle(inviteeId, { refundedAt: after(48 * HOUR_MS) });
    await test.settle(inviteeId, { capturedAt: after(-1000), refundedAt: after(48 * HOUR_MS) });
    await test.settle(inviteeId, { topUpId: 'second', capturedAt: after(HOUR_MS) });
    await test.referrals.deliver();
    expect(await test.status(inviteeId)).toEqual({ status: 'clawed_back', reason: 'refunded' });
    expect(await test.postings(inviteeId)).toEqual({ TOPUP: 2, REFERRAL_BONUS: 1, REFUND: 1 });
    expect(await test.balance(referrerId)).toBe(0n);
  });
});

describe('settling in any order', () => {
  it.each([
    { name: 'with a refund inside the window', refundMs: 48 * HOUR_MS, invitee: 20n, referrer: 0n },
    { name: 'with a refund after it', refundMs: 48 * HOUR_MS + 1, invitee: 22n, referrer: 5n },
  ])('ends with the same balances, $name', async ({ refundMs, invitee, referrer }) => {
    const calls = [
      {},
      { refundedAt: after(refundMs) },
      { topUpId: 'second', capturedAt: after(1000) },
      { topUpId: 'second', capturedAt: after(1000), payerHashes: ['another card'] },
    ];
    for (const [at, order] of permutations([...calls.keys()]).entries()) {
      const { referrerId, inviteeId } = await test.pair();
      for (const call of order) {
        await test.settle(inviteeId, calls[call]);
        if (at % 2 === 0) await test.referrals.deliver();
      }
      await test.referrals.deliver();
      expect({ order, invitee: await test.balance(inviteeId) }).toEqual({ order, invitee: invitee * CREDIT });
      expect({ order, referrer: await test.balance(referrerId) }).toEqual({ order, referrer: referrer * CREDIT });
      expect(await test.balance(inviteeId, 'DEBT')).toBe(0n);
    }
  });

  it('counts the top-up that was captured first as the first, even if it was credited second', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(inviteeId, { topUpId: 'later', capturedAt: after(HOUR_MS) });
    await test.settle(inviteeId);
    await test.settle(inviteeId, { topUpId: 'later', capturedAt: after(HOUR_MS), refundedAt: after(2 * HOUR_MS) });
    await test.referrals.deliver();
    expect(await test.balance(referrerId)).toBe(5n * CREDIT);

    await test.settle(inviteeId, { refundedAt: after(2 * HOUR_MS) });
    await test.referrals.deliver();
    expect(await test.balance(referrerId)).toBe(0n);
    expect(await test.postings(inviteeId)).toEqual({ TOPUP: 2, REFERRAL_BONUS: 1, REFUND: 1 });
  });
});

describe('the same payer', () => {
  it('cancels if the referrer paid with the invitee’s card before', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(referrerId, { payerHashes: ['shared', 'own'] });
    await test.settle(inviteeId, { payerHashes: ['shared'] });
    await test.referrals.deliver();
    expect(await test.status(inviteeId)).toEqual({ status: 'cancelled', reason: 'same_payer' });
    expect(await test.postings(inviteeId)).toEqual({ TOPUP: 1 });
    expect(await test.postings(referrerId)).toEqual({ TOPUP: 1 });
  });

  it('claws back what was granted before the card was known', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(referrerId, { payerHashes: ['late'] });
    await test.settle(inviteeId, { payerHashes: [] });
    await test.referrals.deliver();
    expect(await test.balance(referrerId)).toBe(15n * CREDIT);
    await test.settle(inviteeId, { payerHashes: ['late'] });
    await test.referrals.deliver();
    expect(await test.status(inviteeId)).toEqual({ status: 'clawed_back', reason: 'same_payer' });
    expect([await test.balance(inviteeId), await test.balance(referrerId)]).toEqual([10n * CREDIT, 10n * CREDIT]);
  });

  it('does not count cards that the referrer uses afterwards', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(inviteeId, { payerHashes: ['lent'] });
    await test.referrals.deliver();
    await test.settle(referrerId, { payerHashes: ['lent'] });
    await test.settle(inviteeId, { payerHashes: ['lent'], capturedAt: CAPTURED_AT });
    expect(await test.status(inviteeId)).toEqual({ status: 'granted', reason: null });
  });
});
