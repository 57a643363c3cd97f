import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { openFundedAccount } from '../../support/accounts.js';
import { after, CAPTURED_AT, CREDIT, HOUR_MS, ReferralTest } from './referralTest.js';

let test: ReferralTest;
let admin: pg.Pool;
beforeAll(async () => {
  test = await ReferralTest.start();
  admin = new pg.Pool({ connectionString: test.database.migrationUrl, max: 1 });
  // Dropping the database ends connections that are still open.
  admin.on('error', () => undefined);
});
afterEach(async () => {
  expect(await test.faults()).toEqual([]);
});
afterAll(async () => {
  await admin.end();
  await test.stop();
});

const undelivered = () => test.rows('select account_id, kind from referral_outbox where deliver_after is not null');

describe('delivering a referral bonus', () => {
  it('posts it once when many deliver at the same time', async () => {
    const referrerId = await openFundedAccount(test.db, {});
    const pairs = await Promise.all(Array.from({ length: 12 }, () => test.pair({ referrerId })));
    await Promise.all(pairs.map(({ inviteeId }) => test.settle(inviteeId)));
    await Promise.all(pairs.slice(0, 4).map(({ inviteeId }) => test.settle(inviteeId, { refundedAt: after(HOUR_MS) })));
    while ((await undelivered()).length > 0) {
      await Promise.all(Array.from({ length: 8 }, () => test.referrals.deliver()));
    }
    expect(await test.postings(referrerId)).toEqual({ REFERRAL_BONUS: 12, REFUND: 4 });
    expect(await test.balance(referrerId)).toBe(40n * CREDIT);
    expect((await test.referrals.overview(referrerId)).totals).toEqual({
      invited: 12,
      pending: 0,
      granted: 8,
      clawedBack: 4,
      earnedMicros: 40n * CREDIT,
    });
  });

  it('starts over if it was killed half-way', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(inviteeId);
    // The trigger kills the connection at the last statement, after everything else.
    await admin.query(`
      create function die_here() returns trigger language plpgsql security definer as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger die_here before update on referral_outbox for each row
        when (new.outcome = 'booked') execute function die_here()`);
    const doomed = await test.another();
    await expect(doomed.deliver()).rejects.toThrow();
    expect(await test.postings(referrerId)).toEqual({});
    expect(await undelivered()).toEqual([{ account_id: inviteeId, kind: 'granted' }]);

    await admin.query('drop function die_here cascade');
    await test.referrals.deliver();
    await test.referrals.deliver();
    expect(await test.postings(referrerId)).toEqual({ REFERRAL_BONUS: 1 });
    expect(await test.balance(referrerId)).toBe(5n * CREDIT);
  });

  it('keeps the order per invitee: a claw-back that is due first waits for its grant', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(inviteeId);
    await test.settle(inviteeId, { refundedAt: after(HOUR_MS) });
    const postpone = (by: string) =>
      test.rows(
        `update referral_outbox set deliver_after = service_now() + $2::interval where account_id = $1 and seq < 2`,
        [inviteeId, by],
      );
    await postpone('1 hour');
    await test.referrals.deliver();
    expect(await test.postings(referrerId)).toEqual({});

    await postpone('0');
    await test.referrals.deliver();
    expect(await test.postings(referrerId)).toEqual({ REFERRAL_BONUS: 1, REFUND: 1 });
    expect(await test.balance(referrerId)).toBe(0n);
    expect(await test.balance(referrerId, 'DEBT')).toBe(0n);
  });

  it('raises an alert if one fails, and delivers the others', async () => {
    const [broken, whole] = [await test.pair(), await test.pair()];
    for (const { inviteeId } of [broken, whole]) await test.settle(inviteeId);
    await admin.query(`
      create function refuse_this() returns trigger language plpgsql as $$
      begin raise exception 'broken'; end $$;
      create trigger refuse_this before update on referral_outbox for each row
        when (new.outcome = 'booked' and new.account_id = '${broken.inviteeId}') execute function refuse_this()`);
    await test.referrals.deliver();
    expect(await test.balance(whole.referrerId)).toBe(5n * CREDIT);
    expect(await test.balance(broken.referrerId)).toBe(0n);
    expect(await test.rows('select kind, times from alert where account_id = $1', [broken.referrerId])).toEqual([
      { kind: 'referral.undelivered', times: 1 },
    ]);

    await admin.query('drop function refuse_this cascade');
    await test.rows('update referral_outbox set deliver_after = service_now() where deliver_after is not null');
    await test.referrals.deliver();
    expect(await test.balance(broken.referrerId)).toBe(5n * CREDIT);
  });

  it('posts to a suspended referrer, and skips one that no longer exists', async () => {
    const [suspended, vanished] = [await test.pair(), await test.pair()];
    for (const { inviteeId } of [suspended, vanished]) await test.settle(inviteeId);
    await test.rows('update account set suspended_at = service_now() where id = $1', [suspended.referrerId]);
    await admin.query('delete from ledger_account where owner_id = $1', [vanished.referrerId]);
    await test.referrals.deliver();
    expect(await test.balance(suspended.referrerId)).toBe(5n * CREDIT);
    expect(await test.balance(vanished.inviteeId)).toBe(12n * CREDIT);
    await test.settle(vanished.inviteeId, { refundedAt: after(HOUR_MS) });
    await test.referrals.deliver();
    expect(await test.postings(vanished.referrerId)).toEqual({});
    expect(await undelivered()).toEqual([]);
  });

  it('refuses a referrer who has since paid with the same card, and claws the invitee’s bonus back', async () => {
    const { referrerId, inviteeId } = await test.pair();
    await test.settle(inviteeId, { payerHashes: ['one card'] });
    await test.settle(referrerId, { payerHashes: ['one card'] });
    await test.referrals.deliver();
    await test.referrals.deliver();
    expect(await test.status(inviteeId)).toEqual({ status: 'clawed_back', reason: 'same_payer' });
    expect(await test.balance(inviteeId)).toBe(10n * CREDIT);
    expect(await test.postings(referrerId)).toEqual({ TOPUP: 1 });
    expect(await test.referrals.invitees(referrerId, { first: 1, after: null })).toMatchObject([
      { status: 'cancelled', bonusMicros: 0n },
    ]);
  });

  it('grants one bonus per card, however many invitees pay with it', async () => {
    const first = await test.pair();
    const { referrerId } = first;
    const others = [await test.pair({ referrerId }), await test.pair({ referrerId })];
    for (const { inviteeId } of [first, ...others]) {
      await test.settle(inviteeId, { payerHashes: ['a shared card', inviteeId] });
      await test.referrals.deliver();
    }
    await test.referrals.deliver();
    expect(await test.balance(referrerId)).toBe(5n * CREDIT);
    expect(await test.balance(first.inviteeId)).toBe(12n * CREDIT);
    for (const { inviteeId } of others) {
      expect(await test.status(inviteeId)).toEqual({ status: 'clawed_back', reason: 'same_payer' });
      expect(await test.balance(inviteeId)).toBe(10n * CREDIT);
    }
  });
});

describe('the referrals of an owner', () => {
  it('list invitees by page, newest first, with masked emails', async () => {
    const referrerId = await openFundedAccount(test.db, {});
    const pairs = [];
    for (let n = 0; n < 5; n += 1) pairs.push(await test.pair({ referrerId }));
    await test.settle(pairs[1]!.inviteeId);
    await test.referrals.deliver();

    const seen = [];
    for (let cursor: string | null = null, first = true; first || cursor; first = false) {
      const page = await test.referrals.invitees(referrerId, { first: 2, after: cursor });
      seen.push(...page);
      cursor = page.at(-1)?.cursor ?? null;
    }
    expect(seen.map(({ id }) => id)).toEqual(pairs.map(({ inviteeId }) => inviteeId).toReversed());
    expect(seen[0]).toMatchObject({ status: 'pending', maskedEmail: 'i•••@example.com', windowEndsAt: null });
    expect(seen[3]).toMatchObject({
      status: 'granted',
      bonusMicros: 5n * CREDIT,
      windowEndsAt: new Date(CAPTURED_AT.getTime() + 48 * HOUR_MS),
    });
    await expect(test.referrals.invitees(referrerId, { first: 2, after: 'x' })).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
    });
    await expect(test.referrals.overview(newId())).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' });
  });
});
