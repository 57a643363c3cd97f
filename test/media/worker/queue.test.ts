import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { PgBossQueue } from '../../../src/adapters/queue/pgBossQueue.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { TestModeService } from '../../../src/domain/accounts/testMode/testMode.service.js';
import { newId } from '../../../src/domain/shared/ids.js';
import type { ProcessVideoJob } from '../../../src/ports/jobQueue.js';
import type { VideoRun, JobHandlers, JobRun } from '../../../src/ports/jobSource.js';
import { openAccount } from '../../support/contract/service.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/worker/pipeline.js';

let database: TestDatabase;
let db: PostgresDatabase;
const queues: PgBossQueue[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 4 });
});

afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.stop();
  await db.close();
  await database.drop();
});

test('a job exists exactly if its transaction commits', async () => {
  const seen: ProcessVideoJob[] = [];
  const queue = await start();
  await queue.consume({ ...idle, processVideo: async ({ data }) => void seen.push(data) }, { concurrency: 1 });
  const [kept, dropped] = [jobOf(newId()), jobOf(newId())];

  await expect(
    db.transaction(async ({ sql }) => {
      await queue.enqueueProcessVideo(sql, dropped);
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await db.transaction(({ sql }) => queue.enqueueProcessVideo(sql, kept));

  await until(async () => seen.length > 0);
  expect(seen).toEqual([kept]);
});

test('a job that throws comes again; a finished one does not', async () => {
  let tries = 0;
  const queue = await start();
  const processVideo = async (): Promise<void> => {
    tries += 1;
    if (tries < 3) throw new Error('not yet');
  };
  await queue.consume({ ...idle, processVideo }, { concurrency: 1 });
  const id = await queue.enqueueProcessVideo(db.sql, jobOf(newId()));

  await until(async () => tries === 3);
  await until(async () => !(await queue.liveProcessVideoJobs([id])).has(id));
  expect(tries).toBe(3);
});

test('asking twice to measure an upload adds one job', async () => {
  const queue = await start();
  const job = { accountId: newId(), videoId: newId() };
  await queue.enqueueMeasureUpload(db.sql, job);
  await queue.enqueueMeasureUpload(db.sql, job);
  await queue.enqueueMeasureUpload(db.sql, { ...job, videoId: newId() });

  const [row] = await db.sql.query<{ n: string }>({
    name: '',
    text: `select count(*) as n from pgboss.job where name = 'measure-upload'`,
  });
  expect(row!.n).toBe('2');
});

test('stopping aborts running jobs and hands them to the next worker', async () => {
  const first = await start();
  const started = Promise.withResolvers<void>();
  const stuck = async ({ signal }: JobRun<ProcessVideoJob>): Promise<void> => {
    started.resolve();
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  };
  await first.consume({ ...idle, processVideo: stuck }, { concurrency: 1 });
  await first.enqueueProcessVideo(db.sql, jobOf(newId()));
  await started.promise;

  await first.stopConsuming();

  let taken = false;
  const second = await start();
  const processVideo = async (): Promise<void> => void (taken = true);
  await second.consume({ ...idle, processVideo }, { concurrency: 1 });
  await until(async () => taken);
});

test('a video that is being finished lets the worker take another one, however often it reports that', async () => {
  const queue = await start();
  const begun: number[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const processVideo = async ({ data, takeNext }: VideoRun): Promise<void> => {
    begun.push(data.attempt);
    if (data.attempt === 1) {
      takeNext();
      takeNext();
    }
    const end = Promise.withResolvers<void>();
    ends.push(end);
    await end.promise;
  };
  const measured = Promise.withResolvers<void>();
  await queue.consume({ ...idle, processVideo, measureUpload: async () => measured.resolve() }, { concurrency: 1 });
  for (const attempt of [1, 2, 3]) await queue.enqueueProcessVideo(db.sql, { ...jobOf(newId()), attempt });

  await until(async () => begun.length === 2);
  await queue.enqueueMeasureUpload(db.sql, { accountId: newId(), videoId: newId() });
  await measured.promise;
  expect(begun).toEqual([1, 2]);

  // The first one's place is already taken, so its end brings no new job; the second one's does.
  ends[0]!.resolve();
  ends[1]!.resolve();
  await until(async () => begun.length === 3);
  ends[2]!.resolve();
});

test('when the worker stops, a video that is being finished is handed back with the others, and no more are taken', async () => {
  const queue = await start();
  const begun: number[] = [];
  const processVideo = async ({ data, signal, takeNext }: VideoRun): Promise<void> => {
    begun.push(data.attempt);
    if (data.attempt === 1) takeNext();
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        takeNext();
        reject(signal.reason as Error);
      });
    });
  };
  await queue.consume({ ...idle, processVideo }, { concurrency: 1 });
  const ids: string[] = [];
  for (const attempt of [1, 2, 3]) ids.push(await queue.enqueueProcessVideo(db.sql, { ...jobOf(newId()), attempt }));
  await until(async () => begun.length === 2);

  await queue.stopConsuming();

  expect(begun).toEqual([1, 2]);
  expect(await queue.liveProcessVideoJobs(ids)).toEqual(new Set(ids));
  const [row] = await db.sql.query<{ n: string }>({
    name: '',
    text: `select count(*) as n from pgboss.job where name = 'process-video' and state = 'active'`,
  });
  expect(row!.n).toBe('0');
});

test('a cancelled job reaches no worker', async () => {
  const queue = await start();
  const seen: number[] = [];
  const cancelled = await queue.enqueueProcessVideo(db.sql, { ...jobOf(newId()), attempt: 1 });
  await db.transaction(({ sql }) => queue.cancelProcessVideo(sql, cancelled));
  await queue.enqueueProcessVideo(db.sql, { ...jobOf(newId()), attempt: 2 });

  const processVideo = async ({ data }: JobRun<ProcessVideoJob>): Promise<void> => void seen.push(data.attempt);
  await queue.consume({ ...idle, processVideo }, { concurrency: 1 });

  await until(async () => seen.length > 0);
  expect(seen).toEqual([2]);
  expect(await queue.liveProcessVideoJobs([cancelled])).toEqual(new Set());
});

test('jobs of a test account wait behind every live job, and delay no account', async () => {
  const liveIds = [newId(), newId()];
  const testId = await new TestModeService(db).accountOf(await openAccount(db));
  const seen: string[] = [];
  const queue = await start();
  for (let turn = 0; turn < 3; turn += 1) await queue.enqueueProcessVideo(db.sql, jobOf(testId));
  for (let turn = 0; turn < 5; turn += 1) {
    for (const accountId of liveIds) await queue.enqueueProcessVideo(db.sql, jobOf(accountId));
  }
  const processVideo = async ({ data }: JobRun<ProcessVideoJob>): Promise<void> => void seen.push(data.accountId);
  await queue.consume({ ...idle, processVideo }, { concurrency: 1 });

  await until(async () => seen.length === 13);
  expect(seen.slice(0, 10).toSorted()).toEqual([...liveIds, ...liveIds, ...liveIds, ...liveIds, ...liveIds].toSorted());
  expect(seen.slice(0, 4).toSorted()).toEqual([...liveIds, ...liveIds].toSorted());
  expect(seen.slice(10)).toEqual([testId, testId, testId]);
});

test('the sweep is scheduled', async () => {
  let sweeps = 0;
  const queue = await start();
  await queue.consume({ ...idle, sweep: async () => void (sweeps += 1) }, { concurrency: 1 });
  await until(async () => sweeps > 0);
});

const idle: JobHandlers = {
  measureUpload: () => Promise.resolve(),
  processVideo: () => Promise.resolve(),
  encodeChunk: async () => undefined,
  sweep: () => Promise.resolve(),
  night: () => Promise.resolve(),
};

async function start(): Promise<PgBossQueue> {
  const queue = new PgBossQueue({ url: database.runtimeUrl, logger: pino({ level: 'silent' }), works: true });
  queues.push(queue);
  await queue.start();
  return queue;
}

function jobOf(accountId: string): ProcessVideoJob {
  return { accountId, videoId: newId(), attempt: 1 };
}
