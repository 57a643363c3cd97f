import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import type { Database } from '../../../src/db/sql.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { releaseEscrow, settleEscrow } from '../../../src/domain/ledger/escrow.js';
import { lockForJob } from '../../support/jobs.js';
import { post } from '../../../src/domain/ledger/posting.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { openFundedAccount } from '../../support/accounts.js';

let database: TestDatabase;
let db: PostgresDatabase;
let wallet: WalletService;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 20 });
  wallet = new WalletService(db);
});

afterAll(async () => {
  await db?.close();
  await database?.drop();
});

const CREDIT = 1_000_000n;

describe('posting', () => {
  it('records one fact once, however often it is sent', async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: 8n * CREDIT });
    const posting = {
      ownerId,
      type: 'ALLOCATION',
      idempotencyKey: 'allocation:gift:1',
      deltas: { MASTER: -7n * CREDIT, AI: 7n * CREDIT },
    } as const;
    const results = await Promise.all(Array.from({ length: 20 }, () => post(db.sql, posting)));

    expect(results.filter((result) => !result.duplicate)).toHaveLength(1);
    expect(new Set(results.map((result) => result.txId)).size).toBe(1);
    expect((await wallet.balances(ownerId)).MASTER).toBe(CREDIT);
  });

  it('refuses the same key for something else', async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: CREDIT });
    const posting = { ownerId, type: 'ALLOCATION', idempotencyKey: 'allocation:move:1' } as const;
    await post(db.sql, { ...posting, deltas: { MASTER: -1n, CLOUD: 1n } });

    await expect(post(db.sql, { ...posting, deltas: { MASTER: -2n, CLOUD: 2n } })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    });
  });

  it('reports exactly what is missing, and changes nothing', async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: 3n * CREDIT });
    const move = { from: 'MASTER', to: 'CREATIVE', amountMicros: 5n * CREDIT, idempotencyKey: 'a' } as const;

    await expect(wallet.allocate(ownerId, move)).rejects.toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      details: { account: 'MASTER', missing: '2' },
    });
    expect(await wallet.lines(ownerId, { first: 10, after: null })).toHaveLength(1);

    await openFundedAccount(db, { accountId: ownerId, masterMicros: 2n * CREDIT });
    await wallet.allocate(ownerId, move);
    expect(await wallet.balances(ownerId)).toMatchObject({ MASTER: 0n, CREATIVE: 5n * CREDIT });
  });

  it('lets exactly as many spends through as the bucket affords', async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: 25n * CREDIT });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 120 }, (_, n) =>
        post(db.sql, {
          ownerId,
          type: 'ALLOCATION',
          idempotencyKey: `allocation:spend:${n}`,
          deltas: { MASTER: -CREDIT, AI: CREDIT },
        }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(25);
    expect(await wallet.balances(ownerId)).toMatchObject({ MASTER: 0n, AI: 25n * CREDIT });
  });

  it('never deadlocks on opposite orders of accounts', async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: 100n * CREDIT, creativeMicros: 100n * CREDIT });
    await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        post(db.sql, {
          ownerId,
          type: 'ALLOCATION',
          idempotencyKey: `allocation:swing:${n}`,
          deltas: n % 2 ? { MASTER: -1n, CREATIVE: 1n } : { CREATIVE: -1n, MASTER: 1n },
        }),
      ),
    );
    expect((await wallet.balances(ownerId)).MASTER).toBe(100n * CREDIT);
  });

  it('refuses unbalanced postings before they reach the database', async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: CREDIT });
    const posting = { ownerId, type: 'ADJUSTMENT', idempotencyKey: 'odd', deltas: { MASTER: 1n } } as const;
    await expect(post(db.sql, posting)).rejects.toThrow('not balanced');
  });
});

describe('escrow', () => {
  const escrowOf = (accountId: string) => ({ accountId, videoId: newId(), attempt: 1 });

  it('locks once, settles what was delivered, and returns the rest', async () => {
    const accountId = await openFundedAccount(db, { creativeMicros: 10n * CREDIT });
    const escrow = escrowOf(accountId);
    const lock = { ...escrow, bucket: 'CREATIVE', amountMicros: 4n * CREDIT } as const;
    await db.transaction(({ sql }) => lockForJob(sql, lock));
    await db.transaction(({ sql }) => lockForJob(sql, lock));
    expect(await wallet.balances(accountId)).toMatchObject({ CREATIVE: 6n * CREDIT, ESCROW: 4n * CREDIT });

    const settle = () => db.transaction(({ sql }) => settleEscrow(sql, { ...escrow, amountMicros: 3n * CREDIT }));
    expect(await settle()).toBe(true);
    expect(await settle()).toBe(false);
    expect(await db.transaction(({ sql }) => releaseEscrow(sql, escrow))).toBe(false);
    expect(await wallet.balances(accountId)).toMatchObject({
      CREATIVE: 7n * CREDIT,
      ESCROW: 0n,
      REVENUE_PROCESSING: 3n * CREDIT,
    });
  });

  it('resolves once when settle and release race', async () => {
    for (let round = 0; round < 25; round += 1) {
      const accountId = await openFundedAccount(db, { creativeMicros: CREDIT });
      const escrow = escrowOf(accountId);
      await db.transaction(({ sql }) => lockForJob(sql, { ...escrow, bucket: 'CREATIVE', amountMicros: CREDIT }));
      const outcomes = await Promise.all([
        db.transaction(({ sql }) => settleEscrow(sql, { ...escrow, amountMicros: CREDIT })),
        db.transaction(({ sql }) => releaseEscrow(sql, escrow)),
      ]);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
    }
  });

  it('refuses to settle more than was locked', async () => {
    const accountId = await openFundedAccount(db, { creativeMicros: CREDIT });
    const escrow = escrowOf(accountId);
    await db.transaction(({ sql }) => lockForJob(sql, { ...escrow, bucket: 'CREATIVE', amountMicros: CREDIT }));
    await expect(
      db.transaction(({ sql }) => settleEscrow(sql, { ...escrow, amountMicros: CREDIT + 1n })),
    ).rejects.toThrow();
    expect((await wallet.balances(accountId)).ESCROW).toBe(CREDIT);
  });
});

describe('the runtime role cannot', () => {
  it.each([
    'update ledger_entry set delta = delta + 1',
    'delete from ledger_tx',
    'truncate ledger_entry',
    'alter table ledger_entry disable trigger all',
    'drop table escrow',
    // A partition is a separate table, for which the parent's triggers do not fire.
    'update ledger_entry_p0 set delta = delta + 1',
    'delete from ledger_entry_p15',
    'insert into ledger_entry_p3 default values',
    'delete from ledger_account',
    'delete from escrow',
    'delete from audit_entry',
  ])('%s', async (text) => {
    await expect(db.sql.query({ name: `forbidden-${text}`, text })).rejects.toMatchObject({ code: '42501' });
  });
});

describe('the owner of the tables cannot by accident', () => {
  it.each(['update ledger_entry_p0 set delta = delta + 1', 'delete from ledger_entry_p15', 'truncate ledger_entry_p7'])(
    '%s',
    async (text) => {
      const owner = new pg.Client({ connectionString: database.migrationUrl });
      await owner.connect();
      try {
        await expect(owner.query(text)).rejects.toThrow('append-only');
      } finally {
        await owner.end();
      }
    },
  );
});

describe('verifyLedger', () => {
  it('ignores the statement timeout of the session', async () => {
    const hurried: Database = {
      sql: db.sql,
      em: () => db.em(),
      transaction: (work) =>
        db.transaction(async (tx) => {
          await tx.sql.query({ name: '', text: 'set local statement_timeout = 1' });
          return work(tx);
        }),
    };
    expect((await verifyLedger(hurried)).faults).toEqual([]);
  });

  it('finds no fault in the postings above, and names a changed row', async () => {
    database.leaveUnproven('one row is changed');
    const accountId = await openFundedAccount(db, { masterMicros: 9n * CREDIT });
    expect((await verifyLedger(db)).faults).toEqual([]);

    const owner = new pg.Client({ connectionString: database.migrationUrl });
    await owner.connect();
    await owner.query(`alter table ledger_entry disable trigger all`);
    await owner.query('update ledger_entry set delta = delta + 1 where owner_id = $1 and account_no = 1', [accountId]);
    await owner.query(`alter table ledger_entry enable trigger all`);
    await owner.end();

    const { faults } = await verifyLedger(db);
    expect(new Set(faults.map((fault) => fault.ownerId))).toEqual(new Set([accountId]));
    expect(new Set(faults.map((fault) => fault.check))).toEqual(
      new Set(['account-balance', 'adjustment', 'running-balance', 'tx-sum']),
    );
    expect(faults.find((fault) => fault.check === 'running-balance')?.subject).toBe('MASTER version 1');
  });
});

describe('the statement', () => {
  it('lists every line once, newest first, by cursor', async () => {
    const accountId = await openFundedAccount(db, { masterMicros: 100n });
    for (let n = 0; n < 7; n += 1) {
      await wallet.allocate(accountId, { from: 'MASTER', to: 'AI', amountMicros: 1n, idempotencyKey: `m${n}` });
    }
    const seen: string[] = [];
    let after: string | null = null;
    for (;;) {
      const lines = await wallet.lines(accountId, { first: 4, after });
      seen.push(...lines.map((line) => line.id));
      after = lines.at(-1)?.cursor ?? null;
      if (lines.length < 4) break;
    }
    expect(seen).toHaveLength(15);
    expect(new Set(seen).size).toBe(15);
    expect(seen.at(-1)).toBe('1:1');
  });

  it('refuses a cursor that it did not create', async () => {
    const accountId = await openFundedAccount(db, {});
    await expect(wallet.lines(accountId, { first: 1, after: 'AAAA' })).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
    });
  });
});
