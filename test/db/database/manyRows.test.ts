import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { OWNER_ROLE } from '../../../src/db/embedded/cluster.js';
import { startEmbeddedPostgres } from '../../../src/db/embedded/index.js';
import { migrate } from '../../../src/db/migrate.js';
import { generateKey, hashKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import { readLedgerLines } from '../../../src/domain/ledger/ledgerLines.js';
import { SingleVideos } from '../../../src/domain/media/library/singleVideos.js';
import { VideoLists } from '../../../src/domain/media/library/videoList.js';
import { explain, mintKeys, mintMany, mintOne } from '../../../src/domain/playback/mint.sql.js';
import { execute } from '../../../src/db/sql.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { makeDataDir } from '../../support/dataDir.js';
import { query } from '../../support/database/query.js';
import { TEST_MS } from '../../support/deadlines.js';
import { PLAN_MODES, planOf, statementsOf } from '../../support/database/plans.js';
import { IS_FULL } from '../../support/effort.js';

/** Videos, keys, and entries of the ledger. */
const ROWS = Number(process.env['MANY_ROWS'] ?? (IS_FULL ? 10_000_000 : 100_000));
/** Written at a time, so that a failure costs little and nothing has to fit into memory. */
const BATCH = 1_000_000;
/** Rows of each that fit into memory beside other tests. */
const MOST_IN_MEMORY = 1_000_000;
/** A batch takes minutes on a busy machine. */
const SEED_MS = Math.max(TEST_MS, (ROWS / BATCH) * 300_000);
/**
 * Few, so that each has many pages: PostgreSQL reads a small account whole, which is right. And enough for it to expect few
 * rows of a join by account and another column, because it takes the two for independent.
 */
const ACCOUNTS = Math.max(100, ROWS / 10_000);
/** No statement for a page of 20 reads more rows than this in any of its steps, whatever there is. */
const MOST_ROWS = 300;
/** Different amounts of an account's entries, each of which few have. */
const AMOUNTS = 100;
const FIRST_SECOND = '2026-01-01T00:00:00Z';

let database: Pick<TestDatabase, 'migrationUrl' | 'runtimeUrl' | 'drop'>;
let admin: pg.Pool;
let db: PostgresDatabase;
/** Has as many of each as any other account. */
let accountId: string;
let key: ReturnType<typeof generateKey>;
let videoIds: string[];

beforeAll(async () => {
  database = ROWS > MOST_IN_MEMORY ? await createLargeDatabase() : await createSmallDatabase();
  admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 2, statementTimeoutMs: 0 });
  key = generateKey('live');
  const client = await admin.connect();
  try {
    await seed(client);
  } finally {
    client.release();
  }
}, SEED_MS);
afterAll(async () => {
  await db?.close();
  await admin?.end();
  await database?.drop();
});

async function createSmallDatabase(): Promise<TestDatabase> {
  const created = await createTestDatabase();
  created.leaveUnproven('the entries are written by hand');
  return created;
}

/**
 * Ten million rows of each take 30 GB, and the databases of other tests are in memory. So they have a server of their own,
 * which writes to the disk.
 */
async function createLargeDatabase(): Promise<Pick<TestDatabase, 'migrationUrl' | 'runtimeUrl' | 'drop'>> {
  const { path: dataDir, remove } = await makeDataDir('dhara-many-rows-');
  const server = await startEmbeddedPostgres({ dataDir, durable: false, log: pino({ level: 'warn' }) });
  await migrate(server);
  await query(server.superuserUrl, `grant set on parameter session_replication_role to ${OWNER_ROLE}`);
  return {
    migrationUrl: server.migrationUrl,
    runtimeUrl: server.runtimeUrl,
    drop: async () => {
      await server.stop();
      await remove();
    },
  };
}

/** Without triggers, and with most indexes made afterwards: the same rows, many times faster. */
async function seed(client: pg.PoolClient): Promise<void> {
  await client.query(`set session_replication_role = replica; set maintenance_work_mem = '1GB'`);
  await client.query(
    `create temporary table many_accounts as
     select n::integer as n, gen_random_uuid() as id from generate_series(0, ${ACCOUNTS - 1}) n`,
  );
  await client.query('create index on many_accounts (n)');
  await client.query(`insert into account (id) select id from many_accounts`);
  await client.query(`insert into video_count (account_id, ready) select id, ${ROWS / ACCOUNTS} from many_accounts`);
  // Of a table with partitions, this drops those of the partitions, too.
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
     from pg_index where not indisunique and indrelid = any
       ('{video,rendition,caption,api_key,ledger_tx,ledger_entry}'::regclass[])`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (let from = 0; from < ROWS; from += BATCH) {
    const numbers = `select n from generate_series(${from}, ${Math.min(from + BATCH, ROWS) - 1}) n`;
    const of = `(${numbers}) n join many_accounts a on a.n = n.n % ${ACCOUNTS}`;
    await client.query(
      `insert into video (account_id, id, title, status, duration_ms, playable_rungs, pictures_prefix, created_at)
       select a.id, gen_random_uuid(), 'Video ' || n.n, 'ready', n.n % 5000 * 1000, '{480p}', 'videos/x',
         timestamptz '${FIRST_SECOND}' + n.n * interval '1 second' from ${of}`,
    );
    await client.query(
      `insert into rendition (account_id, video_id, quality, bitrate, average_bitrate, codecs, size_bytes, path, prefix)
       select v.account_id, v.id, wanted, 1000, 900, 'mp4a.40.2', 5, 'x', 'videos/x/'
       from video v cross join unnest(array['audio', '480p']) wanted
       where v.created_at >= timestamptz '${FIRST_SECOND}' + ${from} * interval '1 second' and v.duration_ms % 10000 = 0`,
    );
    await client.query(
      `insert into caption (account_id, video_id, id, language, label, origin, vtt, size_bytes, created_at)
       select v.account_id, v.id, gen_random_uuid(), 'en', 'English', 'upload', 'WEBVTT', 6, now() from video v
       where v.created_at >= timestamptz '${FIRST_SECOND}' + ${from} * interval '1 second' and v.duration_ms % 10000 = 0`,
    );
    await client.query(
      `insert into api_key (account_id, id, name, hash, prefix, last4, daily_limit)
       select a.id, gen_random_uuid(), 'key', sha256(n.n::text::bytea), 'dk_live_' || n.n % 10000, 'last', 1000 from ${of}`,
    );
    await client.query(
      `insert into ledger_tx (owner_id, idempotency_key, tx_id, type, request_hash, reference, metadata, created_at)
       select a.id, 'allocation:' || n.n, md5(n.n::text)::uuid, 'ALLOCATION', '', null, '{}',
         timestamptz '${FIRST_SECOND}' + n.n * interval '1 second' from ${of} where n.n < ${ROWS / 2}`,
    );
    await client.query(
      `insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
       select a.id, side.account_no, n.n / ${ACCOUNTS} + 1, md5(n.n::text)::uuid,
         side.sign * (1 + n.n / ${ACCOUNTS} % ${AMOUNTS}), 1000,
         timestamptz '${FIRST_SECOND}' + n.n * interval '1 second'
       from ${of} cross join (values (1, -1), (4, 1)) side(account_no, sign) where n.n < ${ROWS / 2}`,
    );
  }
  for (const { definition } of indexes) await client.query(definition);
  await client.query(
    `insert into ledger_account (owner_id, account_no, balance, version)
     select id, account_no, 1000, ${ROWS / 2 / ACCOUNTS} from many_accounts cross join (values (1), (4)) side(account_no)`,
  );
  const { rows } = await client.query<{ id: string }>('select id from many_accounts where n = 7');
  accountId = rows[0]!.id;
  await client.query(
    'update api_key set hash = $2 where account_id = $1 and id = (select id from api_key where account_id = $1 limit 1)',
    [accountId, key.hash],
  );
  const { rows: videos } = await client.query<{ id: string }>(
    'select id from video where account_id = $1 order by created_at desc limit 30',
    [accountId],
  );
  videoIds = videos.map(({ id }) => id);
  await client.query('set session_replication_role = origin');
  await client.query('vacuum analyze');
}

/** Each plan reads by index, and few rows. @returns the tables that were read */
async function expectFewRows(text: string, values: readonly unknown[], most = MOST_ROWS): Promise<Set<string>> {
  const tables = new Set<string>();
  for (const mode of PLAN_MODES) {
    const plan = await planOf(admin, text, values as string[], mode);
    // It has a row per account, and there are few accounts here.
    expect(
      plan.wholeTables.filter((table) => table !== 'video_count'),
      text,
    ).toEqual([]);
    expect(plan.mostRows, `${mode}: ${text}`).toBeLessThan(most);
    for (const table of plan.tables) tables.add(table);
  }
  return tables;
}

describe(`among ${ROWS} rows of each`, () => {
  it.each(['-createdAt', 'createdAt', 'title'] as const)(
    'a list by %s walks one index, also its second page',
    async (sort) => {
      const hash = hashKey(key.text)!;
      const statements = await statementsOf(db.sql, async (sql) => {
        const lists = new VideoLists(sql);
        const first = await lists.page(hash, { sort, limit: 20 });
        expect(first.videos).toHaveLength(20);
        expect((await lists.page(hash, { sort, limit: 20, after: first.next! })).videos).toHaveLength(20);
      });
      for (const { text, values } of statements) await expectFewRows(text, values);
    },
  );

  it('a single video is found by the key’s hash and its own id', async () => {
    const statements = await statementsOf(db.sql, (sql) => new SingleVideos(sql).get(hashKey(key.text)!, videoIds[0]!));
    for (const { text, values } of statements) await expectFewRows(text, values, 40);
  });

  it('a token is taken by the key’s hash alone', async () => {
    const hash = hashKey(key.text)!;
    const videoId = videoIds[0]!;
    const statements = await statementsOf(db.sql, async (sql) => {
      await execute(sql, mintOne, { hash, videoId, count: 1 });
      await execute(sql, mintMany, { hash, videoIds: videoIds.slice(0, 3), counts: [1, 1, 1] });
      await execute(sql, mintKeys, { hashes: [hash], videoIds: [videoId], counts: [1] });
      await execute(sql, explain, { hash, videoIds: [videoId], counts: [1] });
    });
    expect(statements).toHaveLength(4);
    for (const { text, values } of statements) await expectFewRows(text, values, 40);
  });

  it.each([
    ['all lines', {}],
    ['lines of an account', { accounts: ['CREATIVE'] }],
    ['lines of a type', { types: ['ALLOCATION'] }],
    ['lines of an amount', { amountMicros: 1n }],
    ['lines of both', { accounts: ['CREATIVE'], types: ['ALLOCATION'] }],
    ['lines of a day', { from: new Date('2026-01-01T02:00:00Z'), to: new Date('2026-01-01T03:00:00Z') }],
  ] as const)('the ledger reads one partition for %s', async (_, filter) => {
    const statements = await statementsOf(db.sql, async (sql) => {
      const page = { first: 20, after: null, filter } as Parameters<typeof readLedgerLines>[2];
      const lines = await readLedgerLines(sql, accountId, page);
      expect(lines.length).toBeGreaterThan(2);
      if (lines.length === 20) await readLedgerLines(sql, accountId, { ...page, after: lines.at(-1)!.cursor });
    });
    const walks = statements.filter(({ text }) => text.includes('ledger_entry'));
    expect(walks.length).toBeGreaterThan(0);
    for (const { text, values } of walks) {
      const tables = await expectFewRows(text, values);
      expect([...tables].filter((table) => table.startsWith('ledger_entry'))).toHaveLength(1);
    }
  });

  it('the ledger’s partitions hold all owners between them', async () => {
    const partitions = new Set<string>();
    for (let n = 0; n < 20; n += 1) {
      const text = `select from ledger_entry where owner_id = $1 limit 1`;
      const { rows } = await admin.query<{ id: string }>('select id from account offset $1 limit 1', [n]);
      for (const table of (await planOf(admin, text, [rows[0]!.id], 'force_custom_plan')).tables) partitions.add(table);
    }
    expect(partitions.size).toBeGreaterThan(4);
  });

  it('a statement without an index is found by its Seq Scan', async () => {
    const text = 'select from video where duration_ms = $1 and title = $2';
    await expect(expectFewRows(text, [1, newId()])).rejects.toThrow();
  });
});
