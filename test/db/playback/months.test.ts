import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { type AnalyticsQuestion, AnalyticsService } from '../../../src/domain/playback/analytics/analytics.service.js';
import { DIMENSIONS } from '../../../src/domain/playback/analytics/rollups.js';
import type { Exchange } from '../../../src/domain/playback/analytics/writeViews.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { wrongMonths } from '../../support/analytics/model.js';
import { CHROME, exchange, GOOGLEBOT, IPHONE, measured, recorderOf } from '../../support/analytics/watching.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { IS_FULL } from '../../support/effort.js';

const RACES = IS_FULL ? 1_000 : 25;
const QUESTIONS = IS_FULL ? 2_000 : 40;
const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1_000;
/** Thirteen months from here are over, and the fourteenth is not. */
const BEGINS = Date.UTC(2024, 0, 1);
const NOW = Date.UTC(2025, 1, 20);
const VISITOR_KEY = randomBytes(32);
const KEYS = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
const PEOPLE = [CHROME, CHROME, IPHONE];

let database: TestDatabase;
let db: PostgresDatabase;
let rows: pg.Pool;
let analytics: AnalyticsService;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 12 });
  rows = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  await installVirtualClock(database.migrationUrl);
  analytics = new AnalyticsService(db);
});
afterAll(async () => {
  await rows.end();
  await db.close();
  await database.drop();
});
beforeEach(async () => {
  accountId = newId();
  await rows.query('truncate playback_view, playback_visitor, playback_hour, playback_day, playback_month_state');
  await clockAt(NOW);
});

function clockAt(atMs: number): Promise<void> {
  return setClockOffset(database.migrationUrl, atMs - Date.now());
}

const recorder = () => recorderOf(db, VISITOR_KEY);

/** @param isCounted not of a bot and no preview, which are left out of the counts */
function viewAt(atMs: number, videoId: string, isCounted = false): Exchange {
  return exchange({
    accountId,
    videoId,
    keyId: one(isCounted ? KEYS : [null, ...KEYS]),
    userAgent: one(isCounted ? PEOPLE : [...PEOPLE, GOOGLEBOT]),
    address: `203.0.113.${Math.floor(Math.random() * 10)}`,
    country: one(['DE', 'IN', 'US', '']),
    mintedAtEpochSeconds: Math.floor(atMs / 1_000),
  });
}

function report() {
  const from = Math.floor(Math.random() * 90_000);
  return measured({
    seq: 1 + Math.floor(Math.random() * 3),
    startupMs: Math.random() < 0.1 ? null : 50 + Math.floor(Math.random() * 20_000),
    watchedMs: Math.floor(Math.random() * 3_000),
    stalls: Math.floor(Math.random() * 3),
    switches: Math.floor(Math.random() * 3),
    ranges: [from, from + Math.floor(Math.random() * 10_000)],
    ended: Math.random() < 0.3,
  });
}

/** Views and reports on the given days, as they came at that time. */
async function watchOn(
  days: readonly number[],
  videoIds: readonly string[],
  { perDay = 4, areCounted = false } = {},
): Promise<void> {
  const views = recorder();
  for (const day of days) {
    await clockAt(day + DAY_MS);
    for (let n = 0; n < perDay; n += 1) {
      const view = viewAt(day + Math.floor(Math.random() * DAY_MS), one(videoIds), areCounted);
      views.exchanged(view);
      if (Math.random() < 0.8) views.reported(accountId, view.viewId, report());
    }
    await views.flush();
  }
  await clockAt(NOW);
}

const isoDay = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);

function randomQuestion(videoIds: readonly string[]): AnalyticsQuestion {
  const from = BEGINS - 20 * DAY_MS + Math.floor(Math.random() * 400) * DAY_MS;
  const isByHour = Math.random() < 0.1;
  const days = 1 + Math.floor(Math.random() * (isByHour ? 31 : 400));
  return {
    from: isoDay(from),
    to: isoDay(from + (days - 1) * DAY_MS),
    videoId: one([null, ...videoIds]),
    granularity: isByHour ? 'hour' : 'day',
    dimension: one([null, ...DIMENSIONS]),
  };
}

async function answersOf(questions: readonly AnalyticsQuestion[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const question of questions) {
    answers.push(await analytics.analytics(accountId, question));
    answers.push(await analytics.topVideos(accountId, { from: question.from, to: question.to, first: 2 }));
  }
  return answers;
}

async function builtMonths(): Promise<number> {
  const found = await rows.query('select count(*)::int as n from playback_month_state where is_built');
  return found.rows[0].n as number;
}

describe('months', () => {
  it(`answer ${QUESTIONS} random questions as their days do, also with late reports`, async () => {
    const videoIds = [newId(), newId(), newId()];
    const days = Array.from({ length: (NOW - BEGINS) / DAY_MS }, (_, n) => BEGINS + n * DAY_MS);
    await watchOn(
      days.filter((day) => Math.random() < 0.2 || day === days[40] || new Date(day).getUTCDate() === 1),
      videoIds,
    );
    const questions = Array.from({ length: QUESTIONS }, () => randomQuestion(videoIds));
    const ofDays = await answersOf(questions);
    expect(await builtMonths()).toBe(0);

    expect(await analytics.buildMonths()).toBe(13);
    expect(await analytics.buildMonths()).toBe(0);
    expect(await wrongMonths(rows)).toEqual([]);
    expect(await answersOf(questions)).toEqual(ofDays);

    const late = [days[40]!, days[200]!, days[201]!];
    await watchOn(late, videoIds, { perDay: 20 });
    expect(await builtMonths()).toBe(11);
    const withLate = await answersOf(questions);
    expect(withLate).not.toEqual(ofDays);
    await rows.query('update playback_month_state set is_built = false');
    expect(await answersOf(questions)).toEqual(withLate);
    expect(await analytics.buildMonths()).toBe(13);
    expect(await wrongMonths(rows)).toEqual([]);
    expect(await answersOf(questions)).toEqual(withLate);

    await rows.query('update playback_month set views = views + 1');
    const whole = { from: isoDay(BEGINS), to: isoDay(BEGINS + 399 * DAY_MS), videoId: null } as const;
    const answer = await analytics.analytics(accountId, { ...whole, granularity: 'day', dimension: 'country' });
    const byCountry = answer.breakdown!.reduce((sum, { figures }) => sum + figures.views, 0);
    expect(byCountry, 'months are what was read').toBeGreaterThan(answer.totals.views);
  });

  it('are built a week after they end, and again if one of their days changes', async () => {
    const videoId = newId();
    await watchOn([Date.UTC(2024, 4, 31), Date.UTC(2024, 5, 1)], [videoId]);
    await clockAt(Date.UTC(2024, 5, 8) - 60_000);
    expect(await analytics.buildMonths()).toBe(0);
    await clockAt(Date.UTC(2024, 5, 8) + 60_000);
    expect(await analytics.buildMonths()).toBe(1);
    expect(await builtMonths()).toBe(1);
    // The clock was wrong: the month is not over.
    await watchOn([Date.UTC(2024, 4, 31)], [videoId]);
    expect(await builtMonths()).toBe(0);
    await clockAt(Date.UTC(2024, 5, 8) + 60_000);
    expect(await analytics.buildMonths()).toBe(1);
    expect(await wrongMonths(rows)).toEqual([]);
  });

  it('hold counts that do not fit into a day, and one that cannot be built holds up no other', async () => {
    const videoId = newId();
    const other = newId();
    // A day could have no other views than those that are left out.
    await watchOn([Date.UTC(2024, 4, 30), Date.UTC(2024, 4, 31)], [videoId], { areCounted: true });
    await rows.query(`update playback_day set stalls = 2147483647, switches = 2147483647`);
    expect(await analytics.buildMonths()).toBe(1);
    const question = { videoId: null, granularity: 'day', dimension: 'browser' } as const;
    const may = { ...question, from: '2024-05-01', to: '2024-05-31' };
    expect((await analytics.analytics(accountId, may)).totals.stalls).toBe(2 * 2_147_483_647);
    await rows.query(`update playback_day set startups = '{2147483647}'`);
    const full = accountId;
    accountId = other;
    await watchOn([Date.UTC(2024, 5, 2)], [videoId], { areCounted: true });
    await expect(analytics.buildMonths()).rejects.toThrow('integer out of range');
    expect((await rows.query('select account_id from playback_month_state where is_built')).rows).toEqual([
      { account_id: other },
    ]);
    expect((await analytics.analytics(full, may)).totals.stalls).toBe(2 * 2_147_483_647);
  });

  it(`equal their days while two processes write and two build, ${RACES} times`, async () => {
    const videoIds = [newId(), newId()];
    const months = [Date.UTC(2024, 4, 1), Date.UTC(2024, 5, 1)];
    await clockAt(Date.UTC(2024, 6, 9));
    let built = 0;
    for (let round = 0; round < RACES; round += 1) {
      const writers = [recorder(), recorder()];
      for (const views of writers) {
        for (let n = 0; n < 5; n += 1) views.exchanged(viewAt(one(months) + 20 * DAY_MS, one(videoIds)));
      }
      const question = { from: '2024-04-20', to: '2024-07-05', videoId: null, granularity: 'day' } as const;
      const [counts, answers] = await Promise.all([
        Promise.all([analytics.buildMonths(), analytics.buildMonths()]),
        Promise.all(
          Array.from({ length: 3 }, () => analytics.analytics(accountId, { ...question, dimension: 'device' })),
        ),
        ...writers.map((views) => views.flush()),
      ]);
      built += counts[0] + counts[1];
      expect(await wrongMonths(rows), `round ${round}`).toEqual([]);
      for (const { totals, series, breakdown } of answers) {
        const sum = (some: readonly { figures: { views: number } }[]) =>
          some.reduce((all, { figures }) => all + figures.views, 0);
        expect(sum(breakdown!), `round ${round}`).toBe(totals.views);
        expect(sum(series)).toBe(totals.views);
      }
    }
    expect(built).toBeGreaterThan(RACES / 2);
  });
});

function one<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)]!;
}
