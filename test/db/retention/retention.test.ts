import { pino } from 'pino';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

import { PgBossQueue } from '../../../src/adapters/queue/pgBossQueue.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { migrate } from '../../../src/db/migrate.js';
import type { Sql } from '../../../src/db/sql.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { forgetExpiredSessions, MOST_SESSIONS_PER_RUN } from '../../../src/domain/accounts/userSession.js';
import { ExpiredQuotes } from '../../../src/domain/media/pipeline/expiredQuotes.js';
import { AnalyticsService } from '../../../src/domain/playback/analytics/analytics.service.js';
import { VideoActivityService } from '../../../src/domain/playback/activity/videoActivity.service.js';
import { EventLog } from '../../../src/domain/shared/events/eventLog.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { addUser, openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { noticesOf } from '../../support/notices.js';
import { query } from '../../support/database/query.js';

const DAY_MS = 86_400_000;

let database: TestDatabase;
let db: PostgresDatabase;
let owner: pg.Client;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 4 });
  owner = new pg.Client({ connectionString: database.migrationUrl });
  await owner.connect();
  accountId = await openFundedAccount(db, {});
});

afterAll(async () => {
  await owner.end();
  await db.close();
  await database.drop();
});

const names = async (text: string, params: unknown[] = []) =>
  (await owner.query<{ name: string }>(text, params)).rows.map(({ name }) => name);

it('emails end a fixed time after they were sent or given up, in batches; those that wait stay', async () => {
  const notices = noticesOf(db, [], { keepDays: 20 });
  await owner.query(
    `insert into notice (account_id, key, subject, body, created_at, send_after, sent_at)
     select $1, v.key, 's', 'b', now() - v.created::interval, now() + v.wait::interval, now() - v.sent::interval
     from (values ('sent', '21 days', null, '20 days 1 second'), ('sent a moment later', '21 days', null, '19 days 23:00'),
       ('given up', '20 days 1 second', null, null), ('given up a moment later', '19 days 23:00', null, null),
       ('waits', '400 days', '1 hour', null)) v (key, created, wait, sent)`,
    [accountId],
  );
  expect(await notices.forget()).toBe(2);
  const kept = `select key as name from notice where account_id = $1 order by key`;
  expect(await names(kept, [accountId])).toEqual(['given up a moment later', 'sent a moment later', 'waits']);

  await owner.query(
    `insert into notice (account_id, key, subject, body, created_at, sent_at)
     select $1, 'old ' || n, 's', 'b', now() - interval '90 days', now() - interval '90 days' from generate_series(1, 2500) n`,
    [accountId],
  );
  // An abort between two batches leaves the rest for the next run.
  const stopping = new AbortController();
  stopping.abort();
  await expect(notices.forget(stopping.signal)).rejects.toThrow();
  expect(await names(`select 1 as name from notice where key like 'old %'`)).toHaveLength(1500);
  expect(await notices.forget()).toBe(1500);
  expect(await names(kept, [accountId])).toHaveLength(3);
});

it('quotes end a fixed time after they expired, unless they were bought or a video waits for credits', async () => {
  const [plain, bought, waiting, deleted] = [newId(), newId(), newId(), newId()];
  const video = async (id: string, columns: { attempt?: number; autoProcess?: boolean; isDeleted?: boolean }) =>
    owner.query(
      `insert into video (account_id, id, title, attempt, auto_process, quality, status, deleted_at)
       values ($1, $2, 't', $3, $4, '720p', 'uploaded', case when $5 then now() end)`,
      [accountId, id, columns.attempt ?? 0, columns.autoProcess ?? false, columns.isDeleted ?? false],
    );
  await video(plain, {});
  await video(bought, { attempt: 1 });
  await video(waiting, { autoProcess: true });
  await video(deleted, { autoProcess: true, isDeleted: true });
  const quote = async (videoId: string, ended: string, count = 1) => {
    const { rows } = await owner.query<{ id: string }>(
      `insert into quote (account_id, id, video_id, quality, branding, encryption, duration_ms, lines, total_micros,
         created_at, expires_at)
       select $1, gen_random_uuid(), $2, '720p', false, false, 60000, '[]', 1500000, now() - interval '100 days',
         now() - $3::interval from generate_series(1, $4) returning id`,
      [accountId, videoId, ended, count],
    );
    return rows[0]!.id;
  };
  const old = await quote(plain, '10 days 1 second');
  const younger = await quote(plain, '9 days 23:00');
  const purchase = await quote(bought, '50 days');
  await owner.query(
    `insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, state, queued_at, updated_at)
     values ($1, $2, 1, $3, '720p', 1500000, 'failed', now(), now())`,
    [accountId, bought, purchase],
  );
  const needed = await quote(waiting, '50 days');
  await quote(deleted, '50 days');
  const quotes = new ExpiredQuotes({ db, keepDays: 10 });

  expect(await quotes.forget()).toBe(2);
  const left = await names('select id as name from quote where account_id = $1', [accountId]);
  expect(left).not.toContain(old);
  expect(new Set(left)).toEqual(new Set([younger, purchase, needed]));

  // A backlog of several batches, and what is due only later.
  await quote(plain, '20 days', 2500);
  expect(await new ExpiredQuotes({ db, keepDays: 10 }).forget()).toBe(2500);
  await owner.query(`update quote set expires_at = now() - interval '10 days' where id = $1`, [younger]);
  expect(await quotes.forget()).toBe(1);
  expect(await names('select id as name from quote where account_id = $1', [accountId])).toHaveLength(2);
});

it('events and webhook deliveries are hidden after their time and go with their month, or in batches', async () => {
  await installVirtualClock(database.migrationUrl);
  const log = new EventLog(db, 30);
  const event = async (at: string, count = 1) =>
    owner.query(
      `insert into event (account_id, created_at, id, type, version, data)
       select $1, ($2::timestamptz), gen_random_uuid(), 'wallet.low', 1, '{"balance":"1","threshold":"2"}'
       from generate_series(1, $3)`,
      [accountId, at, count],
    );
  const now = new Date((await names('select service_now() as name'))[0]!);
  await event(new Date(now.getTime() - 30 * DAY_MS - 1_000).toISOString());
  await event(new Date(now.getTime() - 30 * DAY_MS + 60_000).toISOString());
  const page = { first: 10, after: null, types: null, oldestFirst: true } as const;
  expect(await log.page(accountId, page)).toHaveLength(1);
  expect(await new EventLog(db).page(accountId, page)).toHaveLength(2);
  // Rows that no month took in: more than one batch of them.
  await owner.query('delete from event where account_id = $1', [accountId]);
  await event('2001-02-03T00:00:00Z', 25_000);
  const [month] = await names(`select to_char(service_now() at time zone 'UTC', 'YYYY-MM') as name`);
  await event(`${month}-01T00:00:00Z`);
  expect(await log.keep()).toBe(25_000);
  expect(await names('select 1 as name from event where account_id = $1', [accountId])).toHaveLength(1);

  // A month goes when its last moment is older than the setting, not a moment earlier.
  const end = Date.parse(
    (
      await names(
        `select (date_trunc('month', service_now() at time zone 'UTC') + interval '1 month')::text || 'Z' as name`,
      )
    )[0]!,
  );
  try {
    await setClockOffset(database.migrationUrl, end + 30 * DAY_MS - 60_000 - Date.now());
    await log.keep();
    expect(await names('select 1 as name from event where account_id = $1', [accountId])).toHaveLength(1);
    await setClockOffset(database.migrationUrl, end + 30 * DAY_MS + 60_000 - Date.now());
    await log.keep();
    expect(await names('select 1 as name from event where account_id = $1', [accountId])).toEqual([]);
  } finally {
    await setClockOffset(database.migrationUrl, 0);
  }
});

it('who changed a video is hidden and deleted when the setting says, in batches', async () => {
  const videoId = newId();
  const change = (age: string, count = 1) =>
    owner.query(
      `insert into video_change (account_id, video_id, fact, kind, actor, created_at)
       select $1, $2, $3 || n, 'video.tags', 'owner', service_now() - $3::interval from generate_series(1, $4) n`,
      [accountId, videoId, age, count],
    );
  await change('20 days 1 second');
  await change('19 days 23:00');
  const kept = (keepDays: number) => new VideoActivityService({ db, eventLog: new EventLog(db), keepDays });
  const shown = async (keepDays: number) =>
    (await kept(keepDays).page(accountId, videoId, { first: 10, after: null })).length;
  expect(await shown(20)).toBe(1);
  expect(await shown(21)).toBe(2);
  expect(await kept(21).forget()).toBe(0);
  expect(await kept(20).forget()).toBe(1);
  expect(await shown(21)).toBe(1);

  // An abort between two batches leaves the rest for the next run.
  await change('30 days', 12_000);
  const stopping = new AbortController();
  stopping.abort();
  await expect(kept(20).forget(stopping.signal)).rejects.toThrow();
  expect(await names('select 1 as name from video_change where video_id = $1', [videoId])).toHaveLength(7_001);
  expect(await kept(20).forget()).toBe(7_000);
  expect(await shown(21)).toBe(1);
});

it('nobody can end events within a week, or views within two days, whatever the service asks for', async () => {
  await owner.query(
    `insert into event (account_id, created_at, id, type, version, data)
     select $1, service_now() - interval '6 days 23:00', gen_random_uuid(), 'wallet.low', 1, '{}'`,
    [accountId],
  );
  await new EventLog(db, 0).keep();
  expect(await names('select 1 as name from event where account_id = $1', [accountId])).toHaveLength(1);
});

it('views end with their day, and their counts by hour with their month', async () => {
  const view = (age: string) =>
    owner.query(
      `insert into playback_view (account_id, minted_at, id, video_id, audience, duration_ms, country, browser, device)
       select $1, service_now() - $2::interval, gen_random_uuid(), $1, 'viewer', 1000, '', '', '' from generate_series(1, 15000)`,
      [accountId, age],
    );
  const hour = (age: string) =>
    owner.query(
      `insert into playback_hour (account_id, dimension, video_id, starts_at, value)
       values ($1, 'all', $1, service_now() - $2::interval, $2)`,
      [accountId, age],
    );
  await view('5 days 1 second');
  await view('4 days 23:00');
  await hour('3 months 1 second');
  await hour('2 mons 27 days');
  const analytics = new AnalyticsService(db, { viewDays: 5, hourMonths: 3 });
  expect(await analytics.keep()).toBe(15_001);
  expect(await names('select 1 as name from playback_view where account_id = $1', [accountId])).toHaveLength(15_000);
  expect(await names('select value as name from playback_hour where account_id = $1', [accountId])).toEqual([
    '2 mons 27 days',
  ]);
});

it('finished jobs are kept as long as the setting says, from the next job on', async () => {
  const queue = new PgBossQueue({
    url: database.runtimeUrl,
    logger: pino({ level: 'silent' }),
    works: true,
    finishedJobHours: 5,
  });
  await queue.start();
  try {
    await queue.enqueueProcessVideo(db.sql, { accountId, videoId: newId(), attempt: 1 });
    await queue.enqueueEncodeChunk(db.sql, { accountId, videoId: newId(), attempt: 1, run: 1 });
    expect(
      await names(`select name || ' ' || deletion_seconds as name from pgboss.job
        where name in ('process-video', 'encode-chunk') order by 1`),
    ).toEqual(['encode-chunk 3600', `process-video ${5 * 3600}`]);
    const finished = (age: string) =>
      owner.query(
        `insert into pgboss.job (name, state, completed_on, deletion_seconds, policy, data)
         select name, 'completed', now() - $1::interval, 5 * 3600, policy, jsonb_build_object('age', $1::interval::text)
         from pgboss.queue where name = 'process-video'`,
        [age],
      );
    await finished('5 hours 1 second');
    await finished('4 hours');
    await tidyJobs();
    expect(
      await names(`select data ->> 'age' as name from pgboss.job where name = 'process-video' and state = 'completed'`),
    ).toEqual(['04:00:00']);
  } finally {
    await queue.stop();
  }
});

/** What each worker's queue does every few seconds. */
async function tidyJobs(): Promise<void> {
  const boss = new PgBoss({
    connectionString: database.runtimeUrl,
    schema: 'pgboss',
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
  });
  await boss.start();
  await boss.supervise('process-video');
  await boss.stop({ graceful: false });
}

it('sessions end when they expire, in batches; those of today stay', async () => {
  const userId = await addUser(db.sql);
  await owner.query(
    `insert into auth.session (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
     select gen_random_uuid(), 'token ' || n, $1::uuid, now() - n * interval '1 second', now(), now() from generate_series(1, 12000) n
     union all select gen_random_uuid(), 'today', $1::uuid, now() + interval '1 day', now(), now()`,
    [userId],
  );
  // An abort between two batches leaves the rest for the next run.
  let batches = 0;
  const stop = new AbortController();
  const stopping: Sql = {
    query: async (statement, values) => {
      batches += 1;
      if (batches === 2) stop.abort();
      return db.sql.query(statement, values);
    },
  };
  await expect(forgetExpiredSessions(stopping, stop.signal)).rejects.toThrow();
  const left = Number((await names('select count(*)::text as name from auth.session'))[0]);
  expect(left).toBe(2_001);
  expect(await forgetExpiredSessions(db.sql)).toBe(2_000);
  expect(await names('select token as name from auth.session')).toEqual(['today']);
  expect(await forgetExpiredSessions(db.sql)).toBe(0);
});

it('a run deletes a bounded number of expired sessions and leaves the rest to the next', async () => {
  let batches = 0;
  const endless: Sql = {
    query: async <Row extends object>() => {
      batches += 1;
      return [{ removed: 5_000 }] as unknown as Row[];
    },
  };
  expect(await forgetExpiredSessions(endless)).toBe(MOST_SESSIONS_PER_RUN);
  expect(batches).toBe(20);
});

it('expired sessions are found by an index, which is made again if an attempt to make it failed', async () => {
  const index = async () =>
    (
      await owner.query<{ isValid: boolean }>(
        `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass('auth.session_expiry')`,
      )
    ).rows;
  expect(await index()).toEqual([{ isValid: true }]);
  await owner.query('begin; set local enable_seqscan = off');
  const { rows: plan } = await owner.query<Record<'QUERY PLAN', string>>(
    `explain select ctid from auth.session where "expiresAt" < now() order by "expiresAt" limit 5000`,
  );
  await owner.query('rollback');
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('session_expiry');

  const superuserUrl = inject('testPostgres').superuserBaseUrl + database.name;
  await query(
    superuserUrl,
    `update pg_index set indisvalid = false where indexrelid = 'auth.session_expiry'::regclass`,
  );
  await migrate(database);
  expect(await index()).toEqual([{ isValid: true }]);
});
