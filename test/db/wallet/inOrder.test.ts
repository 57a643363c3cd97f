import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';

import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { StatementService } from '../../../src/domain/payments/billing/statement.service.js';
import { statementCsv } from '../../../src/domain/payments/billing/statementCsv.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { releaseEscrow, settleEscrow } from '../../../src/domain/ledger/escrow.js';
import { lockForJob } from '../../support/jobs.js';
import type { LedgerLine } from '../../../src/domain/ledger/ledgerLines.js';
import { post, type Posting } from '../../../src/domain/ledger/posting.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { correct, fundWallet, openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { IS_FULL } from '../../support/effort.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';
import { WAIT_MS } from '../../support/deadlines.js';

const CREDIT = 1_000_000n;
const NEVER = new AbortController().signal;

let database: TestDatabase;
let db: PostgresDatabase;
let admin: pg.Pool;
let wallet: WalletService;
let statements: StatementService;

beforeAll(async () => {
  database = await createTestDatabase();
  await installVirtualClock(database.migrationUrl);
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 24, connectTimeoutMs: WAIT_MS });
  admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  wallet = new WalletService(db);
  statements = new StatementService({ db, wallet });
});

afterEach(() => setClockOffset(database.migrationUrl, 0));

afterAll(async () => {
  const { faults } = await verifyLedger(db);
  expect(faults.filter(({ check }) => check !== 'tx-unexplained')).toEqual([]);
  await db?.close();
  await admin?.end();
  database?.leaveUnproven('postings are made by hand here');
  await database?.drop();
});

describe('spending while another transaction holds the lock', () => {
  /** Spends that credits committed meanwhile must cover. */
  const SPENDS: Record<string, (accountId: string) => Promise<unknown>> = {
    'an allocation': (accountId) =>
      wallet.allocate(accountId, { from: 'MASTER', to: 'AI', amountMicros: 3n * CREDIT, idempotencyKey: newId() }),
    'a job’s escrow': (accountId) =>
      db.transaction(({ sql }) =>
        lockForJob(sql, { accountId, videoId: newId(), attempt: 1, bucket: 'CREATIVE', amountMicros: 3n * CREDIT }),
      ),
    'a negative adjustment': (accountId) =>
      db.transaction((tx) => correct(wallet, tx, { accountId, amountMicros: -3n * CREDIT })),
  };

  it.each(Object.keys(SPENDS))('succeeds if credits arrive meanwhile: %s', async (name) => {
    for (let round = 0; round < (IS_FULL ? 100 : 5); round += 1) {
      const accountId = await openFundedAccount(db, {});
      let spent: Promise<unknown> | undefined;
      await db.transaction(async ({ sql }) => {
        await post(sql, adjustment(accountId, { MASTER: 10n * CREDIT, ADJUSTMENT: -10n * CREDIT }));
        const deltas = { MASTER: -5n * CREDIT, CREATIVE: 5n * CREDIT };
        await post(sql, { ownerId: accountId, type: 'ALLOCATION', idempotencyKey: newId(), deltas });
        spent = SPENDS[name]!(accountId);
        await expect.poll(() => statementsWaiting(admin)).toBeGreaterThan(0);
      });
      await spent;
    }
  });

  it('is refused with the missing amount if credits leave meanwhile', async () => {
    const accountId = await openFundedAccount(db, { masterMicros: 5n * CREDIT });
    let spent: Promise<unknown> | undefined;
    await db.transaction(async ({ sql }) => {
      await post(sql, adjustment(accountId, { MASTER: -4n * CREDIT, ADJUSTMENT: 4n * CREDIT }));
      spent = SPENDS['an allocation']!(accountId);
      spent.catch(() => undefined);
      await expect.poll(() => statementsWaiting(admin)).toBeGreaterThan(0);
    });
    await expect(spent).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS', details: { missing: '2' } });
  });
});

describe('running balances', () => {
  it('add up line by line after concurrent postings', async () => {
    for (let round = 0; round < (IS_FULL ? 20 : 2); round += 1) {
      const accountId = await openFundedAccount(db, { masterMicros: 1_000n * CREDIT, creativeMicros: 1_000n * CREDIT });
      await Promise.all(Array.from({ length: 40 }, (_, nth) => bookOne(accountId, nth)));
      const lines = await linesOf(accountId);
      expect(lines.length).toBeGreaterThan(80);
      expectToFollow(lines);
      for (const account of ['MASTER', 'CREATIVE', 'ESCROW', 'CLOUD'] as const) {
        const ofAccount = await linesOf(accountId, { accounts: [account] });
        expect(ofAccount).toEqual(lines.filter((line) => line.account === account));
      }
      const byType = await linesOf(accountId, {
        types: ['ALLOCATION', 'ADJUSTMENT', 'ESCROW_LOCK', 'ESCROW_SETTLE', 'ESCROW_RELEASE'],
      });
      expect(byType).toEqual(lines);
    }
  });

  it('add up if the clock is set back by minutes', async () => {
    const accountId = await openFundedAccount(db, { masterMicros: 10n * CREDIT });
    for (const offsetMs of [0, -60_000, -200_000, 1_000]) {
      await setClockOffset(database.migrationUrl, offsetMs);
      await bookOne(accountId, 0);
    }
    expectToFollow(await linesOf(accountId));
  });

  it('use the clock again after it was wrong by more', async () => {
    const accountId = await openFundedAccount(db, { masterMicros: 10n * CREDIT });
    await setClockOffset(database.migrationUrl, 365 * 24 * 3_600_000);
    await bookOne(accountId, 0);
    await setClockOffset(database.migrationUrl, 0);
    await bookOne(accountId, 0);
    const mended = await linesOf(accountId, { to: new Date(Date.now() + 3_600_000) });
    expect(mended.filter((line) => line.type === 'ALLOCATION')).toHaveLength(2);
  });
});

describe('lines that were read', () => {
  it('do not change, and later postings come above them', async () => {
    const accountId = await openFundedAccount(db, { masterMicros: 1_000n * CREDIT, creativeMicros: 1_000n * CREDIT });
    const state = { isOver: false };
    const postings = Promise.all(
      Array.from({ length: IS_FULL ? 400 : 60 }, (_, nth) => bookOne(accountId, nth)),
    ).finally(() => (state.isOver = true));
    let read = await linesOf(accountId);
    while (!state.isOver) {
      const now = await linesOf(accountId);
      expect(now.slice(now.length - read.length)).toEqual(read);
      read = now;
    }
    await postings;
  });
});

describe('a month that has ended', () => {
  it('waits for postings that were being made when it ended, and never changes again', async () => {
    const accountId = await openFundedAccount(db, {});
    await admin.query(`update account set created_at = '2031-01-01T00:00:00Z' where id = $1`, [accountId]);
    const month = '2031-01';
    await clockAt('2031-01-31T23:59:00Z');
    let reads: Promise<string>[] = [];
    let listed: Promise<unknown> | undefined;
    await db.transaction(async ({ sql }) => {
      await post(sql, adjustment(accountId, { MASTER: CREDIT, ADJUSTMENT: -CREDIT }));
      await clockAt('2031-02-01T00:00:05Z');
      reads = [csvOf(accountId, month), csvOf(accountId, month)];
      listed = statements.months(accountId);
      await expect.poll(() => statementsWaiting(admin)).toBeGreaterThanOrEqual(3);
    });
    const [first, second] = await Promise.all(reads);
    expect(first).toContain(',ADJUSTMENT,');
    expect(second).toBe(first);
    expect(await listed).toMatchObject([{ month: '2031-02' }, { month, closingMicros: CREDIT }]);
    // Posted by a clock that lags a little, after the month was read.
    await clockAt('2031-02-01T00:00:06Z');
    await post(db.sql, adjustment(accountId, { MASTER: CREDIT, ADJUSTMENT: -CREDIT }));
    expect(await csvOf(accountId, month)).toBe(first);
  });

  it('makes filters and spending wait for such postings, too', async () => {
    const accountId = await openFundedAccount(db, { creativeMicros: CREDIT });
    await clockAt('2032-01-31T23:59:00Z');
    const escrow = { accountId, videoId: newId(), attempt: 1 };
    await db.transaction(({ sql }) => lockForJob(sql, { ...escrow, bucket: 'CREATIVE', amountMicros: CREDIT }));
    let lines: Promise<readonly LedgerLine[]> | undefined;
    let spending: Promise<unknown> | undefined;
    await db.transaction(async ({ sql }) => {
      await settleEscrow(sql, { ...escrow, amountMicros: CREDIT });
      await clockAt('2032-02-01T00:00:05Z');
      lines = linesOf(accountId, { to: new Date('2032-02-01T00:00:00Z'), types: ['ESCROW_SETTLE'] });
      spending = wallet.spending(accountId, { from: '2032-01-01', to: '2032-01-31', by: 'month' });
      await expect.poll(() => statementsWaiting(admin)).toBeGreaterThanOrEqual(2);
    });
    expect(await lines).toHaveLength(1);
    expect(await spending).toMatchObject([{ processingMicros: CREDIT }]);
  });
});

describe('a period that ended long ago', () => {
  it('is read at once, whatever is being posted', async () => {
    const accountId = await openFundedAccount(db, { creativeMicros: CREDIT });
    await admin.query(`update account set created_at = '2033-01-01T00:00:00Z' where id = $1`, [accountId]);
    const range = { from: '2033-01-01', to: '2033-01-31', by: 'month' } as const;
    await clockAt('2033-02-01T01:00:05Z');
    await db.transaction(async ({ sql }) => {
      await post(sql, adjustment(accountId, { MASTER: CREDIT, ADJUSTMENT: -CREDIT }));
      expect(await csvOf(accountId, '2033-01')).not.toContain(',ADJUSTMENT,');
      await csvOf(accountId, '2033-02');
      expect((await statements.months(accountId))[0]).toMatchObject({ month: '2033-02' });
      await linesOf(accountId, { to: new Date('2033-02-01T00:00:00Z') });
      expect(await wallet.spending(accountId, range)).toEqual([]);
      expect(await wallet.spending(accountId, { ...range, to: '2033-02-28', by: 'day' })).toEqual([]);
    });
  });

  it('waits by the day, too, if the day has just ended', async () => {
    const accountId = await openFundedAccount(db, { creativeMicros: CREDIT });
    await clockAt('2034-01-15T23:59:00Z');
    const escrow = { accountId, videoId: newId(), attempt: 1 };
    await db.transaction(({ sql }) => lockForJob(sql, { ...escrow, bucket: 'CREATIVE', amountMicros: CREDIT }));
    let spending: Promise<unknown> | undefined;
    await db.transaction(async ({ sql }) => {
      await settleEscrow(sql, { ...escrow, amountMicros: CREDIT });
      await clockAt('2034-01-16T00:58:00Z');
      spending = wallet.spending(accountId, { from: '2034-01-01', to: '2034-01-31', by: 'day' });
      await expect.poll(() => statementsWaiting(admin)).toBeGreaterThan(0);
    });
    expect(await spending).toMatchObject([{ start: '2034-01-15', processingMicros: CREDIT }]);
  });
});

function adjustment(ownerId: string, deltas: Posting['deltas']): Posting {
  return { ownerId, type: 'ADJUSTMENT', idempotencyKey: newId(), deltas };
}

/** Makes one of several kinds of postings, which share some of their accounts or none. */
async function bookOne(accountId: string, nth: number): Promise<void> {
  const escrow = { accountId, videoId: newId(), attempt: 1 };
  if (nth % 4 === 0) {
    await wallet.allocate(accountId, { from: 'MASTER', to: 'CLOUD', amountMicros: 1n, idempotencyKey: newId() });
  } else if (nth % 4 === 1) {
    await fundWallet(db, accountId, { CREATIVE: 1n });
  } else {
    await db.transaction(({ sql }) => lockForJob(sql, { ...escrow, bucket: 'CREATIVE', amountMicros: 2n }));
    await db.transaction(({ sql }) =>
      nth % 4 === 2 ? settleEscrow(sql, { ...escrow, amountMicros: 1n }) : releaseEscrow(sql, escrow),
    );
  }
}

/** All lines, newest first, read in pages. */
async function linesOf(
  accountId: string,
  filter: NonNullable<Parameters<WalletService['lines']>[1]['filter']> = {},
): Promise<LedgerLine[]> {
  const lines: LedgerLine[] = [];
  for (let after: string | null = null; ;) {
    const page: LedgerLine[] = await wallet.lines(accountId, { first: 7, after, filter });
    lines.push(...page);
    after = page.at(-1)?.cursor ?? null;
    if (page.length < 7) return lines;
  }
}

/** Expects each line's balance to be the previous one of its account plus its own change. */
function expectToFollow(newestFirst: readonly LedgerLine[]): void {
  const balances = new Map<string, bigint>();
  for (const line of newestFirst.toReversed()) {
    const before = balances.get(line.account) ?? 0n;
    expect(line.balanceAfterMicros, `${line.account} ${line.id}`).toBe(before + line.deltaMicros);
    balances.set(line.account, line.balanceAfterMicros);
  }
}

async function csvOf(accountId: string, month: string): Promise<string> {
  let text = '';
  for await (const part of statementCsv(await statements.open(accountId, month), NEVER)) text += part;
  return text;
}

async function clockAt(time: string): Promise<void> {
  await setClockOffset(database.migrationUrl, Date.parse(time) - Date.now());
}
