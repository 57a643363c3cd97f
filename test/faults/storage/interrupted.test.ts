import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Database, Sql, Statement, Transaction } from '../../../src/db/sql.js';
import { CHARGE_BATCH } from '../../../src/domain/payments/storage/night.sql.js';
import { StorageService } from '../../../src/domain/payments/storage/storage.service.js';
import { AppError } from '../../../src/errors.js';
import { lockWallet } from '../../../src/domain/ledger/lockWallet.js';
import { putIn } from '../../../src/domain/ledger/movements.js';
import { post } from '../../../src/domain/ledger/posting.js';
import { IS_FULL } from '../../support/effort.js';
import { CREDIT, GB, StorageScene } from '../../support/storage/scene.js';

/** At least three batches of them. */
const ACCOUNTS = IS_FULL ? 3500 : 2200;
const DAYS = 3;

let scene: StorageScene;
let ids: string[];

/** Owners who can pay for a part of it; for every third, MASTER pays too. */
async function openCrowd(): Promise<void> {
  scene = await StorageScene.open('2027-02-27');
  const { rows } = await scene.admin.query<{ id: string }>(
    `select id, open_account(id) from (select gen_random_uuid() as id from generate_series(1, $1)) n`,
    [ACCOUNTS],
  );
  ids = rows.map((row) => row.id).toSorted();
  await scene.admin.query(
    `insert into stored_object (account_id, key, size_bytes, stored_at)
     select id, 'sources/' || id || '/x', 1 + n * ${GB} / 10, '2027-01-01' from unnest($1::uuid[]) with ordinality u(id, n)`,
    [ids],
  );
  await scene.admin.query(
    `insert into automatic_allocation (account_id, bucket, enabled, updated_at)
     select id, 2, false, now() from unnest($1::uuid[]) id`,
    [ids.filter((_, n) => n % 3 !== 0)],
  );
  await scene.fundAll(ids, { CLOUD: 20n * CREDIT, MASTER: 5n * CREDIT });
}

/** All charges, in the owners' order, because ids are random. */
async function charges(): Promise<string[]> {
  const { rows } = await scene.admin.query<{ line: string }>(
    `select concat_ws(' ', u.n, d.day, charged_micros, remainder, from_cloud_micros, from_master_micros, drawn_micros, arrears_micros)
       as line
     from unnest($1::uuid[]) with ordinality u(id, n) join storage_day d on d.account_id = u.id order by u.n, d.day`,
    [ids],
  );
  return rows.map((row) => row.line);
}

describe('interrupted nights', () => {
  let undisturbed: string[];

  beforeAll(async () => {
    await openCrowd();
    await scene.setClock('2027-03-02T00:15:00Z');
    expect(await scene.run()).toHaveLength(DAYS);
    undisturbed = await charges();
    expect(undisturbed).toHaveLength(ACCOUNTS * DAYS);
    expect(await scene.faults()).toEqual([]);
    await scene.close();
  });

  beforeEach(openCrowd);
  afterAll(() => scene?.close());

  it('continue where they were stopped between batches', async () => {
    await scene.setClock('2027-03-02T00:15:00Z');
    let batches = 0;
    let stops = 0;
    for (let finished = 0; finished < DAYS; stops += 1) {
      const stop = new AbortController();
      const interrupted = new StorageService(
        countingTransactions(scene.db, () => {
          batches += 1;
          if (batches % 3 === 0) stop.abort();
        }),
      );
      finished += (await interrupted.runDueNights(stop.signal)).length;
    }
    expect(stops).toBeGreaterThan(2);
    expect(await charges()).toEqual(undisturbed);
    expect(await scene.faults()).toEqual([]);
    await scene.close();
  });

  it('lose nothing and charge nothing twice if their connection dies midway, repeatedly', async () => {
    await scene.setClock('2027-03-02T00:15:00Z');
    for (let kill = 0; kill < 3; kill += 1) {
      expect(await runAndDie((db) => dyingAfter(db, CHARGE_BATCH))).toBe('cut off');
      expect(await runAndDie((db) => db, await blockNight())).toBe('cut off');
      expect(await charges()).toHaveLength(0);
    }
    expect(await runAndDie((db) => dyingAfter(db, CHARGE_BATCH, 3))).toBe('cut off');
    expect(await charges()).toHaveLength(2000);

    expect(await scene.run()).toHaveLength(DAYS);
    expect(await charges()).toEqual(undisturbed);
    expect(await scene.faults()).toEqual([]);
    await scene.close();
  });

  it('may be run by several processes at once, while owners post', async () => {
    await scene.setClock('2027-03-02T00:15:00Z');
    const over = new AbortController();
    const busy = ids.filter((_, n) => n % 50 === 0);
    const clients = Array.from({ length: 6 }, async (_, client) => {
      let posted = 0;
      while (!over.signal.aborted) {
        for (const ownerId of client % 2 === 0 ? busy : busy.toReversed()) {
          const idempotencyKey = `test:${client}:${(posted += 1)}`;
          // All kinds of postings that touch what the night touches; none of them may change the result.
          await scene.db
            .transaction(async ({ sql }) => {
              if (client < 2) return post(sql, { ownerId, type: 'ALLOCATION', idempotencyKey, deltas: SWING[client]! });
              const balances = await lockWallet(sql, ownerId);
              if (client < 4) {
                const deltas = { ...putIn(balances, 10n), ADJUSTMENT: -10n };
                return post(sql, { ownerId, type: 'ADJUSTMENT', idempotencyKey, deltas });
              }
              if (balances.CLOUD < 1n) return null;
              return post(sql, { ownerId, type: 'ALLOCATION', idempotencyKey, deltas: { CLOUD: -1n, AI: 1n } });
            })
            .catch(unlessShort);
          if (over.signal.aborted) break;
        }
      }
      return posted;
    });
    const done = Promise.all([scene.run(), scene.run(), scene.run()]).finally(() => over.abort());
    const [nights, ...counts] = await Promise.all([done.then((runs) => runs.flat()), ...clients]);

    expect(new Set(nights.map((night) => night.day)).size).toBe(DAYS);
    for (const count of counts) expect(count).toBeGreaterThan(10);
    const bill = (line: string) => line.split(' ').slice(0, 4).join(' ');
    expect((await charges()).map(bill)).toEqual(undisturbed.map(bill));
    expect(await scene.faults()).toEqual([]);
  });

  /** Runs the nights over one connection, which is going to be killed. */
  async function runAndDie(
    wrap: (db: Database) => Database,
    kill: () => Promise<void> = () => Promise.resolve(),
  ): Promise<'finished' | 'cut off'> {
    const client = new pg.Client({ connectionString: scene.database.runtimeUrl, options: '-c timezone=UTC' });
    client.on('error', () => undefined);
    await client.connect();
    const run = new StorageService(wrap(overOneConnection(client))).runDueNights(new AbortController().signal);
    const outcome = run.then(
      () => 'finished' as const,
      () => 'cut off' as const,
    );
    await kill();
    const result = await outcome;
    await client.end().catch(() => undefined);
    return result;
  }

  /**
   * Locks one owner's row in the middle: the batch's statement will hold half of its locks, and wait for that one.
   * @returns a function that then kills it, and releases the row
   */
  async function blockNight(): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: scene.database.migrationUrl });
    await client.connect();
    await client.query('begin');
    await client.query('select from ledger_account where owner_id = $1 and account_no = 62 for update', [ids[500]]);
    return async () => {
      for (let killed = 0; killed === 0;) {
        // Over another connection: within a transaction, the list of activities does not change.
        const { rows } = await scene.admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like '%with night as%'`,
        );
        killed = rows.length;
      }
      await client.end();
    };
  }

  /** Kills the connection after the nth run of the statement, before anything else runs. */
  function dyingAfter(db: Database, { name }: { readonly name: string }, times = 1): Database {
    let run = 0;
    return {
      ...db,
      transaction: (work) =>
        db.transaction(({ sql, em }) =>
          work({
            em,
            sql: {
              query: async <Row extends object>(each: Statement, values?: readonly unknown[]) => {
                const rows = await sql.query<Row>(each, values);
                if (each.name === name) run += 1;
                if (run === times) await scene.admin.query(KILL);
                return rows;
              },
            },
          }),
        ),
    };
  }
});

/** Kills whatever has written days that are not committed yet. */
const KILL = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and state = 'idle in transaction' and backend_xid is not null`;

function overOneConnection(client: pg.Client): Database {
  const sql: Sql = {
    query: async <Row extends object>({ text }: Statement, values: readonly unknown[] = []) =>
      (await client.query<Row>(text, [...values])).rows,
  };
  const em = () => {
    throw new Error('no entities here');
  };
  return {
    sql,
    em,
    transaction: async (work) => {
      await client.query('begin');
      const result = await work({ sql, em });
      await client.query('commit');
      return result;
    },
  };
}

/** Back and forth: the night may find either. */
const SWING = [
  { MASTER: -1n, CREATIVE: 1n },
  { CREATIVE: -1n, MASTER: 1n },
] as const;

function unlessShort(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'INSUFFICIENT_CREDITS') throw error;
}

function countingTransactions(db: Database, onDone: () => void): Database {
  return {
    sql: db.sql,
    em: () => db.em(),
    transaction: async <T>(work: (tx: Transaction) => Promise<T>) => {
      const result = await db.transaction(work);
      onDone();
      return result;
    },
  };
}
