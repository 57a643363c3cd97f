import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { post } from '../../../src/domain/ledger/posting.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { AppError } from '../../../src/errors.js';
import { openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { IS_FULL } from '../../support/effort.js';
import { LeanDatabase } from './model/leanDatabase.js';

const KEYS = IS_FULL ? 1_000 : 60;
/** How often each key is used, all at once. */
const TIMES = 10;
/** Keys used at the same time, each over ten connections. */
const LANES = 3;

let database: TestDatabase;
let db: LeanDatabase;
let wallet: WalletService;
beforeAll(async () => {
  database = await createTestDatabase();
  db = new LeanDatabase(database.runtimeUrl, LANES * TIMES);
  wallet = new WalletService(db);
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
});

/** Runs `work` for 0 … `count` - 1, a few at a time. */
async function inLanes(count: number, work: (nth: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

describe('a key that is used many times at once', () => {
  it(`moves credits once: ${KEYS} keys, ${TIMES} times each`, async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: BigInt(KEYS) });
    await inLanes(KEYS, async () => {
      const move = { from: 'MASTER', to: 'CREATIVE', amountMicros: 1n, idempotencyKey: newId() } as const;
      const posted = await Promise.all(Array.from({ length: TIMES }, () => wallet.allocate(ownerId, move)));
      expect(posted.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
      expect(new Set(posted.map(({ txId }) => txId)).size).toBe(1);
    });
    const { MASTER, CREATIVE } = await wallet.balances(ownerId);
    expect({ MASTER, CREATIVE }).toEqual({ MASTER: 0n, CREATIVE: BigInt(KEYS) });
    expect((await verifyLedger(db)).faults).toEqual([]);
  });

  it('is refused for a different request, even at the same moment', async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: BigInt(KEYS) * 100n });
    await inLanes(KEYS, async () => {
      const idempotencyKey = newId();
      const ends = await Promise.allSettled(
        Array.from({ length: TIMES }, (_, nth) =>
          wallet.allocate(ownerId, { from: 'MASTER', to: 'CREATIVE', amountMicros: BigInt(1 + nth), idempotencyKey }),
        ),
      );
      const [first, ...others] = ends.filter((end) => end.status === 'fulfilled');
      expect(first?.value.duplicate).toBe(false);
      expect(others).toEqual([]);
      for (const end of ends) {
        if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
      }
    });
  });

  it.each([
    ['another type', { type: 'DISPUTE' as const, deltas: { MASTER: -1n, DISPUTE_HOLD: 1n } }],
    ['another reference', { reference: 'something else' }],
    ['another amount', { deltas: { MASTER: -2n, CREATIVE: 2n } }],
    ['other accounts', { deltas: { MASTER: -1n, AI: 1n } }],
  ])('is refused for %s', async (_, change) => {
    const ownerId = await openFundedAccount(db, { masterMicros: 10n });
    const posting = {
      ownerId,
      type: 'ALLOCATION',
      idempotencyKey: `allocation:${newId()}`,
      deltas: { MASTER: -1n, CREATIVE: 1n },
      reference: 'the first',
    } as const;
    await post(db.sql, posting);
    await expect(post(db.sql, { ...posting, ...change })).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    expect(await post(db.sql, posting)).toMatchObject({ duplicate: true });
  });

  it('can be used again after a refusal for lack of credits', async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: 1n });
    const move = { from: 'MASTER', to: 'CREATIVE', amountMicros: 2n, idempotencyKey: newId() } as const;
    await expect(wallet.allocate(ownerId, move)).rejects.toBeInstanceOf(AppError);
    await openFundedAccount(db, { accountId: ownerId, masterMicros: 1n });
    expect(await wallet.allocate(ownerId, move)).toMatchObject({ duplicate: false });
  });
});
