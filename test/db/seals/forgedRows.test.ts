import { newId } from '../../../src/domain/shared/ids.js';
import { entryOf, testForgeries } from './forger.js';

const CREDIT = 1_000_000n;

testForgeries('rows of the ledger, allocations and corrections', (forger) => [
  {
    what: 'credits taken out of processing revenue by an allocation',
    make: () =>
      forger.forge({
        type: 'ALLOCATION',
        idempotencyKey: 'allocation:f',
        deltas: { MASTER: 7n, REVENUE_PROCESSING: -7n },
      }),
    names: () => 'allocation: allocation:f',
  },
  {
    what: 'an allocation to a company account',
    make: () => forger.forge({ type: 'ALLOCATION', idempotencyKey: 'allocation:f', deltas: { MASTER: -7n, CASH: 7n } }),
    names: () => 'allocation: allocation:f',
  },
  {
    what: 'an adjustment that nobody requested',
    make: () =>
      forger.forge({
        type: 'ADJUSTMENT',
        idempotencyKey: 'adjustment:support:f',
        deltas: { MASTER: CREDIT, ADJUSTMENT: -CREDIT },
      }),
    names: () => 'adjustment: adjustment:support:f',
  },
  {
    what: 'an adjustment whose idempotency key has no known form',
    make: () =>
      forger.forge({
        type: 'ADJUSTMENT',
        idempotencyKey: 'adjustment:f',
        deltas: { MASTER: CREDIT, ADJUSTMENT: -CREDIT },
      }),
    names: () => 'adjustment-before-approvals: adjustment:f',
  },
  {
    what: 'the demo credits for another account',
    make: () =>
      forger.forge({
        type: 'ADJUSTMENT',
        idempotencyKey: 'adjustment:demo:credits',
        deltas: { MASTER: 500n * CREDIT, ADJUSTMENT: -500n * CREDIT },
      }),
    names: () => 'demo-credits: adjustment:demo:credits',
  },
  {
    what: 'an adjustment approved by the person who requested it',
    make: async () => {
      const { rows: checks } = await forger.client.query<{ name: string }>(
        `select conname as name from pg_constraint where conrelid = 'adjustment'::regclass and contype = 'c'`,
      );
      for (const { name } of checks) await forger.rows(`alter table adjustment drop constraint ${name}`);
      await forger.rows(
        `update adjustment set status = 'approved', decided_by = requested_by, decided_at = requested_at where amount_micros > 0 and account_id = '${forger.books.stranger}'`,
      );
    },
    names: () => 'adjustment-approval: ',
  },
  {
    what: 'an adjustment that is missing from the audit trail',
    make: () => forger.rows(`delete from audit_entry where account_id = '${forger.books.stranger}'`),
    names: () => 'adjustment-approval: ',
  },
  {
    what: 'an adjustment whose row has another amount',
    make: () =>
      forger.rows(
        `update adjustment set amount_micros = amount_micros + 1 where account_id = '${forger.books.stranger}'`,
      ),
    names: () => 'adjustment: adjustment:support:',
  },
  {
    what: 'an allocation whose two entries and all later balances were changed',
    make: async () => {
      const key = 'allocation:not sealed yet';
      await forger.rows(
        `update ledger_entry set delta = delta + 9, balance_after = balance_after + 9 where ${entryOf(forger.books.stranger, key, 'MASTER')}`,
      );
      await forger.rows(
        `update ledger_entry set delta = delta - 9, balance_after = balance_after - 9 where ${entryOf(forger.books.stranger, key, 'AI')}`,
      );
      await forger.rows(
        `update ledger_account set balance = balance + 9 where owner_id = '${forger.books.stranger}' and account_no = 1`,
      );
      await forger.rows(
        `update ledger_account set balance = balance - 9 where owner_id = '${forger.books.stranger}' and account_no = 3`,
      );
    },
    names: () => 'allocation: allocation:not sealed yet',
  },
  {
    what: 'a changed entry',
    make: () =>
      forger.rows(
        `update ledger_entry set delta = delta + 1 where ${entryOf(forger.books.owner, 'topup:razorpay:pay_1', 'MASTER')}`,
      ),
    names: () => 'running-balance: MASTER version 1',
  },
  {
    what: 'a removed entry',
    make: () =>
      forger.rows(`delete from ledger_entry where ${entryOf(forger.books.owner, 'topup:razorpay:pay_1', 'CASH')}`),
    names: () => 'topup: topup:razorpay:pay_1',
  },
  {
    what: 'a removed transaction',
    make: () => forger.rows(`delete from ledger_tx where idempotency_key = 'topup:razorpay:pay_1'`),
    names: () => 'posting-missing: topup:razorpay:pay_1',
  },
  {
    what: 'a changed balance',
    make: () =>
      forger.rows(
        `update ledger_account set balance = balance + 1 where owner_id = '${forger.books.referrer}' and account_no = 1`,
      ),
    names: () => 'account-balance: MASTER',
  },
  {
    what: 'a gap in the versions',
    make: async () => {
      await forger.rows(
        `update ledger_entry set version = version + 1 where owner_id = '${forger.books.stranger}' and account_no = 4 and version = (select max(version) from ledger_entry where owner_id = '${forger.books.stranger}' and account_no = 4)`,
      );
      await forger.rows(
        `update ledger_account set version = version + 1 where owner_id = '${forger.books.stranger}' and account_no = 4`,
      );
    },
    names: () => 'running-balance: CREATIVE version ',
  },
  {
    what: 'an entry moved to another owner',
    make: () =>
      forger.rows(
        `update ledger_entry set owner_id = '${forger.books.returner}', version = 99 where ${entryOf(forger.books.owner, 'topup:razorpay:pay_1', 'MASTER')}`,
      ),
    names: () => 'running-balance: MASTER version 99',
  },
  {
    what: 'an entry moved to another time',
    make: () =>
      forger.rows(
        `update ledger_entry set created_at = created_at - interval '1 day' where ${entryOf(forger.books.owner, 'topup:razorpay:pay_1', 'MASTER')}`,
      ),
    names: () => 'tx-entries: ',
  },
  {
    what: 'an idempotency key used again for another type',
    make: () => forger.rows(`update ledger_tx set type = 'ADJUSTMENT' where idempotency_key = 'topup:razorpay:pay_1'`),
    names: () => 'tx-unexplained: topup:razorpay:pay_1',
  },
  {
    what: 'a repayment of debt that no credits paid for',
    make: () =>
      forger.forge({
        type: 'ALLOCATION',
        idempotencyKey: 'debt:repay:f',
        deltas: { DEBT: CREDIT / 4n, PROMO: -CREDIT / 4n },
      }),
    names: () => 'debt-repayment: debt:repay:f',
  },
  {
    what: 'a posting of an owner without ledger accounts',
    make: () =>
      forger.rows(
        `insert into ledger_tx values ('${newId()}', 'allocation:f', '${newId()}', 'ALLOCATION', '\\x00', null, '{}', now())`,
      ),
    names: () => 'owner: allocation:f',
  },
]);
