/**
 * The nightly verification of the books, with a posting of every owner each night. Compares the time of the fifth night
 * with that of the second, because the first verifies everything: for new rows alone, and with a seventh of everything,
 * which grows by a seventh of each night. Also seals many owners of whom one in a hundred has new postings.
 *
 * BENCH_PROOF_OWNERS=20000  BENCH_SEAL_OWNERS=1000000
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';
import { pino } from 'pino';

import { FileSealArchive } from '../../src/adapters/seals/fileSealArchive.js';
import { PostgresDatabase } from '../../src/db/database.js';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { migrate } from '../../src/db/migrate.js';
import { installVirtualClock, setClockOffset } from '../../src/db/virtualClock.js';
import { atOneInstant, LedgerVerification } from '../../src/domain/ledger/verify/verify.js';
import { LedgerAudit } from '../../src/domain/ledger/seals/ledgerAudit.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';
import { correct, openOwners } from './manyOwners.js';

const OWNERS = Number(process.env['BENCH_PROOF_OWNERS'] ?? 20_000);
const SEAL_OWNERS = Number(process.env['BENCH_SEAL_OWNERS'] ?? 1_000_000);
const NIGHTS = 5;
const MAX_GROWTH = 1.5;
const MAX_SEAL_SECONDS = 60;

const dataDir = (await makeDataDir('dhara-bench-proof-')).path;
const folder = await mkdtemp(join(tmpdir(), 'dhara-bench-seals-'));
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }) });
try {
  await migrate(postgres);
  await installVirtualClock(postgres.migrationUrl);
  const admin = new pg.Client({ connectionString: postgres.migrationUrl, options: '-c timezone=UTC' });
  await admin.connect();
  const db = await PostgresDatabase.connect({ url: postgres.runtimeUrl, maxConnections: 4 });
  const audit = new LedgerAudit({ db, archive: new FileSealArchive({ dir: folder }) });

  await openOwners(admin, OWNERS);
  const seconds: number[] = [];
  const newSeconds: number[] = [];
  for (let night = 1; night <= NIGHTS; night += 1) {
    await correct(admin, OWNERS, `night ${night}`);
    await setClockOffset(postgres.migrationUrl, Date.parse(`2031-03-0${night}T01:00:00Z`) - Date.now());
    newSeconds.push(await timed(() => proveNew(db, night)));
    seconds.push(await timed(() => audit.nightly()));
    const { faults, firstFault } = await audit.health();
    if (faults > 0) throw new Error(firstFault ?? 'faults');
  }
  const newGrowth = newSeconds[NIGHTS - 1]! / newSeconds[1]!;
  tell(
    newGrowth <= MAX_GROWTH,
    `what is new on night ${NIGHTS} of ${OWNERS} owners: ${newGrowth.toFixed(2)} × night 2 (target at most ` +
      `${MAX_GROWTH}; seconds ${newSeconds.map((each) => each.toFixed(1)).join(' ')})`,
  );
  const growth = seconds[NIGHTS - 1]! / seconds[1]!;
  tell(
    true,
    `the same with the night's seventh of everything, and sealing: ${growth.toFixed(2)} × night 2 ` +
      `(seconds ${seconds.map((each) => each.toFixed(1)).join(' ')})`,
  );
  const wholeSeconds = await timed(() => audit.verify());
  tell(true, `the whole proof of the same: ${wholeSeconds.toFixed(1)} s`);

  await openOwners(admin, SEAL_OWNERS - OWNERS);
  await pretendSealed(admin);
  await correct(admin, SEAL_OWNERS / 100, 'moved');
  const sealSeconds = await timed(() => audit.seal());
  tell(
    sealSeconds <= MAX_SEAL_SECONDS,
    `sealing ${SEAL_OWNERS} owners of whom 1 % moved: ${sealSeconds.toFixed(1)} s (target at most ${MAX_SEAL_SECONDS})`,
  );
  await db.close();
  await admin.end();
} finally {
  await postgres.stop();
  await removeDataDir(dataDir);
  await rm(folder, { recursive: true });
}

/** Verifies every owner's postings since the last seal, and the facts since the last night. */
async function proveNew(db: PostgresDatabase, night: number): Promise<void> {
  const { faults } = await atOneInstant(db, async (sql) => {
    const owners = await sql.query<{ id: string }>({ name: '', text: 'select id from account order by id' });
    const proof = new LedgerVerification(sql);
    for (let first = 0; first < owners.length; first += 1_000) {
      await proof.ofNewEntries(owners.slice(first, first + 1_000).map(({ id }) => id));
    }
    await proof.ofFactsSince(`2031-03-0${night}T00:00:00Z`);
    return proof.report();
  });
  if (faults.length > 0) throw new Error(JSON.stringify(faults[0]));
}

/** Makes every owner look sealed. */
async function pretendSealed(admin: pg.Client): Promise<void> {
  await admin.query(`
    insert into ledger_seal_owner (owner_id, block_no, previous, digest, accounts, versions, parts, version_total, entries)
    select owner_id, 1, '\\x00', sha256('x'), array_agg(account_no order by account_no),
      array_agg(version order by account_no), array_agg(null::bytea), sum(version), 0
    from ledger_account group by owner_id
    on conflict do nothing`);
  await admin.query('vacuum analyze ledger_seal_owner');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return (performance.now() - startedAtMs) / 1000;
}

function tell(isMet: boolean, line: string): void {
  console.log(`${isMet ? 'ok    ' : 'MISSED'} ${line}`);
  if (!isMet) process.exitCode = 1;
}
