import { randomBytes, randomUUID } from 'node:crypto';

import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { AnalyticsService } from '../../../src/domain/playback/analytics/analytics.service.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { kept, recomputed } from '../../support/analytics/model.js';
import { exchange, GOOGLEBOT, IPHONE, measured, recorderOf } from '../../support/analytics/watching.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { CuttableProxy } from '../../support/uploads/cuttableProxy.js';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const VISITOR_KEY = randomBytes(32);

let database: TestDatabase;
let db: PostgresDatabase;
let rows: pg.Pool;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 8 });
  rows = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
});
afterAll(async () => {
  await rows.end();
  await db.close();
  await database.drop();
});
beforeEach(() => {
  accountId = newId();
});

const recorder = (more: Parameters<typeof recorderOf>[2] = {}) => recorderOf(db, VISITOR_KEY, more);

/** The counters of one rollup row of the account. */
async function figures(name: { dimension?: string; value?: string; videoId?: string } = {}) {
  const { dimension = 'all', value = '', videoId = '00000000-0000-0000-0000-000000000000' } = name;
  const found = await rows.query(
    `select views, uniques, reported, plays, completions, exits, watched_ms::int as watched, stalls, errors
     from playback_day where account_id = $1 and dimension = $2 and value = $3 and video_id = $4`,
    [accountId, dimension, value, videoId],
  );
  return found.rows[0] ?? null;
}

describe('a view', () => {
  it('is counted once, however often and wherever its token is exchanged', async () => {
    const view = exchange({ accountId, videoId: newId() });
    const [one, other] = [recorder(), recorder()];
    one.exchanged(view);
    one.exchanged(view);
    other.exchanged({ ...view, visitor: { ...view.visitor, address: '203.0.113.8' } });
    await Promise.all([one.flush(), other.flush()]);
    one.exchanged(view);
    await one.flush();
    expect(await figures()).toMatchObject({ views: 1, uniques: 1 });
    expect(await figures({ videoId: view.videoId })).toMatchObject({ views: 1, uniques: 1 });
  });

  it('is counted by country, browser, device and key', async () => {
    const keyId = newId();
    const views = recorder();
    views.exchanged(exchange({ accountId, videoId: newId(), keyId }));
    views.exchanged(exchange({ accountId, videoId: newId(), keyId, userAgent: IPHONE, country: 'in' }));
    views.exchanged(exchange({ accountId, videoId: newId(), keyId, country: 'not a country' }));
    await views.flush();
    const counted = async (dimension: string, value: string) => (await figures({ dimension, value }))?.views;
    expect(await counted('country', 'DE')).toBe(1);
    expect(await counted('country', 'IN')).toBe(1);
    expect(await counted('country', '')).toBe(1);
    expect(await counted('browser', 'Chrome')).toBe(2);
    expect(await counted('browser', 'Safari')).toBe(1);
    expect(await counted('device', 'Phone')).toBe(1);
    expect(await counted('key', keyId)).toBe(3);
  });

  it('of a bot or of the owner is in no number but its own', async () => {
    const videoId = newId();
    const views = recorder();
    const bot = exchange({ accountId, videoId, userAgent: GOOGLEBOT });
    const preview = exchange({ accountId, videoId, keyId: null });
    for (const view of [bot, preview]) {
      views.exchanged(view);
      views.reported(accountId, view.viewId, measured({ watchedMs: 5_000 }));
    }
    await views.flush();
    expect(await figures()).toBeNull();
    expect(await figures({ dimension: 'key', value: bot.keyId! })).toBeNull();
    expect(await figures({ dimension: 'left_out', value: 'bot' })).toMatchObject({ views: 1, uniques: 0, plays: 1 });
    expect(await figures({ dimension: 'left_out', value: 'preview' })).toMatchObject({ views: 1, watched: 5_000 });
  });
});

describe('unique views', () => {
  it('count a visitor once a day for each video, and once for all videos', async () => {
    const [first, second] = [newId(), newId()];
    const views = recorder();
    for (const videoId of [first, first, second]) {
      views.exchanged(exchange({ accountId, videoId }));
      await views.flush();
    }
    views.exchanged(exchange({ accountId, videoId: first, address: '203.0.113.9' }));
    views.exchanged(exchange({ accountId, videoId: first, userAgent: IPHONE }));
    await views.flush();
    expect(await figures({ videoId: first })).toMatchObject({ views: 4, uniques: 3 });
    expect(await figures({ videoId: second })).toMatchObject({ views: 1, uniques: 1 });
    expect(await figures()).toMatchObject({ views: 5, uniques: 3 });
  });

  it('count a visitor again on another day', async () => {
    const videoId = newId();
    const views = recorder();
    const now = Math.floor(Date.now() / 1_000);
    for (const daysAgo of [0, 1]) {
      views.exchanged(exchange({ accountId, videoId, mintedAtEpochSeconds: now - daysAgo * DAY_SECONDS }));
    }
    await views.flush();
    const found = await rows.query(
      `select uniques from playback_day where account_id = $1 and dimension = 'all' and video_id = $2`,
      [accountId, videoId],
    );
    expect(found.rows).toEqual([{ uniques: 1 }, { uniques: 1 }]);
  });

  it('store no address, and nothing that another key or another day could make again', async () => {
    const view = exchange({ accountId, videoId: newId(), address: '198.51.100.77' });
    const [one, other] = [recorder(), recorder({ visitorKey: randomBytes(32) })];
    one.exchanged(view);
    await one.flush();
    other.exchanged({ ...view, viewId: randomUUID() });
    await other.flush();
    const stored = await rows.query(
      `select v::text from playback_view v where account_id = $1 union all
       select v::text from playback_visitor v where account_id = $1`,
      [accountId],
    );
    expect(stored.rows.map(({ v }) => v as string).filter((text) => /198\.51|c633644d|Mozilla/.test(text))).toEqual([]);
    expect(await figures({ videoId: view.videoId })).toMatchObject({ views: 2, uniques: 2 });
  });
});

describe('reports', () => {
  it('are merged, in any order and however often they come', async () => {
    const view = exchange({ accountId, videoId: newId() });
    const reports = [
      measured({ seq: 1 }),
      measured({ seq: 2, watchedMs: 10_000, ranges: [0, 10_000], stalls: 1, stalledMs: 300 }),
      measured({
        seq: 3,
        watchedMs: 25_000,
        ranges: [0, 10_000, 50_000, 65_000],
        stalls: 1,
        stalledMs: 300,
        ended: true,
      }),
    ];
    const views = recorder();
    views.exchanged(view);
    for (const at of [2, 0, 2, 1, 0]) {
      views.reported(accountId, view.viewId, reports[at]!);
      await views.flush();
    }
    expect(await figures()).toEqual({
      views: 1,
      uniques: 1,
      reported: 1,
      plays: 1,
      completions: 1,
      exits: 0,
      watched: 25_000,
      stalls: 1,
      errors: 0,
    });
    expect(await kept(rows, 'playback_hour')).toEqual(await recomputed(rows, HOUR_SECONDS));
  });

  it('turn an exit before the start into a play', async () => {
    const view = exchange({ accountId, videoId: newId() });
    const views = recorder();
    views.exchanged(view);
    views.reported(accountId, view.viewId, measured({ startupMs: null, errors: [{ code: 'NETWORK', atMs: 0 }] }));
    await views.flush();
    expect(await figures()).toMatchObject({ plays: 0, exits: 1, errors: 1 });
    views.reported(accountId, view.viewId, measured({ seq: 2 }));
    await views.flush();
    expect(await figures()).toMatchObject({ plays: 1, exits: 0, errors: 1 });
  });

  it('write nothing if they repeat what is known', async () => {
    const view = exchange({ accountId, videoId: newId() });
    const written: number[] = [];
    const views = recorder({ onWritten: (some) => written.push(some.length) });
    views.exchanged(view);
    views.reported(accountId, view.viewId, measured({ watchedMs: 1_000, errors: [{ code: 'NETWORK', atMs: 0 }] }));
    await views.flush();
    views.reported(accountId, view.viewId, measured({ seq: 9, watchedMs: 900 }));
    await views.flush();
    views.reported(accountId, view.viewId, measured({ seq: 2, watchedMs: 1_100 }));
    await views.flush();
    expect(written).toEqual([1, 0, 1]);
    expect(await figures()).toMatchObject({ views: 1, watched: 1_100, errors: 1 });
  });

  it('wait for their view, which another process has yet to write', async () => {
    const view = exchange({ accountId, videoId: newId() });
    const [early, late] = [recorder(), recorder()];
    early.reported(accountId, view.viewId, measured({ watchedMs: 1_000 }));
    await early.flush();
    expect(early.stats).toMatchObject({ waitingReports: 1, lostReports: 0 });
    late.exchanged(view);
    await late.flush();
    await early.flush();
    expect(early.stats.waitingReports).toBe(0);
    expect(await figures()).toMatchObject({ views: 1, watched: 1_000 });
  });

  it('are cut to what is possible', async () => {
    const view = exchange({ accountId, videoId: newId(), mintedAtEpochSeconds: Math.floor(Date.now() / 1_000) - 20 });
    const views = recorder();
    views.exchanged(view);
    const most = 2_000_000_000;
    views.reported(
      accountId,
      view.viewId,
      measured({ startupMs: most, watchedMs: most, stalledMs: most, stalls: 100_000, ranges: [0, most] }),
    );
    await views.flush();
    const { rows: stored } = await rows.query('select * from playback_view where account_id = $1', [accountId]);
    expect(stored[0].ranges).toEqual([0, 100_000]);
    expect(stored[0].watched_ms).toBeLessThan(100_000);
    expect(stored[0].stalled_ms).toBeLessThan(60_000);
    expect(stored[0].startup_ms).toBeLessThan(60_000);
    expect(stored[0].stalls).toBeLessThan(1_000);
  });
});

describe('a recorder', () => {
  it('writes everything when it is stopped', async () => {
    const views = recorder();
    views.start();
    const all = Array.from({ length: 300 }, () => exchange({ accountId, videoId: newId() }));
    for (const view of all) {
      views.exchanged(view);
      views.reported(accountId, view.viewId, measured());
    }
    await views.stop();
    expect(await figures()).toMatchObject({ views: 300, plays: 300 });
    expect(views.stats).toEqual({ waitingViews: 0, waitingReports: 0, lostViews: 0, lostReports: 0 });
  });

  it('writes by itself, at its usual pace within ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const views = recorder();
    try {
      views.start();
      views.exchanged(exchange({ accountId, videoId: newId() }));
      vi.advanceTimersByTime(10_000);
    } finally {
      vi.useRealTimers();
    }
    await expect.poll(async () => (await figures())?.views).toBe(1);
    await views.stop();
  });

  it('keeps what it cannot write, up to a limit, and writes it later', async () => {
    const way = await CuttableProxy.to(database.runtimeUrl);
    const far = await PostgresDatabase.connect({ url: way.url, maxConnections: 2 });
    const errors: unknown[] = [];
    const views = recorder({ db: far, maxWaiting: 10, onError: (error) => errors.push(error) });
    try {
      way.cut();
      const all = Array.from({ length: 12 }, () => exchange({ accountId, videoId: newId() }));
      for (const view of all) views.exchanged(view);
      await views.flush();
      expect(errors).toHaveLength(1);
      expect(views.stats).toMatchObject({ waitingViews: 10, lostViews: 2 });
      way.mend();
      await views.flush();
      expect(await figures()).toMatchObject({ views: 10 });
    } finally {
      await far.close();
      await way.close();
    }
  });

  it('drops a batch that can never be written, so that it does not block the next one', async () => {
    const broken = { value: true };
    const failing = (failingMs: number) =>
      recorder({
        failingMs,
        db: {
          sql: db.sql,
          em: () => db.em(),
          transaction: (work) => (broken.value ? Promise.reject(new Error('never')) : db.transaction(work)),
        },
        onError: () => undefined,
      });
    const patient = failing(Infinity);
    patient.exchanged(exchange({ accountId, videoId: newId() }));
    for (let attempt = 0; attempt < 40; attempt += 1) await patient.flush();
    expect(patient.stats).toMatchObject({ waitingViews: 1, lostViews: 0 });
    const views = failing(0);
    views.exchanged(exchange({ accountId, videoId: newId() }));
    await views.flush();
    expect(views.stats).toMatchObject({ waitingViews: 0, lostViews: 1 });
    broken.value = false;
    views.exchanged(exchange({ accountId, videoId: newId() }));
    await views.flush();
    expect(await figures()).toMatchObject({ views: 1 });
  });
});

describe('partitions', () => {
  it('are made for the coming days and months, and dropped when they are over; days are kept', async () => {
    const analytics = new AnalyticsService(db);
    await installVirtualClock(database.migrationUrl);
    const parts = async (table: string) => {
      const found = await rows.query<{ name: string }>(
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = $1::regclass order by 1`,
        [table],
      );
      return found.rows.map(({ name }) => name.slice(table.length + 1)).filter((name) => name !== 'rest');
    };
    const view = exchange({ accountId, videoId: newId() });
    const views = recorder();
    views.exchanged(view);
    await views.flush();
    expect(await parts('playback_view')).toHaveLength(3);
    expect(await analytics.keep()).toBe(0);
    try {
      await setClockOffset(database.migrationUrl, 31 * DAY_SECONDS * 1_000);
      expect(await analytics.keep()).toBeGreaterThan(0);
      // Of the first three days, the last two are not over for 30 days.
      expect(await parts('playback_view')).toHaveLength(5);
      expect((await rows.query('select 1 from playback_visitor where account_id = $1', [accountId])).rows).toEqual([]);
      await setClockOffset(database.migrationUrl, 600 * DAY_SECONDS * 1_000);
      await analytics.keep();
      expect(await parts('playback_view')).toHaveLength(3);
      expect(await parts('playback_hour')).toHaveLength(3);
      expect((await rows.query('select 1 from playback_view where account_id = $1', [accountId])).rows).toEqual([]);
      expect((await rows.query('select 1 from playback_hour where account_id = $1', [accountId])).rows).toEqual([]);
      expect((await rows.query('select 1 from playback_salt')).rows).toEqual([]);
      expect(await figures()).toMatchObject({ views: 1 });
    } finally {
      await setClockOffset(database.migrationUrl, 0);
    }
  });
});

// Last, because it makes rollups that no reports add up to.
describe('a startup time', () => {
  it('is right within 1 %, and within 2 % in breakdowns and on days that are older than the narrow buckets', async () => {
    const startupMs = 812;
    const views = recorder();
    const view = exchange({ accountId, videoId: newId() });
    views.exchanged(view);
    views.reported(accountId, view.viewId, measured({ startupMs }));
    await views.flush();
    const analytics = new AnalyticsService(db);
    const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const period = { from: dayOf(Date.now() - DAY_SECONDS * 1_000), to: dayOf(Date.now()) };
    const ask = async () => {
      const { totals, breakdown, series } = await analytics.analytics(accountId, {
        ...period,
        videoId: null,
        granularity: 'hour',
        dimension: 'browser',
      });
      const [hour] = series.map(({ figures }) => figures.startupP50Ms).filter((ms) => ms !== null);
      const browser = breakdown![0]!.figures.startupP50Ms!;
      return { total: totals.startupP50Ms!, p95: totals.startupP95Ms!, hour: hour!, browser };
    };
    const errorOf = (ms: number): number => Math.abs(ms / startupMs - 1);
    const now = await ask();
    for (const ms of [now.total, now.p95, now.hour]) expect(errorOf(ms)).toBeLessThan(0.011);
    expect(errorOf(now.browser)).toBeLessThan(0.021);

    for (const table of ['playback_hour', 'playback_day']) {
      await rows.query(`update ${table} set fine_startups = null where account_id = $1`, [accountId]);
    }
    const before = await ask();
    for (const ms of [before.total, before.p95, before.hour]) expect(errorOf(ms)).toBeLessThan(0.021);
    expect(before.total).not.toBe(now.total);
    // Such a day continues with narrow buckets.
    const next = exchange({ accountId, videoId: view.videoId });
    views.exchanged(next);
    views.reported(accountId, next.viewId, measured({ startupMs: 4 * startupMs }));
    await views.flush();
    const mixed = await ask();
    expect(errorOf(mixed.total)).toBeLessThan(0.021);
    expect(errorOf(mixed.p95 / 4)).toBeLessThan(0.011);
  });
});
