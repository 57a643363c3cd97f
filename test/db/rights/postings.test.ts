import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { LEDGER_ACCOUNTS, type LedgerAccountName } from '../../../src/domain/ledger/ledgerAccounts.js';
import { LEDGER_TX_TYPES, POSTING_SHAPES } from '../../../src/domain/ledger/ledgerRules.js';
import { post } from '../../../src/domain/ledger/posting.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { fundWallet, openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const NAMES = Object.keys(LEDGER_ACCOUNTS) as LedgerAccountName[];
const ID = '$1::uuid';

let database: TestDatabase;
let db: PostgresDatabase;
let service: pg.Client;
let owner: pg.Client;
let ownerId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  database.leaveUnproven('it posts charges that no night has made');
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 4 });
  service = new pg.Client({ connectionString: database.runtimeUrl });
  owner = new pg.Client({ connectionString: database.migrationUrl });
  await service.connect();
  await owner.connect();
  ownerId = await openFundedAccount(db, {});
  // Fund every account, so that no posting is refused for lack of credits.
  await fundWallet(db, ownerId, { MASTER: 1_000n, CLOUD: 1_000n, AI: 1_000n, CREATIVE: 1_000n, DEBT: -1_000n });
});
afterAll(async () => {
  await db?.close();
  await service?.end();
  await owner?.end();
  await database?.drop();
});

interface Leg {
  readonly account: LedgerAccountName;
  readonly delta: number;
}

/** Posts these legs with `ledger_post`. Returns `booked`, or the constraint or SQLSTATE of its error. Rolled back. */
async function answer(type: string, legs: readonly Leg[]): Promise<string> {
  await service.query('begin');
  try {
    await service.query(`select * from ledger_post(${ID}, $2, 'forged', gen_random_uuid(), '', null, '{}', $3, $4)`, [
      ownerId,
      type,
      legs.map(({ account }) => LEDGER_ACCOUNTS[account]),
      legs.map(({ delta }) => delta),
    ]);
    return 'booked';
  } catch (error) {
    const { code, constraint } = error as pg.DatabaseError;
    return constraint ?? code ?? 'unknown';
  } finally {
    await service.query('rollback');
  }
}

/** The shape that only returns what was charged, and here nothing was. */
const UNDOING = 'reversed';

function isAllowed(type: string, legs: readonly Leg[]): boolean {
  return POSTING_SHAPES.some(
    (shape) =>
      shape.type === type &&
      shape.shape !== UNDOING &&
      legs.every(({ account, delta }) => (delta < 0 ? shape.from : shape.to).includes(account)),
  );
}

describe('a posting', () => {
  it('between any two accounts is accepted only if a shape of its type has both', async () => {
    const wrong: string[] = [];
    let allowed = 0;
    for (const type of LEDGER_TX_TYPES) {
      for (const from of NAMES) {
        for (const to of NAMES) {
          if (from === to) continue;
          const legs = [
            { account: from, delta: -1 },
            { account: to, delta: 1 },
          ];
          const found = await answer(type, legs);
          // A shape may allow taking from an empty hold, which the account's own rule then refuses.
          const isRight = isAllowed(type, legs) ? ['booked', 'no_overdraft'].includes(found) : found === 'ledger_rule';
          if (isAllowed(type, legs)) allowed += 1;
          if (!isRight) wrong.push(`${type} ${from} to ${to}: ${found}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(allowed).toBeGreaterThan(50);
  });

  it('of three accounts must fit into one shape, not partly into two', async () => {
    const wrong: string[] = [];
    for (const type of LEDGER_TX_TYPES) {
      for (const [nth, from] of NAMES.entries()) {
        for (const to of NAMES) {
          const third = NAMES[(nth * 5 + NAMES.indexOf(to) * 3 + 1) % NAMES.length]!;
          if (new Set([from, to, third]).size < 3) continue;
          for (const legs of [
            [
              { account: from, delta: -3 },
              { account: to, delta: 1 },
              { account: third, delta: 2 },
            ],
            [
              { account: from, delta: -1 },
              { account: third, delta: -2 },
              { account: to, delta: 3 },
            ],
          ]) {
            const found = await answer(type, legs);
            const expected = isAllowed(type, legs) ? ['booked', 'no_overdraft'] : ['ledger_rule'];
            if (!expected.includes(found)) wrong.push(`${type} ${JSON.stringify(legs)}: ${found}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['credits out of processed revenue', 'ESCROW_RELEASE', { REVENUE_PROCESSING: -5, MASTER: 5 }],
    ['credits out of stored revenue', 'STORAGE', { REVENUE_STORAGE: -5, CLOUD: 5 }],
    ['a bonus as a top-up', 'TOPUP', { PROMO: -5, MASTER: 5 }],
    ['a loan', 'REFUND', { DEBT: -5, MASTER: 5 }],
    ['a debt that revenue repays', 'ESCROW_SETTLE', { REVENUE_PROCESSING: -5, DEBT: 5 }],
    ['an escrow that nothing filled', 'ESCROW_RELEASE', { CASH: -5, ESCROW: 5 }],
    ['an escrow out of two buckets', 'ESCROW_LOCK', { CREATIVE: -2, AI: -3, ESCROW: 5 }],
    ['an escrow into another bucket as well', 'ESCROW_SETTLE', { ESCROW: -5, AI: 2, CREATIVE: 3 }],
    ['credits out of suspense', 'TOPUP', { SUSPENSE: -5, MASTER: 5 }],
    ['an allocation of a hold', 'ALLOCATION', { REFUND_HOLD: -5, MASTER: 5 }],
    ['an adjustment of a bucket', 'ADJUSTMENT', { ADJUSTMENT: -5, CREATIVE: 5 }],
    ['a type that does not exist', 'GIFT', { ADJUSTMENT: -5, MASTER: 5 }],
  ])('that forges %s is refused with its rule', async (_, type, deltas) => {
    const legs = Object.entries(deltas).map(([account, delta]) => ({ account: account as LedgerAccountName, delta }));
    expect(await answer(type, legs)).toBe('ledger_rule');
    const posting = { ownerId, type, idempotencyKey: newId(), deltas: {} } as unknown as Parameters<typeof post>[1];
    const amounts = Object.fromEntries(Object.entries(deltas).map(([name, delta]) => [name, BigInt(delta)]));
    await expect(post(db.sql, { ...posting, deltas: amounts })).rejects.toThrow(`ledger rule: no ${type} moves`);
  });

  it.each([
    ['one account', '{1}', '{5}'],
    ['no account', '{}', '{}'],
    ['null arrays', null, null],
    ['amounts that do not add up', '{64,1}', '{-5,6}'],
    ['fewer amounts than accounts', '{64,1,50}', '{-5,5}'],
    ['an account twice', '{64,1,1}', '{-5,2,3}'],
    ['a zero amount', '{64,1,50}', '{-5,5,0}'],
    ['a missing amount', '{64,1,50}', '{-5,5,null}'],
    ['arrays that begin elsewhere', '[5:6]={64,1}', '[-3:-2]={-5,6}'],
    ['amounts that overflow their sum', '{64,1,50}', '{-9223372036854775808,9223372036854775807,9223372036854775807}'],
  ])('of %s is refused', async (_, accounts, deltas) => {
    const one = `select * from ledger_post(${ID}, 'ADJUSTMENT', gen_random_uuid()::text, gen_random_uuid(), '', null, '{}', $2, $3)`;
    await expect(service.query(one, [ownerId, accounts, deltas])).rejects.toMatchObject({
      code: expect.stringMatching(/^(23|22)/) as string,
    });
    const many = `select ledger_post_many('ADJUSTMENT', array[${ID}], array[gen_random_uuid()::text], array[gen_random_uuid()],
      array[''::bytea], array[null], array['{}'::jsonb], $2, $3)`;
    // In a batch, zero amounts mean accounts that stay as they are.
    if (deltas === '{-5,5,0}') return;
    await expect(service.query(many, [ownerId, accounts, deltas])).rejects.toMatchObject({
      code: expect.stringMatching(/^(23|22)/) as string,
    });
  });

  it('is refused for an owner without a wallet', async () => {
    const text = `select * from ledger_post($1::uuid, 'ADJUSTMENT', 'odd', gen_random_uuid(), '', null, '{}', '{64,1}', '{-5,5}')`;
    await expect(service.query(text, [newId()])).rejects.toMatchObject({ code: '23514' });
    expect((await owner.query(`select from ledger_tx where idempotency_key = 'odd'`)).rows).toEqual([]);
  });

  it('of many owners is applied to all of them or to none', async () => {
    const others = [await openFundedAccount(db, {}), await openFundedAccount(db, {})];
    const many = (type: string, deltas: number[]) =>
      service.query(
        `select ledger_post_many($1, $2, array['many:1', 'many:2'], array[gen_random_uuid(), gen_random_uuid()],
          array['', '']::bytea[], array['a', 'b'], array['{}', '{}']::jsonb[], '{1,50,62}', $3)`,
        [type, others, deltas],
      );
    await expect(many('STORAGE', [0, -5, 5, 5, 0, -5])).rejects.toMatchObject({ constraint: 'ledger_rule' });
    // Fits into no shape, and returns nothing.
    await expect(many('STORAGE', [0, -5, 5, 5, -5, 0])).rejects.toMatchObject({ constraint: 'ledger_rule' });
    await expect(many('STORAGE', [0, -5, 5, -7, 0, 7])).rejects.toMatchObject({ constraint: 'no_overdraft' });
    await expect(many('STORAGE', [0, -5, 5, 0, -7, 8])).rejects.toMatchObject({ code: '23514' });
    await many('STORAGE', [0, -5, 5, 0, -7, 7]);
    await expect(many('STORAGE', [0, -5, 5, 0, -7, 7])).rejects.toMatchObject({ code: '23505' });
    const { rows } = await owner.query(
      'select owner_id, balance from ledger_account where owner_id = any ($1) and account_no = 50 order by balance',
      [others],
    );
    expect(rows).toEqual([
      { owner_id: others[1], balance: '-7' },
      { owner_id: others[0], balance: '-5' },
    ]);
    const books = (await verifyLedger(db)).faults.filter(({ check }) => /tx-|running|account-balance/.test(check));
    expect(books.filter(({ ownerId: id, check }) => others.includes(id) && check !== 'tx-unexplained')).toEqual([]);
  });
});

describe('the reversal of a storage charge', () => {
  /** Posts STORAGE as the runtime role. Returns `booked` or the constraint of the error. */
  async function book(id: string, key: string, deltas: Partial<Record<LedgerAccountName, number>>): Promise<string> {
    const legs = Object.entries(deltas) as [LedgerAccountName, number][];
    const accounts = legs.map(([name]) => LEDGER_ACCOUNTS[name]);
    const values = [id, key, accounts, legs.map(([, delta]) => delta)];
    try {
      await service.query(
        `select * from ledger_post(${ID}, 'STORAGE', $2, gen_random_uuid(), '', null, '{}', $3, $4)`,
        values,
      );
      return 'booked';
    } catch (error) {
      return (error as pg.DatabaseError).constraint ?? 'unknown';
    }
  }
  const bookMany = (id: string, key: string, deltas: number[]) =>
    service.query(
      `select ledger_post_many('STORAGE', array[${ID}], array[$2], array[gen_random_uuid()], array['']::bytea[],
        array[null], array['{}'::jsonb], '{1,2,50,62}', $3)`,
      [id, key, deltas],
    );

  it('never turns debt into credits', async () => {
    const id = await openFundedAccount(db, {});
    expect(await book(id, 'storage:2027-03-01', { DEBT: -90, REVENUE_STORAGE: 90 })).toBe('booked');
    const back = 'storage:2027-03-01:reversed';
    for (const forged of [{ MASTER: 90 }, { CLOUD: 90 }, { MASTER: 1, DEBT: 89 }, { CLOUD: 40, DEBT: 50 }]) {
      expect(await book(id, back, { REVENUE_STORAGE: -90, ...forged })).toBe('ledger_rule');
    }
    await expect(bookMany(id, back, [90, 0, 0, -90])).rejects.toMatchObject({ constraint: 'ledger_rule' });
    await expect(bookMany(id, back, [0, 90, 0, -90])).rejects.toMatchObject({ constraint: 'ledger_rule' });
    expect(await book(id, back, { REVENUE_STORAGE: -90, DEBT: 90 })).toBe('booked');
    const { rows } = await owner.query(
      'select sum(balance)::integer as credits from ledger_account where owner_id = $1 and account_no <= 50',
      [id],
    );
    expect(rows).toEqual([{ credits: 0 }]);
  });

  it('repays the debt of another day first', async () => {
    const id = await openFundedAccount(db, {});
    await fundWallet(db, id, { CLOUD: 50n });
    expect(await book(id, 'storage:2027-03-01', { CLOUD: -50, REVENUE_STORAGE: 50 })).toBe('booked');
    expect(await book(id, 'storage:2027-03-02', { DEBT: -30, REVENUE_STORAGE: 30 })).toBe('booked');
    const back = 'storage:2027-03-01:reversed';
    expect(await book(id, back, { CLOUD: 50, REVENUE_STORAGE: -50 })).toBe('ledger_rule');
    expect(await book(id, back, { CLOUD: 10, MASTER: 10, DEBT: 30, REVENUE_STORAGE: -50 })).toBe('ledger_rule');
    await bookMany(id, back, [0, 20, 30, -50]);
  });

  it('returns to CLOUD no more than CLOUD paid', async () => {
    const id = await openFundedAccount(db, {});
    await fundWallet(db, id, { MASTER: 40n, CLOUD: 10n });
    const paid = { MASTER: -40, CLOUD: -10, REVENUE_STORAGE: 50 };
    expect(await book(id, 'storage:2027-03-01', paid)).toBe('booked');
    const back = 'storage:2027-03-01:reversed';
    expect(await book(id, back, { CLOUD: 50, REVENUE_STORAGE: -50 })).toBe('ledger_rule');
    expect(await book(id, back, { MASTER: 40, CLOUD: 10, REVENUE_STORAGE: -50 })).toBe('booked');
  });
});

describe('without the posting functions', () => {
  it.each([
    `insert into ledger_tx (owner_id, idempotency_key, tx_id, type, request_hash, created_at)
      values (gen_random_uuid(), 'x', gen_random_uuid(), 'TOPUP', '', now())`,
    `insert into ledger_entry values (gen_random_uuid(), 1, 1, gen_random_uuid(), 5, 5, now())`,
    `copy ledger_entry from stdin`,
    'insert into ledger_account (owner_id, account_no) values (gen_random_uuid(), 1)',
    'update ledger_account set balance = balance + 1',
    'update ledger_account set version = version',
    'select from ledger_account for update',
    'select from ledger_account for share',
    'merge into ledger_account a using (select 1) s on true when matched then update set balance = 5',
    `insert into ledger_rule values ('TOPUP', 'mine', 1, 1)`,
    'update ledger_rule set direction = -direction',
    'delete from ledger_rule',
    'truncate ledger_rule',
    'delete from ledger_account',
  ])('the service cannot write to the ledger: %s', async (statement) => {
    await expect(service.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});
