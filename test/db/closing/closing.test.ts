import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { AccountService } from '../../../src/domain/accounts/account.service.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { adjustByStaff, chargeArrears } from '../../support/accounts.js';
import { ClosingRig, CREDIT, PASSWORD } from '../../support/closing/rig.js';
import { IS_FULL } from '../../support/effort.js';
import { spendOnJob } from '../../support/jobs.js';
import { factsOf } from '../../support/payments.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';

let rig: ClosingRig;

beforeAll(async () => {
  rig = await ClosingRig.start();
});
afterAll(async () => {
  expect(await rig.payments.faults()).toEqual([]);
  await rig.stop();
});

describe('closing an account', () => {
  it('ends at once what it had, in live and test mode, and refunds what was paid', async () => {
    const viewer = await rig.owner('asha@example.com');
    const { accountId } = viewer;
    const testId = (await rig.testMode.viewerIn(viewer)).accountId;
    await rig.paid(accountId, '100');
    await adjustByStaff(rig.payments.db, accountId, 7n * CREDIT);
    const { videoId } = await rig.job(accountId);
    await rig.keys.create(accountId, { name: 'site' });
    await rig.keys.create(testId, { name: 'test site' });
    await rig.payments.admin.query(
      `insert into webhook_endpoint (account_id, id, url, description, paused_until, lease_until, created_at)
       values ($1, gen_random_uuid(), 'https://hooks.example', '', now(), now(), now())`,
      [accountId],
    );
    await rig.payments.admin.query(
      `insert into access_token (account_id, id, name, scopes, hash, prefix, last4, created_at)
       values ($1, gen_random_uuid(), 'ci', '{read}', '\\x01', 'dpat_', '1234', now())`,
      [accountId],
    );
    await rig.payments.admin.query(
      `insert into auth.session (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
       values (gen_random_uuid(), 'token', $1, now() + interval '1 day', now(), now())`,
      [accountId],
    );
    expect(await rig.closings.consequences(accountId)).toEqual({
      videos: 1,
      storedBytes: 0n,
      keys: 2,
      webhookEndpoints: 1,
      jobs: 1,
      refundMicros: 100n * CREDIT,
      lapsingMicros: 7n * CREDIT,
      debtMicros: 0n,
    });
    expect(await rig.closings.of(accountId)).toBeNull();

    const closing = await rig.close(viewer);

    expect(closing.eraseAfter.getTime() - closing.closedAt.getTime()).toBe(30 * 86_400_000);
    expect(await rig.closings.of(accountId)).toEqual(closing);
    expect(
      await rig.rows('select suspended_at is not null as suspended from account where id = any ($1)', [
        [accountId, testId],
      ]),
    ).toEqual([{ suspended: true }, { suspended: true }]);
    const left = await rig.rows(
      `select (select count(*)::int from api_key where account_id = any ($1) and revoked_at is null) as keys,
         (select count(*)::int from access_token where account_id = any ($1) and revoked_at is null) as tokens,
         (select count(*)::int from auth.session where "userId" = any ($1)) as sessions,
         (select count(*)::int from webhook_endpoint where account_id = any ($1) and disabled_at is null) as endpoints,
         (select count(*)::int from processing where account_id = any ($1) and state in ('queued', 'running')) as jobs`,
      [[accountId, testId]],
    );
    expect(left).toEqual([{ keys: 0, tokens: 0, sessions: 0, endpoints: 0, jobs: 0 }]);
    expect((await rig.pipeline.videos.get(accountId, videoId)).status).toBe('uploaded');
    expect(await rig.payments.balances(accountId)).toEqual({
      MASTER: 7n * CREDIT,
      REFUND_HOLD: 100n * CREDIT,
      ADJUSTMENT: -7n * CREDIT,
      CASH: -100n * CREDIT,
    });
    expect(
      [...rig.payments.razorpay.refunds.values()].filter((refund) => refund.accountId === accountId),
    ).toMatchObject([{ amountMinor: 10_000n }]);
    expect(
      await rig.rows(`select data from notice where account_id = $1 and kind = 'account.closed'`, [accountId]),
    ).toEqual([{ data: { eraseAfter: closing.eraseAfter.toISOString() } }]);
    expect(
      await rig.rows(`select action, actor_id from audit_entry where account_id = $1 and action = 'account.close'`, [
        accountId,
      ]),
    ).toEqual([{ action: 'account.close', actor_id: accountId }]);
    await expect(rig.payments.topUp(accountId)).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
    await expect(rig.keys.create(accountId, { name: 'late' })).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
  });

  it('needs the address, the password and a passed second factor, and is not for staff, demo and test accounts', async () => {
    const viewer = await rig.owner();
    const proof = { email: viewer.email.toUpperCase(), password: PASSWORD };
    const attempts = [
      [viewer, { ...proof, email: 'other@example.com' }, 'INVALID_INPUT'],
      [viewer, { ...proof, email: '' }, 'INVALID_INPUT'],
      [viewer, { ...proof, password: 'wrong' }, 'INVALID_INPUT'],
      [{ ...viewer, twoFactorEnabled: true }, proof, 'TWO_FACTOR_REQUIRED'],
      [{ ...viewer, role: 'support' }, proof, 'FORBIDDEN'],
      [{ ...viewer, mode: 'test' }, proof, 'LIVE_MODE_ONLY'],
    ] as const;
    for (const [who, given, code] of attempts) {
      await expect(rig.closings.close(who, given)).rejects.toMatchObject({ code });
    }
    const demo = await rig.owner('demo@dhara.localhost');
    await expect(rig.close(demo)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    // A role that was given after the session was read.
    const promoted = await rig.owner();
    await rig.payments.admin.query(`update account set role = 'support' where id = $1`, [promoted.accountId]);
    await expect(rig.close(promoted)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const suspended = await rig.owner();
    const accounts = new AccountService({ db: rig.payments.db });
    await accounts.suspend(suspended.accountId, newId(), 'abuse');
    await expect(rig.close(suspended)).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });

    expect(await rig.rows('select 1 from account_closing where account_id = $1', [viewer.accountId])).toEqual([]);
    expect(await rig.closings.close({ ...viewer, twoFactorEnabled: true, twoFactorPassed: true }, proof)).toBeTruthy();
    await expect(rig.close(viewer)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    for (const act of [accounts.suspend, accounts.resume]) {
      await expect(act.call(accounts, viewer.accountId, newId(), 'reason')).rejects.toMatchObject({
        code: 'INVALID_STATE',
      });
    }
    await expect(accounts.promote(viewer.email, 'support')).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('pays debt first, then refunds the newest payments as far as the balance goes', async () => {
    const viewer = await rig.owner();
    const { accountId } = viewer;
    const first = await rig.paid(accountId, '100');
    const second = await rig.paid(accountId, '50');
    await spendOnJob(rig.payments.db, accountId, 60n * CREDIT);
    await rig.payments.db.transaction(({ sql }) => chargeArrears(sql, accountId, 12n * CREDIT + 345_678n));
    const money = { refundMicros: 77_650_000n, lapsingMicros: 4_322n, debtMicros: 12_345_678n };
    expect(await rig.closings.consequences(accountId)).toMatchObject(money);

    await rig.close(viewer);

    const refunds = [...rig.payments.razorpay.refunds.values()].filter((refund) => refund.accountId === accountId);
    expect(refunds.map(({ topUpId, amountMinor }) => [topUpId, amountMinor])).toEqual([
      [second.topUp.id, 5_000n],
      [first.topUp.id, 2_765n],
    ]);
    expect(await rig.payments.balances(accountId)).toMatchObject({ MASTER: 4_322n, REFUND_HOLD: 77_650_000n });
    expect(await rig.payments.balances(accountId)).not.toHaveProperty('DEBT');
  });

  it('tells staff what a provider refuses to refund, and keeps it in the wallet', async () => {
    const viewer = await rig.owner();
    const { topUp } = await rig.paid(viewer.accountId, '20');
    rig.payments.razorpay.refusesRefunds = true;
    try {
      await rig.close(viewer);
    } finally {
      rig.payments.razorpay.refusesRefunds = false;
    }
    await rig.settle(viewer.accountId);
    await rig.settle(viewer.accountId);
    expect(await rig.payments.balances(viewer.accountId)).toMatchObject({ MASTER: 20n * CREDIT });
    const alerts = () => rig.rows('select kind, times from alert where subject = $1', [topUp.id]);
    expect(await alerts()).toEqual([{ kind: 'account.refund_refused', times: 2 }]);
    // It is still owed when nothing else is left of the account.
    await rig.erasures.eraseNow(viewer.accountId, 'request by law');
    expect(await alerts()).toEqual([{ kind: 'account.refund_refused', times: 3 }]);
    expect(await rig.payments.balances(viewer.accountId)).toMatchObject({ MASTER: 20n * CREDIT });
  });

  it('can be taken back for 30 days: videos play again, keys stay revoked', async () => {
    const viewer = await rig.owner();
    const { accountId } = viewer;
    await expect(rig.closings.reopen(viewer)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await rig.keys.create(accountId, { name: 'site' });
    await rig.close(viewer);
    await rig.closings.reopen({ ...viewer, suspended: true });
    expect(await rig.closings.of(accountId)).toBeNull();
    expect(await rig.rows('select suspended_at, suspended_reason from account where id = $1', [accountId])).toEqual([
      { suspended_at: null, suspended_reason: null },
    ]);
    expect(
      await rig.rows('select revoked_at is not null as revoked, suspended from api_key where account_id = $1', [
        accountId,
      ]),
    ).toEqual([{ revoked: true, suspended: false }]);
    await expect(rig.keys.create(accountId, { name: 'new' })).resolves.toBeTruthy();
    // Again, and this time too late.
    await rig.close(viewer);
    await rig.payments.admin.query(
      `update account_closing set closed_at = closed_at - interval '30 days', erase_after = service_now()
       where account_id = $1 and reopened_at is null`,
      [accountId],
    );
    await expect(rig.closings.reopen(viewer)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });
});

describe('closing at the same time as', () => {
  const ROUNDS = IS_FULL ? 100 : 8;

  it('itself: one of many closes it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const viewer = await rig.owner();
      await rig.paid(viewer.accountId, '10');
      const closed = await Promise.allSettled(Array.from({ length: 5 }, () => rig.close(viewer)));
      expect(closed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await Promise.all([rig.settle(viewer.accountId), rig.settle(viewer.accountId)]);
      expect(await rig.payments.balances(viewer.accountId)).toEqual({ REFUND_HOLD: 10n * CREDIT, CASH: -10n * CREDIT });
    }
  });

  it('a payment, its job and a raise of a quota: everything paid is held for its refund, and nothing runs on', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const viewer = await rig.owner();
      const { accountId } = viewer;
      await rig.paid(accountId, '10');
      const { record } = await rig.keys.create(accountId, { name: 'site' });
      const job = await rig.job(accountId, 2n);
      const claim = round % 2 === 0 ? await rig.pipeline.attempts.claim(job) : null;
      const late = await rig.payments.topUp(accountId, '30');
      const quoted = await rig.pipeline.processing.quote(accountId, await rig.pipeline.paperVideo(accountId), {
        quality: '720p',
        branding: false,
        encryption: false,
      });
      await Promise.allSettled([
        rig.close(viewer),
        rig.payments.deliver([factsOf(late).captured]),
        rig.pipeline.processing.process(accountId, quoted.id),
        rig.keys.setDailyQuota(accountId, record.id, 5_000),
        claim && rig.pipeline.attempts.fail(claim, { code: 'PROCESSING_FAILED', message: 'broken' }),
      ]);
      await rig.settle(accountId);
      expect(await rig.payments.balances(accountId)).toEqual({ REFUND_HOLD: 40n * CREDIT, CASH: -40n * CREDIT });
      expect(
        await rig.rows(
          `select (select count(*)::int from processing where account_id = $1 and state in ('queued', 'running')) as jobs,
             (select count(*)::int from api_key where account_id = $1 and revoked_at is null) as keys,
             (select count(*)::int from account_closing where account_id = $1) as closings`,
          [accountId],
        ),
      ).toEqual([{ jobs: 0, keys: 0, closings: 1 }]);
    }
    expect(await rig.payments.faults()).toEqual([]);
  });

  it('being reopened: the account is open or closed as a whole', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const viewer = await rig.owner();
      await rig.close(viewer);
      await Promise.allSettled([rig.closings.reopen(viewer), rig.close(viewer), rig.closings.reopen(viewer)]);
      const [row] = await rig.rows<{ suspended: boolean; closed: boolean }>(
        `select suspended_at is not null as suspended,
           exists (select from account_closing c where c.account_id = account.id and reopened_at is null) as closed
         from account where id = $1`,
        [viewer.accountId],
      );
      expect(row!.suspended).toBe(row!.closed);
    }
  });

  it('being reopened: nothing is refunded after it', async () => {
    const viewer = await rig.owner();
    const { topUp } = await rig.paid(viewer.accountId, '10');
    await rig.payments.admin.query(
      `insert into account_closing (account_id, id, closed_at, erase_after, reopened_at)
       values ($1, gen_random_uuid(), service_now(), service_now() + interval '30 days', service_now())`,
      [viewer.accountId],
    );
    const order = { topUpId: topUp.id, amountMinor: 1_000n, key: 'late' };
    await expect(rig.payments.refunds.refundForClosing(viewer.accountId, order)).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
    expect(await rig.payments.balances(viewer.accountId)).toEqual({ MASTER: 10n * CREDIT, CASH: -10n * CREDIT });
  });

  it('the lapse of credits: a payment that arrives meanwhile stays whole', async () => {
    const { accountId } = await rig.owner();
    await rig.paid(accountId, '10');
    await adjustByStaff(rig.payments.db, accountId, 3n * CREDIT);
    const late = await rig.payments.topUp(accountId, '50');
    let arriving: Promise<unknown> | undefined;
    const erasures = rig.erasuresWith({
      get: async (...named) => {
        const found = await rig.payments.topUps.get(...named);
        arriving ??= rig.payments.deliver([factsOf(late).captured]);
        const isHeldUp = expect.poll(() => statementsWaiting(rig.payments.db.pool)).toBeGreaterThan(0);
        await Promise.race([arriving, isHeldUp]);
        return found;
      },
    });
    await erasures.eraseNow(accountId, 'request by law');
    await arriving;
    expect(await rig.rows('select lapsed_micros from account_closing where account_id = $1', [accountId])).toEqual([
      { lapsed_micros: '3000000' },
    ]);
    expect(await rig.payments.balances(accountId)).toMatchObject({ MASTER: 50n * CREDIT });
  });

  it('a crash: whatever step it is cut off at, the next pass completes it', async () => {
    for (let cut = 0; cut < 12; cut += 1) {
      const viewer = await rig.owner();
      const { accountId } = viewer;
      await rig.paid(accountId, '10');
      await rig.paid(accountId, '5');
      await adjustByStaff(rig.payments.db, accountId, CREDIT);
      await rig.job(accountId, 3n);
      let transactions = 0;
      const { db } = rig.payments;
      const breaking = rig.service({
        sql: db.sql,
        em: () => db.em(),
        transaction: (work) =>
          db.transaction(async (tx) => {
            const result = await work(tx);
            transactions += 1;
            if (transactions > cut) throw new Error('cut off');
            return result;
          }),
      });
      await rig.close(viewer, breaking).catch(() => rig.close(viewer));
      await rig.settle(accountId);
      expect(await rig.payments.balances(accountId)).toEqual({
        MASTER: CREDIT,
        ADJUSTMENT: -CREDIT,
        REFUND_HOLD: 15n * CREDIT,
        CASH: -15n * CREDIT,
      });
    }
    expect(await rig.payments.faults()).toEqual([]);
  });
});
