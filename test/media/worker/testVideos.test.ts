import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { TestModeService } from '../../../src/domain/accounts/testMode/testMode.service.js';
import { BinService } from '../../../src/domain/media/library/bin.service.js';
import { TEST_VIDEO_LIMITS } from '../../../src/domain/media/testMode/testVideoLimits.js';
import { TestClockService } from '../../../src/domain/operations/testClock/testClock.service.js';
import { TestWalletService } from '../../../src/domain/payments/testMode/testWallet.service.js';
import { OneAtATime } from '../../../src/domain/shared/oneAtATime.js';
import { eventsOf } from '../../support/events/log.js';
import { frameOf, plainVideo } from '../../support/branding/pixels.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { Pipeline, pipelineFolder } from '../../support/worker/pipeline.js';

const DAY_MS = 86_400_000;

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof pipelineFolder>>;
let office: Pipeline;
let worker: Pipeline;
/** Clips of two seconds, and of 61. */
let short: string;
let long: string;
/** What the worker began to encode: the qualities of each stage. */
const encoded: string[] = [];
let liveId: string;
let testId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await installVirtualClock(database.migrationUrl);
  folder = await pipelineFolder();
  const shared = { databaseUrl: database.runtimeUrl, dir: folder.path };
  office = await Pipeline.start({ ...shared, works: false });
  worker = await Pipeline.start({ ...shared, works: true });
  const { encode } = worker.transcoder;
  worker.transcoder.encode = (request) => {
    encoded.push(...request.renditions.map(({ quality }) => quality).filter((quality) => quality === '480p'));
    return encode.call(worker.transcoder, request);
  };
  short = await plainVideo(folder.path, { seconds: 2 });
  long = await plainVideo(folder.path, { seconds: 61, width: 64, height: 36 });
});
beforeEach(async () => {
  liveId = await office.account(10n);
  testId = await new TestModeService(office.db).accountOf(liveId);
});
afterAll(async () => {
  await worker?.stop();
  await office?.stop();
  await database?.drop();
  await folder?.[Symbol.asyncDispose]();
});

async function count(table: string, owner: 'owner_id' | 'account_id'): Promise<number> {
  const text = `select count(*)::int as rows from ${table} where ${owner} = $1`;
  return (await office.db.sql.query<{ rows: number }>({ name: '', text }, [testId]))[0]!.rows;
}

test('a test video is processed by itself up to 480p, marked in the picture, without a posting or an escrow', async () => {
  const videoId = await office.uploaded(testId, short);
  const video = await office.until(testId, videoId, ({ status }) => status === 'ready' || status === 'failed');
  expect(video).toMatchObject({ status: 'ready', quality: '480p', branding: false });
  expect(video.playableRungs).toContain('480p');
  expect(video.playableRungs.filter((quality) => !['audio', '360p', '432p', '480p'].includes(quality))).toEqual([]);
  expect(await office.processingOf(testId, videoId)).toMatchObject({ priceMicros: 0n, state: 'succeeded' });

  expect(await count('ledger_tx', 'owner_id')).toBe(0);
  expect(await count('ledger_entry', 'owner_id')).toBe(0);
  expect(await count('ledger_account', 'owner_id')).toBe(0);
  expect(await count('escrow', 'account_id')).toBe(0);
  expect(await office.books(liveId)).toMatchObject({ creative: 10_000_000n, escrow: 0n, revenue: 0n, faults: 0 });

  const keys = (await office.keys(`videos/${testId}/${videoId}/`)).filter((key) => key.includes('/480p/'));
  const parts = [
    ...keys.filter((key) => key.endsWith('init.mp4')),
    ...keys.filter((key) => key.endsWith('.m4s')).toSorted(),
  ];
  const bytes = await Promise.all(parts.map(async (key) => buffer((await office.store.get(key))!.body)));
  const path = join(folder.path, 'video.mp4');
  await writeFile(path, Buffer.concat(bytes));
  const frame = await frameOf(folder.path, path, { width: 640, height: 360 }, { atSeconds: 1 });
  // The stem of the first T, the plate between two letters, and the picture itself.
  expect(Math.min(...frame.at(228, 180))).toBeGreaterThan(150);
  expect(Math.max(...frame.at(320, 180))).toBeLessThan(60);
  expect(Math.max(...frame.at(20, 20))).toBeLessThan(60);
});

test('a live video costs what it did, and has no mark', async () => {
  const videoId = await office.measured(liveId, short);
  await worker.worker.stop();
  try {
    await office.buy(liveId, videoId, '480p');
    expect((await office.books(liveId)).escrow).toBeGreaterThan(0n);
    expect(await office.attempts.claim({ accountId: liveId, videoId, attempt: 1 })).toMatchObject({ brand: null });
    await office.videos.delete(liveId, videoId);
  } finally {
    await worker.worker.start();
  }
});

test('a live video of more than a minute is measured as ever', async () => {
  const videoId = await office.uploaded(liveId, long);
  const video = await office.until(
    liveId,
    videoId,
    ({ durationMs, status }) => durationMs !== null || status === 'failed',
  );
  expect(video.status).toBe('uploaded');
});

test('a test video of more than a minute is refused with a reason', async () => {
  const videoId = await office.uploaded(testId, long);
  const video = await office.until(testId, videoId, ({ status }) => status === 'ready' || status === 'failed');
  expect(video).toMatchObject({
    status: 'failed',
    failureCode: 'UNUSABLE_SOURCE',
    failureMessage: 'A test video has at most 60 seconds. Please upload a shorter one.',
  });
});

test('a test video fails at half, if it was asked to', async () => {
  encoded.length = 0;
  const videoId = await office.uploaded(testId, short, null, { testFault: 'ENCODE_FAILS_AT_HALF' });
  const video = await office.until(testId, videoId, ({ status }) => status === 'ready' || status === 'failed');
  expect(video).toMatchObject({
    status: 'failed',
    failureCode: 'PROCESSING_FAILED',
    failureMessage: 'Processing failed at 50%, as this test video asked for.',
  });
  expect(await office.processingOf(testId, videoId)).toMatchObject({ percent: 50, state: 'failed', run: 1 });
  expect(encoded, 'the real encoder has begun').toEqual(['480p']);
  const events = (await eventsOf(office.db, testId)).filter(({ data }) => data['uuid'] === videoId);
  expect(events.map(({ type }) => type)).toEqual(['video.uploaded', 'video.failed']);
});

test('a test video waits for as long as it was asked to, and no worker takes it before', async () => {
  const wish = { testFault: 'READY_AFTER_N_SECONDS', testFaultSeconds: 3 } as const;
  const videoId = await office.uploaded(testId, short, null, wish);
  // It may be taken before this looks.
  await office.until(testId, videoId, ({ status }) => ['queued', 'processing', 'ready'].includes(status));
  const { jobId } = await office.processingOf(testId, videoId);
  const text = `select extract(epoch from start_after - created_on)::float8 as seconds from pgboss.job where id = $1`;
  const [job] = await office.db.sql.query<{ seconds: number }>({ name: '', text }, [jobId]);
  expect(job!.seconds).toBeCloseTo(3, 0);
  await office.until(testId, videoId, ({ status }) => status === 'ready');
});

test('a test video that waits is ready once the clock of its account has passed its wait', async () => {
  const wish = { testFault: 'READY_AFTER_N_SECONDS', testFaultSeconds: 600 } as const;
  const videoId = await office.uploaded(testId, short, null, wish);
  await office.until(testId, videoId, ({ status }) => status === 'queued');
  const turns = new OneAtATime();
  const { db, videos, processing } = office;
  const clock = new TestClockService({ db, videos, processing, testWallets: new TestWalletService(db, turns), turns });
  await clock.move(testId, 60);
  expect(await office.until(testId, videoId, () => true)).toMatchObject({ status: 'queued' });
  await clock.move(testId, 541);
  await office.until(testId, videoId, ({ status }) => status === 'ready');
  // It is older than the videos of other tests.
  await office.videos.delete(testId, videoId);
});

test('no live video can be asked to fail or to wait, and seconds have bounds', async () => {
  const file = { filename: 'a.mp4', sizeBytes: 1000 };
  const late = { testFault: 'READY_AFTER_N_SECONDS' } as const;
  for (const [accountId, wish] of [
    [liveId, { testFault: 'ENCODE_FAILS_AT_HALF' }],
    [liveId, { ...late, testFaultSeconds: 5 }],
    [testId, late],
    [testId, { ...late, testFaultSeconds: 601 }],
    [testId, { ...late, testFaultSeconds: 1.5 }],
    [testId, { testFaultSeconds: 5 }],
  ] as const) {
    await expect(office.videos.create(accountId, { ...file, ...wish })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  }
  expect((await office.videos.list(liveId, { first: 100 })).totalCount).toBe(0);
});

test('add-ons and large files are refused, and at most 20 test videos exist, however many are created at once', async () => {
  const file = { filename: 'a.mp4', sizeBytes: 1000 };
  for (const addon of ['branding', 'encryption'] as const) {
    await expect(office.videos.create(testId, { ...file, [addon]: true })).rejects.toMatchObject({
      code: 'LIVE_MODE_ONLY',
    });
  }
  const sizeBytes = TEST_VIDEO_LIMITS.sizeBytes + 1;
  await expect(office.videos.create(testId, { ...file, sizeBytes })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });

  const created = await Promise.allSettled(
    Array.from({ length: 2 * TEST_VIDEO_LIMITS.videos }, () => office.videos.create(testId, file)),
  );
  const refused = created.filter(({ status }) => status === 'rejected');
  for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toMatchObject({ code: 'LIMIT_REACHED' });
  expect((await office.videos.list(testId, { first: 100 })).totalCount).toBe(TEST_VIDEO_LIMITS.videos);
  // Live videos are not counted with them.
  await expect(office.videos.create(liveId, { ...file, encryption: true })).resolves.toBeDefined();
});

test('a test video that is deleted is gone at once, and a live one is in the bin', async () => {
  const { db, queue, videos } = office;
  const bin = new BinService({ db, queue, videos });
  for (const [accountId, count] of [
    [testId, 0],
    [liveId, 1],
  ] as const) {
    const videoId = await office.uploaded(accountId, short);
    await office.until(accountId, videoId, ({ durationMs }) => durationMs !== null);
    await bin.put(accountId, videoId);
    expect(await bin.page(accountId, { first: 10, after: null })).toMatchObject({ totalCount: count });
  }
});

test('test videos are deleted after a week, and live ones never', async () => {
  const file = { filename: 'a.mp4', sizeBytes: 1000 };
  for (const accountId of [liveId, testId, testId]) await office.videos.create(accountId, file);
  const text =
    'select count(*)::int as videos from video join test_account using (account_id) where deleted_at is null';
  const [ofTests] = await office.db.sql.query<{ videos: number }>({ name: '', text }, []);
  await setClockOffset(database.migrationUrl, TEST_VIDEO_LIMITS.days * DAY_MS - 600_000);
  expect(await office.videos.expireTestVideos()).toBe(0);
  await setClockOffset(database.migrationUrl, TEST_VIDEO_LIMITS.days * DAY_MS + 600_000);
  expect(await office.videos.expireTestVideos()).toBe(ofTests!.videos);
  expect((await office.videos.list(testId, { first: 100 })).totalCount).toBe(0);
  expect((await office.videos.list(liveId, { first: 100 })).totalCount).toBe(1);
});

test('nothing is left of a deleted test video after a month, and a live one stays', async () => {
  const testVideo = await office.uploaded(testId, short, null, {
    testFault: 'READY_AFTER_N_SECONDS',
    testFaultSeconds: 1,
  });
  const liveVideo = await office.uploaded(liveId, short, { quality: '480p' });
  for (const [accountId, videoId] of [
    [testId, testVideo],
    [liveId, liveVideo],
  ] as const) {
    const { status } = await office.until(accountId, videoId, (video) => ['ready', 'failed'].includes(video.status));
    expect(status).toBe('ready');
    await office.videos.delete(accountId, videoId);
  }
  const deletedAtMs = TEST_VIDEO_LIMITS.days * DAY_MS + 600_000;
  const tables = await rowsOf(testVideo);
  expect(tables).toEqual(expect.arrayContaining(['processing', 'rendition', 'stored_object', 'upload', 'video']));
  for (const days of [1, 2, 5, 9, 20]) {
    await setClockOffset(database.migrationUrl, deletedAtMs + days * DAY_MS);
    await office.leftovers.sweepStore();
    await office.videos.forgetDeleted();
    expect(await rowsOf(testVideo)).toEqual(tables);
  }
  await setClockOffset(database.migrationUrl, deletedAtMs + 31 * DAY_MS);
  expect(await office.videos.forgetDeleted()).toBeGreaterThan(0);
  expect(await rowsOf(testVideo)).toEqual([]);
  expect(await rowsOf(liveVideo)).toContain('video');
  const text = 'select forget_test_video($1, $2) as forgotten';
  expect(await office.db.sql.query({ name: '', text }, [liveId, liveVideo])).toEqual([{ forgotten: false }]);
});

/** The tables that have rows of the video. */
async function rowsOf(videoId: string): Promise<string[]> {
  const columns = await office.db.sql.query<{ table_name: string; column_name: string }>({
    name: '',
    text: `select table_name, column_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' and (column_name in ('video_id', 'subject_id')
        or (table_name, column_name) = ('video', 'id')) order by 1`,
  });
  const found: string[] = [];
  for (const { table_name: table, column_name: column } of columns) {
    const text = `select from ${table} where ${column} = $1 limit 1`;
    // What was watched and what happened stays, as counts and in the log of events.
    if (table.startsWith('playback_')) continue;
    if ((await office.db.sql.query({ name: '', text }, [videoId])).length > 0) found.push(table);
  }
  return found;
}
