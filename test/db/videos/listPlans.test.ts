import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import type { Sql } from '../../../src/db/sql.js';
import { listVideosOfAccount } from '../../../src/domain/media/library/videoList.js';
import { countVideosOfAccount } from '../../../src/domain/media/library/videoNarrowing.js';
import { openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { PLAN_MODES, planOf } from '../../support/database/plans.js';

let database: TestDatabase;
let admin: pg.Pool;
let db: PostgresDatabase;
let accountId: string;

/** 20,000 videos of one account and as many of another; 100 in each second from January 1, 2026 on. */
beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 2 });
  accountId = await openFundedAccount(db, { masterMicros: 1_000_000n });
  for (const owner of [accountId, await openFundedAccount(db, { masterMicros: 1_000_000n })]) {
    await admin.query(
      `insert into video (account_id, id, title, duration_ms, created_at)
        select $1, gen_random_uuid(), 'Video ' || n, n % 5000 * 1000,
          '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => n / 100.0) from generate_series(1, 20000) n`,
      [owner],
    );
  }
  await admin.query('vacuum analyze video');
});

afterAll(async () => {
  await db?.close();
  await admin?.end();
  await database?.drop();
});

test.each([
  { sort: '-title' },
  { sort: 'length' },
  { sort: '-length' },
  { createdFrom: new Date('2026-01-01T00:00:30Z'), createdTo: new Date('2026-01-01T00:01:00Z') },
] as const)('a list of videos reads few of many rows for %j', async (query) => {
  const asked: { text: string; values: readonly unknown[] }[] = [];
  const sql: Sql = {
    query: (statement, values) => {
      asked.push({ text: statement.text, values: values ?? [] });
      return db.sql.query(statement, values);
    },
  };
  const wanted = { sort: '-createdAt', limit: 20, ...query } as const;
  const { videos, next } = await listVideosOfAccount(sql, accountId, wanted);
  expect(videos.length).toBeGreaterThan(0);
  if (next) await listVideosOfAccount(sql, accountId, { ...wanted, after: next });
  for (const { text, values } of asked) {
    for (const mode of PLAN_MODES) {
      const plan = await planOf(admin, text, values as string[], mode);
      expect(plan.nodes.filter((node) => node === 'Seq Scan' || node === 'Sort')).toEqual([]);
      expect(plan.mostRows).toBeLessThan(130);
    }
  }
});

test.each([{ words: 'video' }, { createdFrom: new Date('2026-01-01T00:00:30Z') }] as const)(
  'videos are counted up to a number, and no more are read, for %j',
  async (query) => {
    const asked: { text: string; values: readonly unknown[] }[] = [];
    const sql: Sql = {
      query: (statement, values) => {
        asked.push({ text: statement.text, values: values ?? [] });
        return db.sql.query(statement, values);
      },
    };
    expect(await countVideosOfAccount(sql, accountId, query, 120)).toBe(120);
    for (const { text, values } of asked) {
      for (const mode of PLAN_MODES) {
        const plan = await planOf(admin, text, values as string[], mode);
        // The index of words gives the entries of every match.
        expect('words' in query ? plan.mostTableRows : plan.mostRows).toBe(120);
      }
    }
    expect(await countVideosOfAccount(sql, accountId, { words: 'video 1999' }, 120)).toBe(11);
  },
);

test('a page with every filter and the page after it can be read on one connection', async () => {
  const narrow = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1 });
  try {
    const query = {
      sort: '-createdAt',
      limit: 100,
      status: 'awaiting_upload',
      words: 'video',
      tag: 'none',
      createdFrom: new Date('2026-01-01T00:00:00Z'),
      createdTo: new Date('2026-01-02T00:00:00Z'),
      metadata: { key: 'season', value: '1' },
    } as const;
    const after = { key: '2026-01-01T00:00:01Z', id: accountId };
    expect((await listVideosOfAccount(narrow.sql, accountId, query)).videos).toEqual([]);
    expect((await listVideosOfAccount(narrow.sql, accountId, { ...query, after })).videos).toEqual([]);
  } finally {
    await narrow.close();
  }
});
