import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';

import { PostgresDatabase } from '../../../src/db/database.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { HELD_IN_ESCROW, heldInEscrow } from '../../../src/domain/ledger/escrow.js';
import { post, postMany } from '../../../src/domain/ledger/posting.js';
import { observePostings } from '../../../src/domain/ledger/postingObserver.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { correct, openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';

const CREDIT = 1_000_000n;

let database: TestDatabase;
let db: PostgresDatabase;
let admin: pg.Pool;
let wallet: WalletService;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 5 });
  admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  admin.on('error', () => undefined);
  wallet = new WalletService(db);
});

afterAll(async () => {
  await db?.close();
  await admin?.end();
  database?.leaveUnproven('postings are made by hand here');
  await database?.drop();
});

describe('postings of many owners in one statement', () => {
  it('write the rows that one posting at a time writes', async () => {
    const reference = 'a "quoted" \\ name,\n\t€ 🎬 and a line more';
    const owners = await Promise.all([1n, 2n].map((masterMicros) => openFundedAccount(db, { masterMicros })));
    const idempotencyKey = newId();
    const [booked] = await db.sql.query<{ postings: string }>(
      {
        name: '',
        text: postMany('unnest($1::uuid[]) with ordinality o(id, amount)', {
          type: 'ALLOCATION',
          ownerId: 'id',
          idempotencyKey: `'${idempotencyKey}'`,
          deltas: { CLOUD: 'amount', MASTER: '-amount' },
          reference: '$2',
          intent: 'amount',
          metadata: `jsonb_build_object('amount', amount::text)`,
          now: 'service_now()',
        }),
      },
      [owners, reference],
    );
    expect(booked).toEqual({ postings: '2' });

    for (const [at, ownerId] of owners.entries()) {
      const amount = BigInt(at + 1);
      // Of another request under the same key, this would throw.
      const again = await post(db.sql, {
        ownerId,
        type: 'ALLOCATION',
        idempotencyKey,
        deltas: { CLOUD: amount, MASTER: -amount },
        reference,
        intent: amount.toString(),
      });
      expect(again.duplicate).toBe(true);
      const { rows } = await admin.query(
        `select type, reference, metadata, encode(request_hash, 'hex') as hash from ledger_tx where tx_id = $1`,
        [again.txId],
      );
      const hash = createHash('sha256')
        .update(JSON.stringify(['ALLOCATION', reference, amount.toString()]))
        .digest('hex');
      expect(rows).toEqual([{ type: 'ALLOCATION', reference, metadata: { amount: amount.toString() }, hash }]);
      expect(again.txId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
      expect(Math.abs(Number.parseInt(again.txId.replaceAll('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(
        60_000,
      );
    }
  });

  it('book nothing where there is no row', async () => {
    const nothing = postMany('(select) o where false', {
      type: 'ALLOCATION',
      ownerId: 'null::uuid',
      idempotencyKey: `'none'`,
      deltas: { MASTER: '1', CLOUD: '-1' },
      reference: `''`,
      intent: `''`,
      metadata: `'{}'::jsonb`,
      now: 'service_now()',
    });
    expect(await db.sql.query({ name: '', text: nothing })).toEqual([]);
  });
});

describe('a posting', () => {
  it('locks accounts in one order, whatever the order of their rows on disk', async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: CREDIT, creativeMicros: CREDIT });
    const rowOf = 'ledger_account where owner_id = $1 and account_no = $2';
    await admin.query(`update ledger_account set balance = balance where owner_id = $1 and account_no = 1`, [ownerId]);
    const { rows } = await admin.query<{ no: number }>(
      `select account_no as no from ledger_account where owner_id = $1 and account_no in (1, 4) order by ctid`,
      [ownerId],
    );
    expect(rows.map(({ no }) => no)).toEqual([4, 1]);

    const holder = await admin.connect();
    const fresh = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1 });
    try {
      await holder.query('begin');
      await holder.query(`select from ${rowOf} for update`, [ownerId, 4]);
      const posted = fresh.transaction(async ({ sql }) => {
        // Without index scans, rows come in their order on disk unless they are sorted.
        await sql.query({ name: '', text: `set local enable_indexscan = off` });
        await sql.query({ name: '', text: `set local enable_bitmapscan = off` });
        return post(sql, {
          ownerId,
          type: 'ALLOCATION',
          idempotencyKey: newId(),
          deltas: { MASTER: -1n, CREATIVE: 1n },
        });
      });
      await expect.poll(() => statementsWaiting(admin)).toBeGreaterThan(0);
      await expect(holder.query(`select from ${rowOf} for update nowait`, [ownerId, 1])).rejects.toMatchObject({
        code: '55P03',
      });
      await holder.query('rollback');
      await posted;
    } finally {
      holder.release();
      await fresh.close();
    }
  });

  it('that overflows a balance is refused, and no balance wraps around', async () => {
    const most = (1n << 63n) - 1n;
    const accountId = await openFundedAccount(db, { masterMicros: 5n });
    const adjust = (amountMicros: bigint) => db.transaction((tx) => correct(wallet, tx, { accountId, amountMicros }));
    const allocate = (from: 'MASTER' | 'CLOUD', to: 'MASTER' | 'CLOUD', amountMicros: bigint) =>
      wallet.allocate(accountId, { from, to, amountMicros, idempotencyKey: newId() });
    await allocate('MASTER', 'CLOUD', 5n);
    await adjust(most - 5n);
    for (const tooMuch of [
      () => adjust(6n),
      () => adjust(most),
      () => adjust(most + 1n),
      () => adjust(-most - 2n),
      () => allocate('MASTER', 'CLOUD', most + 1n),
      () => wallet.repayDebt(accountId, { amountMicros: most + 1n, idempotencyKey: newId() }),
    ]) {
      await expect(tooMuch(), tooMuch.toString()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    expect(await wallet.balances(accountId)).toMatchObject({ MASTER: most - 5n, CLOUD: 5n });
    await allocate('CLOUD', 'MASTER', 5n);
    expect(await wallet.balances(accountId)).toMatchObject({ MASTER: most, CLOUD: 0n });
  });
});

describe('observers of postings', () => {
  it('receive the type, the outcome and the duration of each posting until they unsubscribe', async () => {
    const ownerId = await openFundedAccount(db, { masterMicros: CREDIT });
    const told: string[] = [];
    const stop = observePostings((type, outcome, durationMs) => {
      expect(durationMs).toBeGreaterThan(0);
      told.push(`${type} ${outcome}`);
    });
    const moved = {
      ownerId,
      type: 'ALLOCATION',
      idempotencyKey: newId(),
      deltas: { MASTER: -CREDIT, CLOUD: CREDIT },
    } as const;
    await post(db.sql, moved);
    await post(db.sql, moved);
    await expect(post(db.sql, { ...moved, idempotencyKey: newId() })).rejects.toThrow('Not enough credits');
    await expect(post(db.sql, { ...moved, deltas: { MASTER: 1n } })).rejects.toThrow('not balanced');
    stop();
    await post(db.sql, moved);
    expect(told).toEqual(['posted', 'duplicate', 'refused', 'failed'].map((outcome) => `ALLOCATION ${outcome}`));
  });
});

describe('what all owners have in escrow', () => {
  it('is read from the index of open escrows', async () => {
    await admin.query(`
      insert into escrow (account_id, video_id, attempt, bucket, locked_micros, settled_micros, status, created_at, resolved_at)
      select a.id, gen_random_uuid(), 1, 2, 7, 7, 'settled', now(), now()
      from (select id from account limit 1) a, generate_series(1, 5000)`);
    await admin.query(`
      insert into escrow (account_id, video_id, attempt, bucket, locked_micros, created_at)
      select a.id, gen_random_uuid(), 1, 2, 11, now() from (select id from account limit 1) a, generate_series(1, 3)`);
    await admin.query('analyze escrow');
    expect(await heldInEscrow(db.sql)).toBe(33n);
    const { rows } = await admin.query<Record<string, string>>(`explain ${HELD_IN_ESCROW.text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('escrow_open');
    expect(plan).not.toContain('Seq Scan');
  });
});
