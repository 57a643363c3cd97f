/**
 * Postings: the domain's `post` beside the same statement sent by bare pg, over the same owners with as many clients,
 * by turns, on one PostgreSQL with durable settings.
 *
 * BENCH_OWNERS=5000  BENCH_CLIENTS=32  BENCH_PAIRS=5  BENCH_POSTING_SECONDS=2
 */
import { createHash, randomUUID } from 'node:crypto';

import pg from 'pg';
import { pino } from 'pino';

import { PostgresDatabase } from '../../src/db/database.js';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { migrate } from '../../src/db/migrate.js';
import { post } from '../../src/domain/ledger/posting.js';
import { verifyLedger } from '../../src/domain/ledger/verify/verify.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';

const OWNERS = Number(process.env['BENCH_OWNERS'] ?? 5_000);
const CLIENTS = Number(process.env['BENCH_CLIENTS'] ?? 32);
const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 5);
const DURATION_MS = Number(process.env['BENCH_POSTING_SECONDS'] ?? 2) * 1000;
const MIN_RATIO = 0.7;
const FUNDS_KEY = 'bench:funds';
const FUNDS_MICROS = 1_000_000_000_000n;

/** The statement as it was measured before there was a service around it. */
const BARE = {
  name: 'bare-post',
  text: `
    with change as (
      select account_no, delta from unnest($4::smallint[], $5::bigint[]) u(account_no, delta)
    ), tx as (
      insert into ledger_tx
        (owner_id, type, idempotency_key, tx_id, request_hash, reference, metadata, created_at)
      values ($1, $2, $3, $6, $7, $8, $9, service_now())
      on conflict (owner_id, idempotency_key) do nothing
      returning tx_id, created_at
    ), locked as materialized (
      select a.account_no from tx, ledger_account a
      where a.owner_id = $1 and a.account_no = any ($4::smallint[])
      order by a.account_no for no key update of a
    ), account as (
      update ledger_account a set balance = a.balance + c.delta, version = a.version + 1
      from locked l join change c using (account_no)
      where a.owner_id = $1 and a.account_no = l.account_no
      returning a.account_no, a.balance, a.version
    )
    insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
    select $1, c.account_no, account.version, tx.tx_id, c.delta, account.balance, tx.created_at
    from change c cross join tx left join account using (account_no)
    returning tx_id`,
};
/** What the ledger's proof expects of this allocation, made once: hashing is no part of the bare statement. */
const REQUEST_HASH = createHash('sha256')
  .update(
    JSON.stringify([
      'ALLOCATION',
      null,
      [
        [1, '-1'],
        [4, '1'],
      ],
    ]),
  )
  .digest();

const dataDir = (await makeDataDir('dhara-bench-postings-')).path;
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }) });
try {
  await migrate(postgres);
  const owners = await seed();
  const db = await PostgresDatabase.connect({ url: postgres.runtimeUrl, maxConnections: CLIENTS });
  // As the owner, because the service's role may not insert.
  const bare = new pg.Pool({ connectionString: postgres.migrationUrl, max: CLIENTS });
  // A connection that is closing may be cut off when the database shuts down.
  bare.on('error', () => undefined);
  const byUs = (ownerId: string, idempotencyKey: string) =>
    post(db.sql, {
      ownerId,
      type: 'ALLOCATION',
      idempotencyKey: `allocation:${idempotencyKey}`,
      deltas: { MASTER: -1n, CREATIVE: 1n },
    });
  const byHand = (ownerId: string, key: string) =>
    bare.query({
      ...BARE,
      values: [ownerId, 'ALLOCATION', `allocation:${key}`, [1, 4], ['-1', '1'], randomUUID(), REQUEST_HASH, null, '{}'],
    });

  const ratios: number[] = [];
  const rates: string[] = [];
  // The first pair opens the connections and plans the statements of both.
  for (let pair = 0; pair <= PAIRS; pair += 1) {
    const bareRate = await ratePerSecond(owners, byHand);
    const ourRate = await ratePerSecond(owners, byUs);
    if (pair === 0) continue;
    ratios.push(ourRate / bareRate);
    rates.push(`${bareRate.toFixed(0)}→${ourRate.toFixed(0)}`);
  }
  const { faults } = await verifyLedger(db);
  // No event explains the funds of the seed, and no bank holds them; everything else has to hold.
  const found = faults.filter(({ check, subject }) => check !== 'cash' && subject !== FUNDS_KEY);
  if (found.length > 0) throw new Error(`the books do not hold: ${JSON.stringify(found[0])}`);
  await db.close();
  await bare.end();

  const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)]!;
  const isMet = ratio >= MIN_RATIO;
  console.log(
    `${isMet ? 'ok    ' : 'MISSED'} postings over ${OWNERS} owners, ${CLIENTS} clients: ${ratio.toFixed(2)} × bare pg ` +
      `(target at least ${MIN_RATIO}; postings/s bare→ours ${rates.join(' ')})`,
  );
  if (!isMet) process.exitCode = 1;
} finally {
  await postgres.stop();
  await removeDataDir(dataDir);
}

/** Owners with a complete wallet and more in MASTER than can be moved, each with the posting that it came from. */
async function seed(): Promise<string[]> {
  const admin = new pg.Client({ connectionString: postgres.migrationUrl });
  await admin.connect();
  const { rows } = await admin.query<{ id: string }>(
    'insert into account (id) select gen_random_uuid() from generate_series(1, $1) returning id',
    [OWNERS],
  );
  await admin.query(`
    insert into ledger_account (owner_id, account_no)
    select id, n from account, unnest(array[1, 2, 3, 4, 10, 11, 12, 50, 60, 61, 62, 63, 64, 65]) n order by id, n
    on conflict do nothing`);
  const ids = rows.map((row) => row.id);
  await admin.query(
    `with owner as (select id, gen_random_uuid() as tx_id, service_now() as now from unnest($1::uuid[]) id),
       tx as (
         insert into ledger_tx (owner_id, type, idempotency_key, tx_id, request_hash, created_at)
         select id, 'ADJUSTMENT', '${FUNDS_KEY}', tx_id, '', now from owner),
       leg as (select * from owner, lateral (values (1::smallint, $2::bigint), (64::smallint, -$2::bigint)) l(no, delta)),
       account as (
         update ledger_account a set balance = delta, version = 1 from leg
         where a.owner_id = leg.id and a.account_no = leg.no)
     insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
     select id, no, 1, tx_id, delta, delta, now from leg`,
    [ids, FUNDS_MICROS],
  );
  await admin.query('vacuum analyze');
  await admin.end();
  return ids;
}

/** Every client posts without a pause, for one owner after the other. */
async function ratePerSecond(
  owners: readonly string[],
  send: (ownerId: string, idempotencyKey: string) => Promise<unknown>,
): Promise<number> {
  const startedAtMs = performance.now();
  let posted = 0;
  const client = async (nth: number) => {
    for (let at = nth; performance.now() - startedAtMs < DURATION_MS; at += CLIENTS) {
      await send(owners[at % owners.length]!, randomUUID());
      posted += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, nth) => client(nth)));
  return (posted / (performance.now() - startedAtMs)) * 1000;
}
