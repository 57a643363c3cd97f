import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import type { Measured } from '../../../src/domain/playback/analytics/report.js';
import type { ViewRecorder } from '../../../src/domain/playback/analytics/viewRecorder.js';
import type { Exchange } from '../../../src/domain/playback/analytics/writeViews.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { kept, recomputed } from '../../support/analytics/model.js';
import { CHROME, exchange, GOOGLEBOT, IPHONE, measured, recorderOf } from '../../support/analytics/watching.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { IS_FULL } from '../../support/effort.js';
import { WAIT_MS } from '../../support/deadlines.js';

const ROUNDS = IS_FULL ? 200 : 12;
const VISITOR_KEY = randomBytes(32);

let database: TestDatabase;
let db: PostgresDatabase;
let rows: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 8, connectTimeoutMs: WAIT_MS });
  rows = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
});
afterAll(async () => {
  await rows.end();
  await db.close();
  await database.drop();
});

const recorder = () => recorderOf(db, VISITOR_KEY);

it(`rollups are what the views add up to, with two processes that write the same views at once, ${ROUNDS} times`, async () => {
  const accounts = [newId(), newId()];
  const videos = Array.from({ length: 3 }, () => newId());
  for (let round = 0; round < ROUNDS; round += 1) {
    const recorders = [recorder(), recorder()];
    const views = Array.from({ length: 40 }, () => randomView(accounts, videos));
    const steps = shuffled(views.flatMap((view) => stepsOf(view)));
    const writing: Promise<void>[] = [];
    for (const step of steps) {
      step(recorders[Math.floor(Math.random() * 2)]!);
      if (Math.random() < 0.1) writing.push(...recorders.map((one) => one.flush()));
    }
    await Promise.all(writing);
    // A view may have come after its report, in the other process.
    for (let pass = 0; pass < 3; pass += 1) for (const one of recorders) await one.flush();
    for (const one of recorders) {
      expect(one.stats).toEqual({ waitingViews: 0, waitingReports: 0, lostViews: 0, lostReports: 0 });
    }
  }
  expect(await kept(rows, 'playback_hour')).toEqual(await recomputed(rows, 3_600));
  expect(await kept(rows, 'playback_day')).toEqual(await recomputed(rows, 86_400));
  const { rows: uniques } = await rows.query(
    `select (select count(*)::int from playback_visitor where account_id = any ($1)) as visitors,
       (select sum(uniques)::int from playback_day where account_id = any ($1) and dimension = 'all') as day,
       (select sum(uniques)::int from playback_hour where account_id = any ($1) and dimension = 'browser') as hour`,
    [accounts],
  );
  expect(uniques[0].day).toBe(uniques[0].visitors);
  expect(uniques[0].hour).toBe(uniques[0].visitors);
});

function randomView(accounts: readonly string[], videos: readonly string[]): Exchange {
  const visitor = Math.floor(Math.random() * 10);
  return exchange({
    accountId: one(accounts),
    videoId: one(videos),
    keyId: Math.random() < 0.1 ? null : '00000000-0000-4000-8000-00000000000a',
    userAgent: one([CHROME, IPHONE, GOOGLEBOT]),
    address: `203.0.113.${visitor}`,
    country: one(['DE', 'IN', '']),
    mintedAtEpochSeconds: Math.floor(Date.now() / 1_000) - one([3_600, 7_200, 90_000]),
  });
}

/** Exchanges and reports of a view, some of them twice. */
function stepsOf(view: Exchange): ((to: ViewRecorder) => void)[] {
  const steps: ((to: ViewRecorder) => void)[] = [(to) => to.exchanged(view)];
  if (Math.random() < 0.3) steps.push((to) => to.exchanged(view));
  const ranges: number[] = [];
  const count = Math.floor(Math.random() * 5);
  for (let seq = 1; seq <= count; seq += 1) {
    const from = Math.floor(Math.random() * 90_000);
    ranges.push(from, from + Math.floor(Math.random() * 10_000));
    const report: Measured = measured({
      seq,
      startupMs: seq === 1 && Math.random() < 0.5 ? null : 100 + Math.floor(Math.random() * 3_000),
      watchedMs: seq * 7_000,
      stalledMs: seq * 100,
      stalls: seq,
      switches: seq - 1,
      ranges: normalized(ranges),
      errors: Math.random() < 0.2 ? [{ code: 'NETWORK', atMs: 10 }] : [],
      ended: seq === 4,
    });
    steps.push((to) => to.reported(view.accountId, view.viewId, report));
    if (Math.random() < 0.3) steps.push((to) => to.reported(view.accountId, view.viewId, report));
  }
  return steps;
}

/** Sorted and without overlaps, as `parseReport` returns them. */
function normalized(flat: readonly number[]): number[] {
  const pairs = Array.from({ length: flat.length / 2 }, (_, n) => [flat[2 * n]!, flat[2 * n + 1]!] as const)
    .filter(([from, to]) => from < to)
    .sort((a, b) => a[0] - b[0]);
  const joined: number[] = [];
  for (const [from, to] of pairs) {
    if (joined.length > 0 && from <= joined.at(-1)!) joined[joined.length - 1] = Math.max(joined.at(-1)!, to);
    else joined.push(from, to);
  }
  return joined;
}

function one<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)]!;
}

function shuffled<Value>(values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
