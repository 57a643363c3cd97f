import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { OrphanService } from '../../../src/domain/media/objects/orphan.service.js';
import { RemeasureService } from '../../../src/domain/media/objects/remeasure.service.js';
import { StorageService } from '../../../src/domain/payments/storage/storage.service.js';
import { doChores } from '../../../src/worker/chores.js';
import { sweepChores } from '../../../src/worker/sweep.js';
import { WorkFolders } from '../../../src/worker/workFolder.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { makeClip, mediaFolder } from '../../support/media.js';
import { Pipeline, pipelineFolder } from '../../support/worker/pipeline.js';

const HOUR_MS = 3_600_000;
const live = new AbortController().signal;

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof pipelineFolder>>;
let media: Awaited<ReturnType<typeof mediaFolder>>;
let pipeline: Pipeline;

beforeAll(async () => {
  database = await createTestDatabase();
  await installVirtualClock(database.migrationUrl);
  folder = await pipelineFolder();
  media = await mediaFolder();
  pipeline = await Pipeline.start({ databaseUrl: database.runtimeUrl, dir: folder.path, works: true });
});

afterAll(async () => {
  await pipeline.stop();
  await database.drop();
  await folder[Symbol.asyncDispose]();
  await media[Symbol.asyncDispose]();
});

test('every byte of a deleted video is gone within a day, including what a frozen worker wrote later', async () => {
  const accountId = await pipeline.account(10n);
  const clip = await makeClip(media.path, { name: 'video.mp4', durationSeconds: 12, width: 1280, height: 720 });
  const videoId = await pipeline.uploaded(accountId, clip);
  await pipeline.until(accountId, videoId, (video) => video.durationMs !== null);
  await pipeline.buy(accountId, videoId, '720p', { encryption: true });
  await pipeline.until(accountId, videoId, (video) => video.status === 'ready');
  const [prefixes, kept] = [prefixesOf(accountId, videoId), await pipeline.uploaded(accountId, clip)];
  const written = await keysUnder(prefixes);
  for (const part of ['sources/', '/720p/', '/480p/', '/audio/', 'poster.jpg']) {
    expect(
      written.some((key) => key.includes(part)),
      part,
    ).toBe(true);
  }
  const caption = `insert into caption (account_id, video_id, id, language, label, origin, vtt, size_bytes, created_at)
    values ($1, $2, gen_random_uuid(), 'en', 'English', 'upload', 'WEBVTT', 6, service_now())`;
  await query(caption, [accountId, videoId]);
  await pipeline.worker.stop();

  await pipeline.videos.delete(accountId, videoId);
  await chores();
  expect(await keysUnder(prefixes)).toEqual([]);

  // A worker froze during a write, lost its claim, and wakes up hours after the last sweep.
  const [prefix] = await query<{ prefix: string }>('select prefix from processing_output where video_id = $1', [
    videoId,
  ]);
  await late(`${prefix!.prefix}720p/seg_00001.m4s`);
  await at(2);
  await chores();
  await late(`${prefix!.prefix}720p/seg_00002.m4s`);
  expect(await keysUnder(prefixes)).not.toEqual([]);
  for (const hours of [4, 12, 23.9]) {
    await at(hours);
    await chores();
  }

  expect(await keysUnder(prefixes)).toEqual([]);
  expect(await leftOver(videoId)).toEqual([]);
  expect(await keysUnder(prefixesOf(accountId, kept))).toHaveLength(1);
});

test('files that a killed process half wrote or half deleted are removed some hours later, and none in use', async () => {
  const incoming = join(folder.path, 'media/incoming');
  const [written, deleted, inUse] = ['half-written', 'half-deleted', 'in-use'].map((name) => join(incoming, name));
  await writeFile(written!, 'half a segment');
  await mkdir(deleted!);
  await writeFile(join(deleted!, 'seg_00001.m4s'), 'a segment');
  await writeFile(inUse!, 'half a segment');
  await chores();
  expect(await readdir(incoming)).toHaveLength(3);

  const fiveHoursAgo = new Date(Date.now() - 5 * HOUR_MS);
  for (const path of [written!, deleted!]) await utimes(path, fiveHoursAgo, fiveHoursAgo);
  await chores();
  expect(await readdir(incoming)).toEqual(['in-use']);
});

test('objects written after the last sweep are removed with the next night, and staff are alerted', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  await pipeline.videos.delete(accountId, videoId);
  await late(`videos/${accountId}/${videoId}/1-1/480p/seg_00000.m4s`);
  await at(0.9);
  await night();
  expect(await keysUnder(prefixesOf(accountId, videoId))).toHaveLength(1);

  await at(24 * 2);
  await night();
  expect(await keysUnder(prefixesOf(accountId, videoId))).toEqual([]);
  const alerts = await query<{ message: string }>(`select message from alert where kind = 'storage.orphans'`);
  expect(alerts.map(({ message }) => message).join()).toContain('1 uploads or runs');
});

function prefixesOf(accountId: string, videoId: string): string[] {
  return [`sources/${accountId}/${videoId}/`, `videos/${accountId}/${videoId}/`];
}

async function keysUnder(prefixes: readonly string[]): Promise<string[]> {
  return (await Promise.all(prefixes.map((prefix) => pipeline.keys(prefix)))).flat();
}

/** The rows that still refer to its bytes. */
function leftOver(videoId: string): Promise<object[]> {
  return query(
    `select 'object' as what from stored_object where video_id = $1 and (removed_at is null or swept_at is null)
     union all select 'output' from processing_output where video_id = $1 and sweeps = 0
     union all select 'upload' from upload where video_id = $1 and finished_at is null
     union all select 'key' from media_key where video_id = $1
     union all select 'caption' from caption where video_id = $1`,
    [videoId],
  );
}

async function late(key: string): Promise<void> {
  const path = join(folder.path, 'media/objects', key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'late');
}

/** Moves the service clock to this many hours from now. */
function at(hours: number): Promise<void> {
  return setClockOffset(database.migrationUrl, hours * HOUR_MS);
}

async function chores(): Promise<void> {
  const folders = new WorkFolders(pipeline.workDir);
  await doChores(sweepChores({ ...pipeline.services(), folders }), live, pino({ level: 'silent' }));
}

async function night(): Promise<void> {
  const { db, store } = pipeline;
  const nights = new StorageService(db);
  await nights.runDueNights(live);
  await new RemeasureService({ db, store, orphans: new OrphanService({ db, store }), nights }).runDue(live);
}

function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return pipeline.db.sql.query<Row>({ name: '', text }, values);
}
