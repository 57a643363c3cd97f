import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import type { PaymentsRig } from '../../support/payments.js';
import { openFullBooks } from './fullBooks.js';

const CREDIT = 1_000_000n;

let rig: PaymentsRig;
let owner: string;
let referrer: string;

beforeAll(async () => {
  ({ rig, owner, referrer } = await openFullBooks());
});
afterAll(() => rig?.stop());

async function faults(): Promise<string[]> {
  const report = await verifyLedger(rig.db);
  return report.faults.map(({ check, subject, expected, found }) => `${check} ${subject}: ${expected} / ${found}`);
}

/** Changes rows as their owner, without triggers. */
async function tamper(...statements: string[]): Promise<void> {
  await rig.admin.query(`begin; set local session_replication_role = replica; ${statements.join('; ')}; commit`);
}

describe('verifying postings against facts', () => {
  it('finds no fault in books posted by the service', async () => {
    expect(await faults()).toEqual([]);
    const balances = await rig.balances(owner);
    expect(balances).toMatchObject({ REFUND_HOLD: 10n * CREDIT, DISPUTE_HOLD: 20n * CREDIT, SUSPENSE: 25n * CREDIT });
    expect((await rig.balances(referrer)).MASTER).toBe(5n * CREDIT);
    const [days] = await rig.rows<{ count: string }>(
      'select count(*) from storage_day where charged_micros > 0 and from_cloud_micros + from_master_micros + arrears_micros > 0 and account_id = $1',
      [owner],
    );
    expect(days!.count).toBe('2');
  });

  it.each([
    ['an escrow', 'escrow', 'locked_micros = locked_micros', 'escrow ESCROW'],
    ['a refund hold', 'refund_request', 'held_micros = held_micros', 'refund-hold REFUND_HOLD'],
    ['an item in suspense', 'suspense_item', 'amount_micros = amount_micros', 'suspense SUSPENSE'],
    ['a credited top-up', 'topup', 'credit_micros = credit_micros', 'topup-payment '],
    [
      'the charge of a day of storage',
      'storage_day',
      'charged_micros = charged_micros',
      'storage-posting storage:2027-',
    ],
    ['the remainder of a day', 'storage_day', 'remainder = remainder', 'storage-remainder storage:2027-'],
  ])('finds %s with another amount', async (_what, table, change, fault) => {
    const constraints = await dropChecks(table);
    await tamper(`update ${table} set ${change} + 1`);
    expect((await faults()).filter((line) => line.startsWith(fault))).not.toEqual([]);
    await tamper(`update ${table} set ${change} - 1`);
    await restoreChecks(table, constraints);
    expect(await faults()).toEqual([]);
  });

  it.each([
    [
      'its dispute hold',
      `held = '{"MASTER": "20000001"}'`,
      `held = '{"MASTER": "20000000"}'`,
      'dispute-hold DISPUTE_HOLD',
    ],
    [
      'holds that exceed its disputes',
      `held = '{"MASTER": "20000001"}'`,
      `held = '{"MASTER": "20000000"}'`,
      'payment-hold razorpay pay_1',
    ],
    ['its top-up', 'credited_micros = 99', 'credited_micros = 100000000', 'topup topup:razorpay:pay_1'],
    [
      'returns that exceed its top-up',
      'credited_micros = 99',
      'credited_micros = 100000000',
      'payment-returns razorpay pay_1',
    ],
    ['the balance of CASH', 'credited_micros = 99', 'credited_micros = 100000000', 'cash CASH'],
    ['its missing posting', `fate = 'none'`, `fate = 'credited'`, 'topup topup:razorpay:pay_1: no posting'],
  ])('finds a changed payment by %s', async (_what, change, back, fault) => {
    await tamper(`update payment set ${change} where payment_id = 'pay_1'`);
    expect((await faults()).filter((line) => line.startsWith(fault))).not.toEqual([]);
    await tamper(`update payment set ${back} where payment_id = 'pay_1'`);
    expect(await faults()).toEqual([]);
  });

  it.each([
    ['referral', 'pending', 'bonus-of-invitee', ':invitee'],
    ['referral_invitee', 'pending', 'bonus-of-referrer', ':referrer'],
    ['referral', 'clawed_back', 'posting-missing', ':invitee:clawback'],
    ['referral_invitee', 'clawed_back', 'posting-missing', ':referrer:clawback'],
  ])('finds a row of %s marked as %s that contradicts its postings', async (table, status, check, side) => {
    const whose = `where ${table === 'referral' ? 'account_id' : 'invitee_id'} = '${owner}'`;
    await tamper(`update ${table} set status = '${status}' ${whose}`);
    expect(await faults()).toContainEqual(expect.stringContaining(`${check} referral:${owner}${side}: `));
    await tamper(`update ${table} set status = 'granted' ${whose}`);
    expect(await faults()).toEqual([]);
  });

  it('still counts money in suspense that was resolved otherwise', async () => {
    await rig.rows(`update suspense_item set status = 'resolved'`);
    expect(await faults()).toEqual([]);
  });

  it('finds a missing day of storage', async () => {
    await tamper(`create table kept as select * from storage_day`, `delete from storage_day where day = '2027-02-28'`);
    expect(await faults()).toEqual([
      expect.stringMatching(/^storage-draw storage:draw:2027-02-28: no posting: nothing explains it \/ /),
      expect.stringMatching(/^storage-posting storage:2027-02-28: no posting: nothing explains it \/ /),
      expect.stringMatching(/^storage-remainder storage:2027-03-01: /),
      'storage-bytes storage:2027-02-28: 7777777777 bytes / not charged',
    ]);
    await tamper(`insert into storage_day select * from kept where day = '2027-02-28'`);
    expect(await faults()).toEqual([]);
  });
});

/** Drops the table's own constraints, which would refuse some of these rows, as its owner could. */
async function dropChecks(table: string): Promise<{ name: string; definition: string }[]> {
  const constraints = await rig.rows<{ name: string; definition: string }>(
    `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
      where conrelid = $1::regclass and contype = 'c'`,
    [table],
  );
  for (const { name } of constraints) await rig.rows(`alter table ${table} drop constraint ${name}`);
  return constraints;
}

async function restoreChecks(table: string, constraints: { name: string; definition: string }[]): Promise<void> {
  for (const { name, definition } of constraints) {
    await rig.rows(`alter table ${table} add constraint ${name} ${definition}`);
  }
}
