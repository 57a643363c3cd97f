/**
 * A storage night beside the single statement that one would write by hand for all owners at once, without batches,
 * progress, emails or locks in a fixed order. On the same rows, by turns; each run charges another day.
 *
 * BENCH_ACCOUNTS=100000  BENCH_PAIRS=3
 */

import pg from 'pg';
import { pino } from 'pino';

import { PostgresDatabase } from '../../src/db/database.js';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { migrate } from '../../src/db/migrate.js';
import { installVirtualClock, setClockOffset } from '../../src/db/virtualClock.js';
import { StorageService } from '../../src/domain/payments/storage/storage.service.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';

const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS'] ?? 100_000);
const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 3);
const MAX_RATIO = 2;
const MAX_GROWTH_MB = 32;
const SAMPLE_MS = 20;
const FIRST_DAY = Date.parse('2027-03-01');
const MS_PER_DAY = 86_400_000;

const BY_HAND = `
  with used as (
    select account_id, sum(size_bytes) as bytes from stored_object
    where stored_at < $1::date + 1 and (removed_at is null or removed_at >= $1::date + 1)
    group by account_id
  ), last as (
    select distinct on (account_id) account_id, remainder from storage_day order by account_id, day desc
  ), due as (
    select account_id, bytes, units, div(units, 377580000000000) as charged
    from (
      select account_id, bytes, coalesce(remainder, 0) + bytes * (1500000 * 377580::bigint / 31) as units
      from used left join last using (account_id)
    ) u
  ), day as (
    insert into storage_day (account_id, day, bytes, charged_micros, remainder, from_cloud_micros, from_master_micros,
      arrears_micros, created_at)
    select account_id, $1::date, bytes, charged, units - charged * 377580000000000, charged, 0, 0, service_now() from due
    on conflict do nothing
    returning account_id, charged_micros, gen_random_uuid() as tx_id, created_at
  ), tx as (
    insert into ledger_tx (owner_id, type, idempotency_key, tx_id, request_hash, reference, created_at)
    select account_id, 'STORAGE', 'storage:' || $1::date, tx_id, sha256(charged_micros::text::bytea), $1::date, created_at
    from day
  ), account as (
    update ledger_account a set balance = a.balance + delta, version = a.version + 1
    from day, lateral (values (2, -charged_micros), (62, charged_micros)) leg(account_no, delta)
    where a.owner_id = day.account_id and a.account_no = leg.account_no
    returning a.owner_id, a.account_no, a.version, tx_id, delta, a.balance, created_at
  )
  insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
  select * from account`;

const dataDir = (await makeDataDir('dhara-bench-storage-')).path;
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }) });
try {
  await migrate(postgres);
  await installVirtualClock(postgres.migrationUrl);
  const admin = new pg.Client({ connectionString: postgres.migrationUrl, options: '-c timezone=UTC' });
  await admin.connect();
  await seed(admin);
  const db = await PostgresDatabase.connect({ url: postgres.runtimeUrl, maxConnections: 2 });
  const storage = new StorageService(db);

  const ratios: number[] = [];
  const seconds: string[] = [];
  const growthsMb: number[] = [];
  // The first pair warms the caches of both.
  for (let pair = 0; pair <= PAIRS; pair += 1) {
    const byHandMs = await timed(() => chargeByHand(admin, dayAt(2 * pair)));
    const beforeMb = residentMb();
    let highestMb = beforeMb;
    const watch = setInterval(() => (highestMb = Math.max(highestMb, residentMb())), SAMPLE_MS);
    const nightMs = await timed(() => chargeByService(storage, dayAt(2 * pair + 1)));
    clearInterval(watch);
    if (pair === 0) continue;
    growthsMb.push(highestMb - beforeMb);
    ratios.push(nightMs / byHandMs);
    seconds.push(`${(byHandMs / 1000).toFixed(1)}→${(nightMs / 1000).toFixed(1)}`);
  }
  const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)]!;
  const isFast = ratio <= MAX_RATIO;
  console.log(
    `${isFast ? 'ok    ' : 'MISSED'} storage night of ${ACCOUNTS} accounts: ${ratio.toFixed(2)} × one statement ` +
      `(target at most ${MAX_RATIO}; seconds by hand→night ${seconds.join(' ')})`,
  );
  const growthMb = Math.max(...growthsMb);
  const isFlat = growthMb <= MAX_GROWTH_MB;
  console.log(
    `${isFlat ? 'ok    ' : 'MISSED'} memory during such a night: ${growthMb.toFixed(0)} MB more at most ` +
      `(target at most ${MAX_GROWTH_MB}; ${growthsMb.map((mb) => mb.toFixed(0)).join(' ')})`,
  );
  if (!isFast || !isFlat) process.exitCode = 1;
  await db.close();
  await admin.end();
} finally {
  await postgres.stop();
  await removeDataDir(dataDir);
}

/** Owners with three objects each, and credits for all nights. */
async function seed(admin: pg.Client): Promise<void> {
  await admin.query('insert into account (id) select gen_random_uuid() from generate_series(1, $1)', [ACCOUNTS]);
  await admin.query(`
    insert into ledger_account (owner_id, account_no, balance)
    select id, n, case when n <= 2 then 1000000000 else 0 end
    from account, unnest(array[1, 2, 3, 4, 10, 11, 12, 50, 60, 61, 62, 63, 64, 65]) n order by id, n`);
  await admin.query(`
    insert into stored_object (account_id, key, size_bytes, stored_at)
    select id, 'sources/' || id || '/' || n, (1 + random() * 1e9)::bigint * 20, '2027-01-01'
    from account, generate_series(1, 3) n order by id`);
  await admin.query('update storage_night set day = $1', [dayAt(-1)]);
  await admin.query('vacuum analyze');
}

/** Leaves the rows as the service would, so that the next night is the day after. */
async function chargeByHand(admin: pg.Client, day: string): Promise<void> {
  await admin.query(BY_HAND, [day]);
  await admin.query(
    `insert into storage_night (day, started_at, finished_at, measured_at) select $1, now, now, now
     from service_now() now`,
    [day],
  );
}

async function chargeByService(storage: StorageService, day: string): Promise<void> {
  await setClockOffset(postgres.migrationUrl, Date.parse(day) + 1.1 * MS_PER_DAY - Date.now());
  const nights = await storage.runDueNights(new AbortController().signal);
  if (nights.length !== 1 || nights[0]?.day !== day || nights[0].accounts !== BigInt(ACCOUNTS)) {
    throw new Error(`expected the night of ${day} alone`);
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

function dayAt(index: number): string {
  return new Date(FIRST_DAY + index * MS_PER_DAY).toISOString().slice(0, 10);
}

function residentMb(): number {
  return process.memoryUsage().rss / 2 ** 20;
}
