import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { PgBossQueue } from '../../../src/adapters/queue/pgBossQueue.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { newId } from '../../../src/domain/shared/ids.js';
import type { ProcessVideoJob } from '../../../src/ports/jobQueue.js';
import type { JobHandlers, JobRun } from '../../../src/ports/jobSource.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/worker/pipeline.js';

/*
 * The order in which a real queue gives jobs to real consumers. The test decides when a run ends, so that nothing
 * depends on timing.
 */
let database: TestDatabase;
let db: PostgresDatabase;
let queue: PgBossQueue;
let running: { accountId: string; finish: () => void }[];
let taken: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 4 });
  queue = new PgBossQueue({ url: database.runtimeUrl, logger: pino({ level: 'silent' }), works: true });
  await queue.start();
  running = [];
  taken = [];
});

afterEach(async () => {
  for (const { finish } of running) finish();
  await queue.stop();
  await db.close();
  await database.drop();
});

test('one upload of a new account comes before the rest of another account’s 500', async () => {
  const [greedy, modest] = [newId(), newId()];
  await enqueue(greedy, 500);
  await work(2);
  await enqueue(modest, 1);

  await finishNext(3);

  expect(taken.slice(2)).toContain(modest);
  expect(new Set(taken)).toEqual(new Set([greedy, modest]));
});

test('the order is the same if nothing runs yet', async () => {
  const [greedy, modest] = [newId(), newId()];
  await enqueue(greedy, 50);
  await enqueue(modest, 3);
  await work(1);

  await finishNext(6);

  expect(taken.filter((accountId) => accountId === modest)).toHaveLength(3);
});

test('accounts with work get equal shares, no matter who came first or with how much', async () => {
  const accounts = Array.from({ length: 5 }, newId);
  for (const [index, accountId] of accounts.entries()) await enqueue(accountId, 40 - index * 5);
  await work(2);

  await finishNext(40);

  const shares = accounts.map((accountId) => taken.filter((id) => id === accountId).length);
  expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(2);
});

test('nobody is overtaken forever: new and returning accounts do not starve a long queue of another', async () => {
  const patient = newId();
  await enqueue(patient, 12);
  const returners = [newId(), newId()];
  for (const accountId of returners) await enqueue(accountId, 1);
  await work(1);

  // Two accounts add a job whenever one of theirs is taken, and each time a new account adds one too.
  let turns = 0;
  for (; taken.filter((accountId) => accountId === patient).length < 12; turns += 1) {
    const last = taken.at(-1)!;
    if (returners.includes(last)) await enqueue(last, 1);
    if (turns % 2 === 0) await enqueue(newId(), 1);
    await finishNext(1);
    expect(turns).toBeLessThan(80);
  }
});

test('a single account uses every worker', async () => {
  const accountId = newId();
  await enqueue(accountId, 6);
  await work(4);
  expect(taken).toEqual([accountId, accountId, accountId, accountId]);
});

test('a job that waits for a retry does not hold back the places of others', async () => {
  const [broken, steady] = [newId(), newId()];
  await enqueue(broken, 1);
  await setState(broken, 'retry');
  await enqueue(steady, 30);
  await work(1);
  await finishNext(10);

  // Counted from the lost job, all ten jobs of the new account would come before the next one of the steady account.
  const newcomer = newId();
  await enqueue(newcomer, 10);
  const from = taken.length;
  await finishNext(6);
  const since = taken.slice(from);
  expect(since.filter((accountId) => accountId === newcomer).length).toBeLessThanOrEqual(4);
  expect(since).toContain(newcomer);
});

test('jobs of one account that are sent at the same instant get different places', async () => {
  const accountId = newId();
  await Promise.all(
    Array.from({ length: 12 }, () => db.transaction(({ sql }) => queue.enqueueProcessVideo(sql, jobOf(accountId)))),
  );
  const rows = await db.sql.query<{ priority: number }>({
    name: '',
    text: "select priority from pgboss.job where name = 'process-video'",
  });
  expect(new Set(rows.map(({ priority }) => priority)).size).toBe(12);
});

test('uploads are measured in turns, too', async () => {
  const [greedy, modest] = [newId(), newId()];
  for (let n = 0; n < 40; n += 1) await queue.enqueueMeasureUpload(db.sql, { accountId: greedy, videoId: newId() });
  await queue.enqueueMeasureUpload(db.sql, { accountId: modest, videoId: newId() });
  const measured: string[] = [];
  const measureUpload: JobHandlers['measureUpload'] = async ({ data }) => void measured.push(data.accountId);
  await queue.consume({ ...idle, measureUpload }, { concurrency: 1 });
  await until(async () => measured.includes(modest));
  expect(measured.indexOf(modest)).toBeLessThan(6);
});

const idle: JobHandlers = {
  measureUpload: () => Promise.resolve(),
  processVideo: () => Promise.resolve(),
  encodeChunk: async () => undefined,
  sweep: () => Promise.resolve(),
  night: () => Promise.resolve(),
};

function jobOf(accountId: string): ProcessVideoJob {
  return { accountId, videoId: newId(), attempt: 1 };
}

async function enqueue(accountId: string, count: number): Promise<void> {
  await db.transaction(async ({ sql }) => {
    for (let n = 0; n < count; n += 1) await queue.enqueueProcessVideo(sql, jobOf(accountId));
  });
}

/** Starts consumers and waits until each has a job. */
async function work(concurrency: number): Promise<void> {
  const processVideo = async ({ data }: JobRun<ProcessVideoJob>): Promise<void> => {
    const done = Promise.withResolvers<void>();
    taken.push(data.accountId);
    running.push({ accountId: data.accountId, finish: done.resolve });
    await done.promise;
  };
  await queue.consume({ ...idle, processVideo }, { concurrency });
  await until(async () => taken.length === concurrency);
}

/** Ends the oldest run `times` times; waits each time until the next job is taken. */
async function finishNext(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const before = taken.length;
    running.shift()?.finish();
    await until(async () => taken.length > before);
  }
}

async function setState(accountId: string, state: string): Promise<void> {
  await db.sql.query(
    {
      name: '',
      text: `update pgboss.job set state = $2::pgboss.job_state, start_after = now() + interval '1 hour'
        where group_id = $1`,
    },
    [accountId, state],
  );
}
