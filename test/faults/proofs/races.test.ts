import { execute } from '../../../src/db/sql.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { razorpayEvent } from '../../../src/adapters/payments/sandbox/payloads/index.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { CHARGE_BATCH } from '../../../src/domain/payments/storage/night.sql.js';
import { releaseEscrow, settleEscrow } from '../../../src/domain/ledger/escrow.js';
import { lockForJob } from '../../support/jobs.js';
import { post } from '../../../src/domain/ledger/posting.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { AppError } from '../../../src/errors.js';
import { correct, openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { deadlocks } from '../../support/database/deadlocks.js';
import { Chance } from '../../support/proofs/chance.js';
import { LeanDatabase } from './model/leanDatabase.js';
import { SignedMoney } from './signedMoney.js';
import { IS_FULL } from '../../support/effort.js';
import { TEST_MS, WAIT_MS } from '../../support/deadlines.js';

const CREDIT = 1_000_000n;

const SPENDERS = 200;
const SPENDS_EACH = IS_FULL ? 100 : 15;
const AFFORDABLE = IS_FULL ? 1_000 : 200;

const CLIENTS = 32;
const OWNERS = 4;
/** Seeds run one after the other, each with new owners. */
const SEEDS = IS_FULL ? 50 : 1;
const DURATION_MS = IS_FULL ? 4_000 : 2_500;
const NOBODY_BEFORE = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

let database: TestDatabase;
/** Nights continue from seed to seed, because their rows do. */
let dayMs = Date.UTC(2027, 0, 1);
/** Its clients wait for a connection as long as it takes: 200 of them share 20. */
let patient: LeanDatabase;
let db: PostgresDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  patient = new LeanDatabase(database.runtimeUrl, 20);
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: CLIENTS, connectTimeoutMs: WAIT_MS });
});
afterAll(async () => {
  await patient?.close();
  await db?.close();
  await database?.drop();
});

describe('conflicting clients', () => {
  it(`can afford exactly ${AFFORDABLE} of ${SPENDERS} × ${SPENDS_EACH} spends`, async () => {
    const ownerId = await openFundedAccount(db, { creativeMicros: BigInt(AFFORDABLE) * CREDIT });
    let spent = 0;
    const spender = async (who: number) => {
      for (let nth = 0; nth < SPENDS_EACH; nth += 1) {
        const deltas = { CREATIVE: -CREDIT, AI: CREDIT };
        const idempotencyKey = `allocation:spend:${who}:${nth}`;
        const posting = { ownerId, type: 'ALLOCATION', idempotencyKey, deltas } as const;
        if (await affords(() => post(patient.sql, posting))) spent += 1;
      }
    };
    await Promise.all(Array.from({ length: SPENDERS }, (_, who) => spender(who)));

    expect(spent).toBe(AFFORDABLE);
    const [row] = await db.sql.query<{ n: number; balance: string }>(
      {
        name: 'races-spent',
        text: `
          select count(*)::int as n, (select balance from ledger_account where owner_id = $1 and account_no = 4) as balance
          from ledger_tx where owner_id = $1 and starts_with(idempotency_key, 'allocation:spend:')`,
      },
      [ownerId],
    );
    expect(row).toEqual({ n: AFFORDABLE, balance: '0' });
  });

  it(
    `never deadlock, ${CLIENTS} of them for ${SEEDS} × ${DURATION_MS / 1000} s`,
    { timeout: SEEDS * DURATION_MS + TEST_MS },
    async () => {
      const deadlocksBefore = await deadlocks(db.sql);
      for (let nth = 0; nth < SEEDS; nth += 1) await raceOnce(nth);
      expect(await deadlocks(db.sql)).toBe(deadlocksBefore);
      expect(await failedEvents()).toEqual([]);
      expect((await verifyLedger(db)).faults).toEqual([]);
    },
  );
});

/** Every kind of work on the same few owners, by all clients at once. */
async function raceOnce(nth: number): Promise<void> {
  const money = new SignedMoney(db);
  const chance = Chance.of('races', nth);
  const owners = await Promise.all(
    Array.from({ length: OWNERS }, () => openFundedAccount(db, { masterMicros: CREDIT, creativeMicros: CREDIT })),
  );
  for (const ownerId of owners) await store(ownerId);
  const works = worksOn(money, owners, chance);
  const deadline = performance.now() + DURATION_MS;
  const done = works.map(() => 0);
  const client = async (first: number) => {
    for (let turn = first; performance.now() < deadline; turn += 1) {
      const which = turn % works.length;
      await affords(() => works[which]!(owners[chance.below(OWNERS)]!));
      done[which]! += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, first) => client(first)));
  await money.inbox.drain();
  expect(Math.min(...done), `each kind was done: ${done.join(' ')}`).toBeGreaterThan(0);
}

/** Everything that locks rows of a wallet, in the orders in which one might write it. */
function worksOn(
  money: SignedMoney,
  owners: readonly string[],
  chance: Chance,
): ((ownerId: string) => Promise<unknown>)[] {
  const { wallet, inbox } = money;
  const amountMicros = 100n;
  let night = Promise.resolve();
  const chargeNight = async () => {
    const day = new Date(dayMs).toISOString().slice(0, 10);
    dayMs += 86_400_000;
    await db.transaction(({ sql }) => execute(sql, CHARGE_BATCH, { day, afterAccount: NOBODY_BEFORE, through: LAST }));
  };
  const escrowOf = (accountId: string) => ({ accountId, videoId: newId(), attempt: 1 });
  return [
    (id) => wallet.allocate(id, { from: 'MASTER', to: 'CREATIVE', amountMicros, idempotencyKey: newId() }),
    (id) => wallet.allocate(id, { from: 'CREATIVE', to: 'MASTER', amountMicros, idempotencyKey: newId() }),
    async (id) => {
      const escrow = escrowOf(id);
      await db.transaction(({ sql }) => lockForJob(sql, { ...escrow, bucket: 'CREATIVE', amountMicros }));
      await db.transaction(({ sql }) => releaseEscrow(sql, escrow));
    },
    async (id) => {
      const escrow = escrowOf(id);
      await db.transaction(({ sql }) => lockForJob(sql, { ...escrow, bucket: 'MASTER', amountMicros }));
      await db.transaction(({ sql }) => settleEscrow(sql, { ...escrow, amountMicros: 60n }));
    },
    // All owners in one statement, while others hold one of them; one night after the other, as the night's row
    // requires.
    () => {
      night = night.then(chargeNight);
      return night;
    },
    async (id) => {
      const capturedAt = new Date('2026-03-01T10:00:00Z');
      const subject = await money.paid('razorpay', id, capturedAt, { refundMs: 60_000 });
      for (const type of ['refund.processed', 'payment.captured', 'payment.dispute.created', 'order.paid'] as const) {
        await money.receive('razorpay', razorpayEvent(type, subject, capturedAt));
        if (chance.below(2) === 0) await inbox.drain();
      }
      await inbox.drain();
    },
    (id) => db.transaction((tx) => correct(wallet, tx, { accountId: id, amountMicros: 1_000n })),
    // Two owners in one process, one after the other and in either order: never in one transaction.
    async () => {
      for (const id of chance.some(owners, 2)) {
        await wallet.repayDebt(id, { amountMicros: 1n, idempotencyKey: newId() }).catch(onlyAppErrors);
      }
    },
  ];
}

/** @returns false if there were not enough credits: any other error fails the test */
async function affords(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'INSUFFICIENT_CREDITS') return false;
    throw error;
  }
}

/** Ignores a repayment of debt that does not exist. */
function onlyAppErrors(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'INVALID_INPUT') throw error;
}

async function store(accountId: string): Promise<void> {
  await db.sql.query(
    {
      name: 'races-store',
      text: `
        insert into stored_object (account_id, key, size_bytes, stored_at)
        values ($1, 'sources/' || $1::uuid, 7000000, '2026-12-01')`,
    },
    [accountId],
  );
}

/** Events that conflicted with another are retried, but should not have to be. */
function failedEvents(): Promise<object[]> {
  return db.sql.query({
    name: 'races-failed',
    text: `select type, attempts, last_error from webhook_event where attempts > 0 or status = 'failed'`,
  });
}
