import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { execute } from '../../../src/db/sql.js';
import {
  BATCH,
  type ClosingRow,
  FORGET_UNOWED,
  TAKE_DUE,
  TAKE_OWED_AFTER_ERASURE,
  TAKE_UNSETTLED,
} from '../../../src/domain/operations/closing/closing.sql.js';
import { adjustByStaff } from '../../support/accounts.js';
import { ClosingRig, CREDIT } from '../../support/closing/rig.js';
import { PLAN_MODES, planOf } from '../../support/database/plans.js';
import { IS_FULL } from '../../support/effort.js';
import { factsOf } from '../../support/payments.js';

const DAY_MS = 86_400_000;
const ROUNDS = IS_FULL ? 100 : 10;

let rig: ClosingRig;

beforeAll(async () => {
  rig = await ClosingRig.start();
  await installVirtualClock(rig.payments.database.migrationUrl);
});
afterEach(() => pass(0));
afterAll(async () => {
  expect(await rig.payments.faults()).toEqual([]);
  await rig.stop();
});

const pass = (days: number) => setClockOffset(rig.payments.database.migrationUrl, days * DAY_MS);
const closingOf = async (accountId: string) =>
  (
    await rig.rows<ClosingRow>(
      'select account_id, id, closed_at, erase_after from account_closing where account_id = $1',
      [accountId],
    )
  )[0]!;

describe('a pass that began before a reopening', () => {
  const jobs = (accountId: string) =>
    rig.rows('select state from processing where account_id = $1 order by queued_at', [accountId]);

  it('ends no job and moves no credits of what came after it', async () => {
    const viewer = await rig.owner();
    const { accountId } = viewer;
    await rig.close(viewer);
    const begun = await closingOf(accountId);
    await rig.closings.reopen(viewer);
    await rig.paid(accountId, '10');
    await rig.job(accountId, 2n);
    expect(await rig.closings.settle(begun)).toBe(false);
    expect(await jobs(accountId)).toEqual([{ state: 'queued' }]);
    expect(await rig.payments.balances(accountId)).toMatchObject({ MASTER: 8n * CREDIT, ESCROW: 1_500_000n });
  });

  it(`leaves the account open or closed as a whole, ${ROUNDS} times at once`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const viewer = await rig.owner();
      const { accountId } = viewer;
      await adjustByStaff(rig.payments.db, accountId, 10n * CREDIT);
      await rig.job(accountId, 3n);
      await rig.close(viewer);
      const begun = await closingOf(accountId);
      await Promise.all([
        rig.closings.settle(begun),
        rig.closings.settle(begun),
        rig.closings.reopen(viewer).then(() => rig.job(accountId, 4n)),
        rig.closings.settle(begun),
      ]);
      expect(await jobs(accountId)).toEqual([{ state: 'cancelled' }, { state: 'queued' }]);
      expect(await rig.payments.balances(accountId)).toMatchObject({
        MASTER: 6n * CREDIT,
        CREATIVE: 2_500_000n,
        ESCROW: 1_500_000n,
      });
    }
  });
});

it('a payment in suspense is told to staff again after the erasure, which ends the alerts of the account', async () => {
  const { accountId } = await rig.owner();
  const facts = factsOf(await rig.payments.topUp(accountId, '40'));
  await rig.payments.deliver([{ ...facts.captured, amountMinor: 3_999n }]);
  const alerts = () => rig.rows('select account_id from alert where subject = $1', [facts.paymentId]);
  expect(await alerts()).toEqual([{ account_id: accountId }]);
  await rig.erasures.eraseNow(accountId, 'request by law');
  expect(await alerts()).toEqual([]);
  await pass(8);
  expect(await rig.erasures.eraseNow(accountId, 'request by law')).toMatchObject({ waitsFor: null });
  await rig.closings.settleErased();
  expect(await alerts()).toEqual([{ account_id: null }]);
  await rig.payments.admin.query(`update suspense_item set status = 'resolved' where account_id = $1`, [accountId]);
});

describe('credits that come after the erasure', () => {
  it('are refunded, or told to staff if they cannot be: a refund that failed, a checkout that was paid', async () => {
    const viewer = await rig.owner();
    const { accountId } = viewer;
    const { topUp, facts } = await rig.paid(accountId, '20');
    const late = await rig.payments.topUp(accountId, '30');
    await rig.close(viewer);
    const [made] = [...rig.payments.razorpay.refunds.values()].filter((refund) => refund.accountId === accountId);
    await pass(8);
    expect(await rig.erasures.eraseNow(accountId, 'request by law')).toMatchObject({ waitsFor: null });
    expect(await rig.closings.settleErased()).toBe(0);

    await rig.payments.deliver([
      { ...facts.refund(made!.refundId, made!.amountMinor, 'failed'), requestKey: made!.idempotencyKey },
    ]);
    await rig.payments.deliver([factsOf(late).captured]);
    // What is known already changes nothing, although the erasure has emptied the checkout.
    await rig.payments.deliver([facts.orderPaid]);
    expect(await rig.payments.balances(accountId)).toMatchObject({ MASTER: 50n * CREDIT });

    const alerts = () =>
      rig.rows(`select subject, times from alert where kind = 'account.refund_refused' and account_id is null`);
    expect(await alerts()).toEqual([]);
    expect(await rig.closings.settleErased()).toBe(1);
    expect(await rig.payments.balances(accountId)).toMatchObject({ MASTER: 20n * CREDIT, REFUND_HOLD: 30n * CREDIT });
    expect(await alerts()).toEqual([{ subject: topUp.id, times: 1 }]);
    // Once an hour, as long as they are there.
    expect(await rig.closings.settleErased()).toBe(0);
    await pass(8.1);
    expect(await rig.closings.settleErased()).toBe(1);
    expect(await alerts()).toEqual([{ subject: topUp.id, times: 2 }]);
    expect(await rig.payments.balances(accountId)).toMatchObject({ MASTER: 20n * CREDIT, REFUND_HOLD: 30n * CREDIT });
  });

  const marked = async (accountId: string): Promise<boolean> => {
    const [row] = await rig.rows<{ marked: boolean }>(
      'select owed_at is not null as marked from account_closing where account_id = $1',
      [accountId],
    );
    return row!.marked;
  };

  it('are looked for a day after the erasure and after each posting, and for as long as they are there', async () => {
    const { accountId } = await rig.owner();
    await rig.erasures.eraseNow(accountId, 'request by law');
    expect(await marked(accountId)).toBe(true);
    await pass(1.1);
    await rig.closings.settleErased();
    expect(await marked(accountId)).toBe(false);

    await adjustByStaff(rig.payments.db, accountId, 5n * CREDIT);
    expect(await marked(accountId)).toBe(true);
    await pass(2.2);
    await rig.closings.settleErased();
    expect(await marked(accountId)).toBe(true);
    await adjustByStaff(rig.payments.db, accountId, -5n * CREDIT);
    await rig.closings.settleErased();
    // The last posting is of today.
    expect(await marked(accountId)).toBe(true);
    await pass(3.3);
    await rig.closings.settleErased();
    expect(await marked(accountId)).toBe(false);
  });

  it('are found among thousands of erased accounts without reading the others', async () => {
    const { accountId } = await rig.owner();
    await rig.erasures.eraseNow(accountId, 'request by law');
    await adjustByStaff(rig.payments.db, accountId, CREDIT);
    await rig.payments.admin.query(
      `with opened as materialized (select gen_random_uuid() as id from generate_series(1, 3000)),
         accounts as materialized (select id, open_account(id) from opened)
       insert into account_closing (account_id, id, closed_at, erase_after, erased_at)
       select id, gen_random_uuid(), now() - interval '90 days', now() - interval '60 days', now() - interval '50 days'
       from accounts`,
    );
    await rig.payments.admin.query('vacuum analyze');
    for (const { text } of [TAKE_OWED_AFTER_ERASURE, FORGET_UNOWED]) {
      for (const mode of PLAN_MODES) {
        const plan = await planOf(rig.payments.admin, text, [], mode);
        expect(plan.wholeTables).not.toContain('account_closing');
        expect(plan.mostRows).toBeLessThan(100);
      }
    }
    await rig.payments.admin.query('delete from account_closing');
  });
});

it('erasing a user ends their links, and no others', async () => {
  const [viewer, other] = [await rig.owner(), await rig.owner()];
  for (const [identifier, value] of [
    ['a digest', viewer.userId],
    ['another', `{"userId":"${viewer.userId}"}`],
    ['of another user', other.userId],
  ]) {
    await rig.payments.admin.query(
      `insert into auth.verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
       values (gen_random_uuid(), $1, $2, now() + interval '1 day', now(), now())`,
      [identifier, value],
    );
  }
  expect(await rig.erasures.eraseNow(viewer.accountId, 'request by law')).toMatchObject({ waitsFor: null });
  expect(await rig.rows('select identifier from auth.verification')).toEqual([{ identifier: 'of another user' }]);
});

describe('a pass of the chore', () => {
  it('continues with other accounts after one that fails', async () => {
    const viewers = [await rig.owner(), await rig.owner(), await rig.owner()];
    for (const { accountId } of viewers) await rig.paid(accountId, '10');
    const broken = viewers[1]!.accountId;
    const breaking = rig.service(rig.payments.db, {
      get: async (accountId, id) => {
        if (accountId === broken) throw new Error('broken');
        return rig.payments.topUps.get(accountId, id);
      },
    });
    for (const viewer of viewers) await rig.close(viewer, breaking);
    await rig.payments.admin.query('update account_closing set settled_at = null, settle_tried_at = null');
    await breaking.settleDue();
    const held = [];
    for (const { accountId } of viewers) held.push((await rig.payments.balances(accountId))['REFUND_HOLD']);
    expect(held).toEqual([10n * CREDIT, undefined, 10n * CREDIT]);
    await rig.settle(broken);
    expect(await rig.payments.balances(broken)).toMatchObject({ REFUND_HOLD: 10n * CREDIT });
  });

  it.each([
    ['settles', TAKE_UNSETTLED, `'-1 day'`],
    ['erases', TAKE_DUE, `'-40 days'`],
  ] as const)('%s first those whose last try is oldest, however many wait', async (_, statement, closed) => {
    await rig.payments.admin.query('delete from account_closing');
    const all = BATCH + 30;
    await rig.payments.admin.query(
      `with opened as materialized (select gen_random_uuid() as id from generate_series(1, $1)),
         accounts as materialized (select id, open_account(id) from opened)
       insert into account_closing (account_id, id, closed_at, erase_after)
       select id, gen_random_uuid(), service_now() + interval ${closed}, service_now() + interval ${closed} + interval '30 days'
       from accounts`,
      [all],
    );
    const take = async () => (await execute(rig.payments.db.sql, statement)).map((row) => row.account_id);
    const [first, second] = [await take(), await take()];
    expect(first).toHaveLength(BATCH);
    expect(new Set([...first, ...second]).size).toBe(all);
    // Those of the second pass were tried last.
    expect(new Set([...second, ...(await take())]).size).toBe(all);
    await rig.payments.admin.query('delete from account_closing');
  });
});
