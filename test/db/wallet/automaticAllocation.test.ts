import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { drawMissing } from '../../../src/domain/ledger/automaticAllocation.js';
import { releaseEscrow } from '../../../src/domain/ledger/escrow.js';
import type { SpendableAccount } from '../../../src/domain/ledger/ledgerAccounts.js';
import { checkLedger, verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { fundWallet, openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { IS_FULL } from '../../support/effort.js';
import { lockForJob } from '../../support/jobs.js';
import { WAIT_MS } from '../../support/deadlines.js';

const CREDIT = 1_000_000n;
const CLIENTS = 200;
const ROUNDS = IS_FULL ? 50 : 2;

let database: TestDatabase;
let db: PostgresDatabase;
let admin: pg.Pool;
let wallet: WalletService;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 24, connectTimeoutMs: WAIT_MS });
  admin = new pg.Pool({ connectionString: database.migrationUrl, max: 1 });
  wallet = new WalletService(db);
});
afterAll(async () => {
  await db?.close();
  await admin?.end();
  await database?.drop();
});

function jobOf(accountId: string, amountMicros: bigint, bucket: SpendableAccount = 'CREATIVE') {
  return { accountId, videoId: newId(), attempt: 1, bucket, amountMicros };
}

function lock(job: ReturnType<typeof jobOf>): Promise<void> {
  return db.transaction(({ sql }) => lockForJob(sql, job));
}

async function draws(accountId: string): Promise<{ reference: string; master: string; creative: string }[]> {
  const { rows } = await admin.query(
    `select t.reference, max(e.delta) filter (where account_no = 1) as master,
       max(e.delta) filter (where account_no = 4) as creative
     from ledger_tx t join ledger_entry e using (owner_id, tx_id)
     where t.owner_id = $1 and t.type = 'ALLOCATION' and starts_with(t.idempotency_key, 'escrow:draw:')
     group by t.tx_id, t.reference, t.created_at order by t.created_at`,
    [accountId],
  );
  return rows;
}

describe('a job whose bucket is short', () => {
  it('draws exactly what is missing from MASTER, in its own posting', async () => {
    const id = await openFundedAccount(db, { masterMicros: 5n * CREDIT, creativeMicros: CREDIT });
    const job = jobOf(id, 3n * CREDIT + 1n);
    await lock(job);
    await lock(job);

    expect(await wallet.balances(id)).toMatchObject({
      MASTER: 3n * CREDIT - 1n,
      CREATIVE: 0n,
      ESCROW: 3n * CREDIT + 1n,
    });
    expect(await draws(id)).toEqual([{ reference: job.videoId, master: '-2000001', creative: '2000001' }]);
    const lines = await wallet.lines(id, { first: 4, after: null, filter: { videoId: job.videoId } });
    expect(lines.map(({ type, account, deltaMicros }) => [type, account, deltaMicros])).toEqual([
      ['ESCROW_LOCK', 'ESCROW', 3n * CREDIT + 1n],
      ['ESCROW_LOCK', 'CREATIVE', -3n * CREDIT - 1n],
      ['ALLOCATION', 'CREATIVE', 2n * CREDIT + 1n],
      ['ALLOCATION', 'MASTER', -2n * CREDIT - 1n],
    ]);
    expect(lines.at(-1)!.cause).toEqual({
      kind: 'allocation',
      repaysDebt: false,
      videoId: job.videoId,
      date: null,
      isReversal: false,
    });

    await db.transaction(({ sql }) => releaseEscrow(sql, job));
    expect(await wallet.balances(id)).toMatchObject({
      MASTER: 3n * CREDIT - 1n,
      CREATIVE: 3n * CREDIT + 1n,
      ESCROW: 0n,
    });
  });

  it('draws nothing if the bucket suffices to the micro-credit, and one micro-credit if that is missing', async () => {
    const id = await openFundedAccount(db, { masterMicros: 1n, creativeMicros: 2n * CREDIT });
    await lock(jobOf(id, CREDIT));
    await lock(jobOf(id, CREDIT));
    expect(await draws(id)).toEqual([]);
    await lock(jobOf(id, 1n));
    expect(await draws(id)).toMatchObject([{ master: '-1', creative: '1' }]);
    expect(await wallet.balances(id)).toMatchObject({ MASTER: 0n, CREATIVE: 0n, ESCROW: 2n * CREDIT + 1n });
  });

  it('is refused with what both together lack, and moves nothing', async () => {
    const id = await openFundedAccount(db, { masterMicros: 2n * CREDIT, creativeMicros: CREDIT });
    await expect(lock(jobOf(id, 3n * CREDIT + 1n))).rejects.toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      details: { account: 'CREATIVE', missing: '0.000001' },
    });
    expect(await wallet.balances(id)).toMatchObject({ MASTER: 2n * CREDIT, CREATIVE: CREDIT, ESCROW: 0n });
    expect(await draws(id)).toEqual([]);
  });

  it('is refused with what the bucket lacks if the owner switched it off, for that bucket alone', async () => {
    const id = await openFundedAccount(db, { masterMicros: 5n * CREDIT, creativeMicros: CREDIT });
    await wallet.setAutomaticAllocation(id, { bucket: 'CREATIVE', enabled: false });
    expect(await wallet.automaticBuckets(id)).toEqual(['CLOUD', 'AI']);
    await expect(lock(jobOf(id, 3n * CREDIT))).rejects.toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      details: { account: 'CREATIVE', missing: '2' },
    });
    await lock(jobOf(id, CREDIT, 'AI'));
    await wallet.setAutomaticAllocation(id, { bucket: 'CREATIVE', enabled: true });
    await lock(jobOf(id, 3n * CREDIT));
    expect(await wallet.balances(id)).toMatchObject({ MASTER: 2n * CREDIT, CREATIVE: 0n, AI: 0n, ESCROW: 4n * CREDIT });
  });

  it('draws nothing if its transaction does not commit', async () => {
    const id = await openFundedAccount(db, { masterMicros: 5n * CREDIT });
    const job = jobOf(id, CREDIT);
    const died = db.transaction(async ({ sql }) => {
      await lockForJob(sql, job);
      throw new Error('killed');
    });
    await expect(died).rejects.toThrow('killed');
    expect(await wallet.balances(id)).toMatchObject({ MASTER: 5n * CREDIT, CREATIVE: 0n, ESCROW: 0n });
    await lock(job);
    expect(await draws(id)).toHaveLength(1);
  });

  it('draws nothing if its connection is killed between the draw and the lock, however often', async () => {
    const id = await openFundedAccount(db, { masterMicros: 5n * CREDIT });
    const job = jobOf(id, CREDIT);
    for (let round = 0; round < (IS_FULL ? 200 : 20); round += 1) {
      const killed = db.transaction(async ({ sql }) => {
        // The draw of a job and nothing else of it: the moment at which only MASTER and the bucket have changed.
        await drawMissing(sql, job);
        const [backend] = await sql.query<{ pid: number }>(
          { name: 'test-pid', text: 'select pg_backend_pid() as pid' },
          [],
        );
        await admin.query('select pg_terminate_backend($1)', [backend!.pid]);
        await lockForJob(sql, job);
      });
      await expect(killed).rejects.toThrow();
      expect(await wallet.balances(id)).toMatchObject({ MASTER: 5n * CREDIT, CREATIVE: 0n, ESCROW: 0n });
    }
    await lock(job);
    expect(await wallet.balances(id)).toMatchObject({ MASTER: 4n * CREDIT, CREATIVE: 0n, ESCROW: CREDIT });
    expect((await verifyLedger(db)).faults).toEqual([]);
  });
});

describe('the setting', () => {
  it('is refused for MASTER and for accounts that do not exist', async () => {
    const id = await openFundedAccount(db, {});
    await expect(wallet.setAutomaticAllocation(id, { bucket: 'MASTER', enabled: true })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(wallet.setAutomaticAllocation(newId(), { bucket: 'AI', enabled: true })).rejects.toMatchObject({
      code: 'ACCOUNT_NOT_FOUND',
    });
  });
});

describe('races', () => {
  it('of two jobs for the last credit buy one of them', async () => {
    for (let round = 0; round < (IS_FULL ? 200 : 20); round += 1) {
      const id = await openFundedAccount(db, { masterMicros: CREDIT / 2n, creativeMicros: CREDIT / 2n });
      const results = await Promise.allSettled([lock(jobOf(id, CREDIT)), lock(jobOf(id, CREDIT))]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(await wallet.balances(id)).toMatchObject({ MASTER: 0n, CREATIVE: 0n, ESCROW: CREDIT });
    }
  });

  it(`of ${CLIENTS} clients that lock, move by hand and take from MASTER give nobody a credit twice`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await openFundedAccount(db, { masterMicros: 40n * CREDIT, creativeMicros: 20n * CREDIT });
      let locked = 0n;
      let taken = 0n;
      const move = (from: SpendableAccount, to: SpendableAccount) =>
        wallet.allocate(id, { from, to, amountMicros: CREDIT, idempotencyKey: newId() });
      const client = async (n: number): Promise<void> => {
        const amountMicros = BigInt(1 + (n % 3)) * (CREDIT / 2n) + BigInt(n);
        if (n % 4 === 0) await move('MASTER', 'CREATIVE');
        else if (n % 4 === 1) await move('CREATIVE', 'MASTER');
        else if (n % 8 === 2) {
          await fundWallet(db, id, { MASTER: -CREDIT / 4n });
          taken += CREDIT / 4n;
        } else {
          await lock(jobOf(id, amountMicros));
          locked += amountMicros;
        }
      };
      const results = await Promise.allSettled(Array.from({ length: CLIENTS }, (_, n) => client(n)));
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
      }
      const { MASTER, CREATIVE, ESCROW } = await wallet.balances(id);
      expect(ESCROW).toBe(locked);
      expect(MASTER + CREATIVE + ESCROW).toBe(60n * CREDIT - taken);
    }
    expect((await verifyLedger(db)).faults).toEqual([]);
  });
});

describe('the verification of the books', () => {
  it('finds a draw that is larger than what was missing', async () => {
    const id = await openFundedAccount(db, { masterMicros: 5n * CREDIT });
    const job = jobOf(id, CREDIT);
    const forged = db.transaction(async ({ sql }) => {
      await sql.query(
        {
          name: 'test-forged-draw',
          text: `
            select from ledger_post($1, 'ALLOCATION', $2, gen_random_uuid(),
              sha256(convert_to('["ALLOCATION","' || $3 || '",[[1,"-1000001"],[4,"1000001"]]]', 'UTF8')), $3, '{}',
              '{1,4}', '{-1000001,1000001}')`,
        },
        [id, `escrow:draw:${job.videoId}:1`, job.videoId],
      );
      await lockForJob(sql, job);
      const { faults } = await checkLedger(sql);
      expect(faults).toMatchObject([{ check: 'escrow-draw', ownerId: id }]);
      throw new Error('undone');
    });
    await expect(forged).rejects.toThrow('undone');
  });
});
