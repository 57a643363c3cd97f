import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { execute, type Sql } from '../../../src/db/sql.js';
import { nextDeliveries, recordSuccess, replayRange } from '../../../src/domain/accounts/webhooks/delivery.sql.js';
import { FIND_VIEW, LOCK_VIEWS, STORE_REPORTS } from '../../../src/domain/playback/analytics/analytics.sql.js';
import { SERIES } from '../../../src/domain/playback/analytics/questions.sql.js';
import { OF_VIDEO } from '../../../src/domain/shared/events/event.sql.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type Plan, PLAN_MODES, planOf, statementsOf } from '../../support/database/plans.js';

const ACCOUNTS = 10;
/** Partitions before that of now. */
const MONTHS = 6;
const DAYS = 20;
const ALL_VIDEOS = '00000000-0000-0000-0000-000000000000';
const IS_PART = /_(\d{4}_\d\d(_\d\d)?|rest)$/;
const LEASE = '2100-01-01T00:00:00Z';

let database: TestDatabase;
let admin: pg.Pool;
let db: PostgresDatabase;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 2 });
  const client = await admin.connect();
  try {
    await seed(client);
  } finally {
    client.release();
  }
});
afterAll(async () => {
  await db?.close();
  await admin?.end();
  await database?.drop();
});

/** Everything is as old as its partitions. An endpoint has its account's id, a delivery that of its event. */
async function seed(client: pg.PoolClient): Promise<void> {
  for (const table of ['event', 'webhook_delivery', 'playback_hour']) await addParts(client, table, 'month', MONTHS);
  await addParts(client, 'playback_view', 'day', DAYS);
  await client.query('set session_replication_role = replica');
  await client.query(
    `create temporary table some_accounts as select gen_random_uuid() as id from generate_series(1, ${ACCOUNTS})`,
  );
  await client.query('insert into account (id) select id from some_accounts');
  await client.query(
    `insert into webhook_endpoint (account_id, id, url, description, paused_until, lease_until, created_at)
     select id, id, 'https://example.com', '', '-infinity', '${LEASE}', now() from some_accounts`,
  );
  await client.query(
    `insert into event (account_id, created_at, id, type, version, data, seq)
     select a.id, at, gen_random_uuid(), 'video.ready', 1, jsonb_build_object('uuid', a.id),
       row_number() over (partition by a.id order by at)
     from some_accounts a
       cross join generate_series(date_trunc('month', now()) - interval '${MONTHS} months', now(), '3 hours') at`,
  );
  await client.query(
    `insert into webhook_delivery (account_id, created_at, endpoint_id, event_id, type, state)
     select account_id, created_at, account_id, id, type, 'succeeded' from event order by created_at`,
  );
  await client.query(
    `insert into playback_view (account_id, minted_at, id, video_id, audience, duration_ms, country, browser, device)
     select a.id, at, gen_random_uuid(), a.id, 'viewer', 1000, '', '', ''
     from some_accounts a
       cross join generate_series(date_trunc('day', now()) - interval '${DAYS} days', now(), '1 hour') at`,
  );
  await client.query(
    `insert into playback_hour (account_id, dimension, video_id, starts_at, value)
     select a.id, 'all', '${ALL_VIDEOS}', at, ''
     from some_accounts a
       cross join generate_series(date_trunc('month', now()) - interval '${MONTHS} months', now(), '6 hours') at`,
  );
  await client.query('set session_replication_role = origin');
  await client.query('vacuum analyze');
  const { rows } = await client.query<{ id: string }>('select id from some_accounts limit 1');
  accountId = rows[0]!.id;
}

/** Partitions of the past, as the nightly chore made them when they were to come. */
async function addParts(client: pg.PoolClient, table: string, unit: 'month' | 'day', count: number): Promise<void> {
  const { rows } = await client.query<{ name: string; begins: string; ends: string }>(
    `select format('%s_%s', $1::text, to_char(begins, $2)) as name, begins::text, (begins + $3::interval)::text as ends
     from generate_series(1, $4) n, lateral (select date_trunc($5, now()) - n * $3::interval as begins) b`,
    [table, unit === 'month' ? 'YYYY_MM' : 'YYYY_MM_DD', `1 ${unit}`, count, unit],
  );
  for (const { name, begins, ends } of rows) {
    await client.query(
      `create table if not exists ${name} partition of ${table} for values from ('${begins}') to ('${ends}')`,
    );
  }
}

/** The plans of the statements of `work`, in every way that PostgreSQL may plan them. */
async function plansOf(work: (sql: Sql) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const { text, values } of await statementsOf(db.sql, work)) {
    for (const mode of PLAN_MODES) plans.push(await planOf(admin, text, values, mode));
  }
  return plans;
}

function partsOf(plans: readonly Plan[]): string[] {
  const read = plans.flatMap(({ tables }) => tables).filter((table) => IS_PART.test(table));
  return [...new Set(read)].toSorted();
}

/** The partitions that the statements of `work` read. */
const partsRead = async (work: (sql: Sql) => Promise<unknown>): Promise<string[]> => partsOf(await plansOf(work));

interface TwoDays {
  month: string;
  from: string;
  to: string;
  since: string;
  until: string;
}

/** Two days in the middle of the month before this one. */
async function twoDays(): Promise<TwoDays> {
  const { rows } = await admin.query<TwoDays>(
    `select to_char(month, 'YYYY_MM') as month, to_char(month + interval '9 days', 'YYYY-MM-DD') as from,
       to_char(month + interval '10 days', 'YYYY-MM-DD') as to, (month + interval '9 days')::text as since,
       (month + interval '11 days')::text as until
     from (select date_trunc('month', now()) - interval '1 month' as month) m`,
  );
  return rows[0]!;
}

interface Row {
  id: string;
  at: string;
  seconds: number;
  part: string;
}

/** One of the account's rows that are as old as `age`, and its partition. */
async function rowOf(table: string, column: string, age: string): Promise<Row> {
  const { rows } = await admin.query<Row>(
    `select id, ${column}::text as at, extract(epoch from ${column})::float8 as seconds, tableoid::regclass::text as part
     from ${table} where account_id = $1 and ${column} < now() - $2::interval order by ${column} desc limit 1`,
    [accountId, age],
  );
  return rows[0]!;
}

describe('only the partitions of their time are read by', () => {
  it('the hours of two days', async () => {
    const { month, from, to } = await twoDays();
    const question = { accountId, videoId: ALL_VIDEOS, fromDay: from, toDay: to };
    const plans = await plansOf(async (sql) => expect(await execute(sql, SERIES.hour, question)).toHaveLength(8));
    expect(partsOf(plans)).toEqual([`playback_hour_${month}`]);
    expect(Math.max(...plans.map(({ mostRows }) => mostRows))).toBeLessThan(20);
  });

  it('a replay of two days, of events and of their deliveries', async () => {
    const { month, since, until } = await twoDays();
    const range = { accountId, endpointId: accountId, keepDays: 90, since, until, includeDelivered: false, max: 1000 };
    const read = await partsRead(async (sql) => expect(await execute(sql, replayRange, range)).toEqual([]));
    expect(read).toEqual([`event_${month}`, `webhook_delivery_${month}`]);
  });

  it('the events of a video before a moment: no newer ones', async () => {
    const { month, since } = await twoDays();
    const page = { accountId, videoId: accountId, keepDays: 90, beforeMicros: `${Date.parse(since)}000`, first: 20 };
    const read = await partsRead(async (sql) => expect(await execute(sql, OF_VIDEO, page)).toHaveLength(20));
    expect(read).toContain(`event_${month}`);
    expect(read.filter((part) => part > `event_${month}` && part !== 'event_rest')).toEqual([]);
  });

  it('what is sent next, of events, and what records that it was sent, of deliveries', async () => {
    const event = await rowOf('event', 'created_at', '40 days');
    const delivery = event.part.replace('event', 'webhook_delivery');
    await admin.query(
      `update webhook_delivery set state = 'pending', next_attempt_at = now() where account_id = $1 and event_id = $2`,
      [accountId, event.id],
    );
    const endpoint = { accountId, endpointId: accountId };
    const sent = await partsRead(async (sql) =>
      expect(await execute(sql, nextDeliveries, { ...endpoint, lease: LEASE, max: 10 })).toMatchObject([
        { version: 1 },
      ]),
    );
    expect(sent.filter((part) => part.startsWith('event_'))).toEqual([event.part]);
    const attempt = {
      attempts: 0,
      attemptId: newId(),
      url: 'https://example.com',
      status: 200,
      durationMs: 5,
      answer: '',
    };
    const recorded = await partsRead((sql) =>
      execute(sql, recordSuccess, { ...endpoint, createdAt: event.at, eventId: event.id, ...attempt }),
    );
    expect(recorded).toEqual([delivery]);
  });

  it('a view whose token’s time is known', async () => {
    const view = await rowOf('playback_view', 'minted_at', '30 hours');
    const asked = { accountId, viewId: view.id, mintedAt: view.seconds };
    const read = await partsRead(async (sql) => expect(await execute(sql, FIND_VIEW, asked)).toHaveLength(1));
    expect(read).toEqual([view.part]);
  });

  it('what locks reported views and stores their reports: the days that reports come for', async () => {
    const view = await rowOf('playback_view', 'minted_at', '30 hours');
    const { part: oldest } = await rowOf('playback_view', 'minted_at', '4 days');
    const asked = { accountIds: [accountId], ids: [view.id] };
    const report = {
      mintedAt: [view.seconds],
      seqs: [1],
      startups: [null],
      watched: [1],
      stalled: [0],
      stalls: [0],
      switches: [0],
      ranges: ['{}'],
      errors: ['[]'],
      ended: [false],
    };
    for (const work of [
      async (sql: Sql) => expect(await execute(sql, LOCK_VIEWS, asked)).toHaveLength(1),
      (sql: Sql) => execute(sql, STORE_REPORTS, { ...asked, ...report }),
    ]) {
      const read = await partsRead(work);
      expect(read).toContain(view.part);
      expect(read.filter((part) => part < oldest)).toEqual([]);
    }
  });
});
