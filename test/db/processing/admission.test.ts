import { pino } from 'pino';
import { expect, test } from 'vitest';

import { Admission, estimateOutputBytes } from '../../../src/domain/media/pipeline/admission.js';
import { ProcessingService } from '../../../src/domain/media/pipeline/processing.service.js';
import { QuoteService } from '../../../src/domain/media/pipeline/quote.service.js';
import type { SourceProbe } from '../../../src/ports/transcoder.js';
import { measureUpload } from '../../../src/worker/measureUpload.js';
import { processVideo } from '../../../src/worker/processVideo.js';
import { WorkFolders } from '../../../src/worker/workFolder.js';
import { paperProbe } from '../../support/worker/paperProbe.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { admissionOf } from './paperVolume.js';

const CREDIT = 1_000_000n;
/** More than any disk has, so that every disk counts as full. */
const ALL_OF_IT = Number.MAX_SAFE_INTEGER;

const { pipeline } = await sceneOfFile();

test('a purchase that would not fit on the disk is refused without an escrow, a job or an attempt', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const full = processingWith(ALL_OF_IT);
  const { id } = await full.quote(accountId, videoId, { quality: '720p', branding: false, encryption: false });

  await expect(full.process(accountId, id)).rejects.toMatchObject({ code: 'STORE_FULL', status: 507 });

  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({ status: 'uploaded', attempt: 0 });
  expect(await pipeline.books(accountId)).toMatchObject({ creative: 10n * CREDIT, escrow: 0n, faults: 0 });
  expect(await count('processing', accountId)).toBe(0);
  expect(await count('escrow', accountId)).toBe(0);
  expect(await jobsOf(videoId)).toBe(0);

  // The same quote works once there is space, and repeats its result when the disk is full again.
  const purchase = await processingWith(0).process(accountId, id);
  expect(purchase).toEqual({ videoId, attempt: 1 });
  expect(await full.process(accountId, id)).toEqual(purchase);
});

test('an automatic purchase waits for free space, and is made later', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  await pipeline.db.sql.query(
    { name: '', text: `update video set quality = '480p', auto_process = true where id = $1` },
    [videoId],
  );
  await expect(processingWith(ALL_OF_IT).processAsChosen(accountId, videoId)).rejects.toMatchObject({
    code: 'STORE_FULL',
  });
  expect((await pipeline.videos.get(accountId, videoId)).failureCode).toBeNull();
  expect(await processingWith(0).processAsChosen(accountId, videoId)).toEqual({ videoId, attempt: 1 });
});

test('a worker without free space claims nothing, returns the job and alerts staff', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const attempt = await pipeline.buy(accountId, videoId, '480p');
  const job = { data: { accountId, videoId, attempt }, signal: new AbortController().signal };
  const deps = {
    ...pipeline.services(),
    runAdmission: admissionWith(ALL_OF_IT),
    store: pipeline.store,
    folders: new WorkFolders(pipeline.workDir),
    transcoder: pipeline.transcoder,
    logger: pino({ level: 'silent' }),
  };

  await expect(processVideo(deps, job)).rejects.toThrow('no free space');

  expect((await pipeline.videos.get(accountId, videoId)).status).toBe('queued');
  const rows = await pipeline.rows(`select state, run, faults from processing where video_id = $1`, [videoId]);
  expect(rows).toEqual([{ state: 'queued', run: 0, faults: 0 }]);
  expect(await pipeline.rows(`select subject from alert where kind = 'storage.full'`)).toEqual([
    { subject: 'work folder' },
  ]);

  // With space the run begins. It fails later, since there is no source behind it.
  await expect(processVideo({ ...deps, runAdmission: admissionWith(0) }, job)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await pipeline.rows(`select run from processing where video_id = $1`, [videoId])).toEqual([{ run: 1 }]);
});

test('measuring an upload waits for free space to fetch it, without counting as a try', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const key = `sources/${accountId}/${videoId}`;
  await pipeline.rows(`update video set duration_ms = null, source_key = $2 where id = $1`, [videoId, key]);
  const upload = [accountId, key, videoId, 5_000_000_000];
  await pipeline.rows(
    `insert into stored_object (account_id, key, video_id, size_bytes, stored_at) values ($1, $2, $3, $4, now())`,
    upload,
  );
  await pipeline.rows(`delete from alert where kind = 'storage.full'`);
  const measures = (freeBytes: number, takesSource = true) =>
    measureUpload(
      {
        ...pipeline.services(),
        runAdmission: admissionOf(pipeline.db, freeBytes, takesSource),
        store: pipeline.store,
        transcoder: pipeline.transcoder,
        logger: pino({ level: 'silent' }),
      },
      { data: { accountId, videoId }, signal: new AbortController().signal },
    );
  const tries = () => pipeline.rows(`select measure_runs as runs from video where id = $1`, [videoId]);

  await expect(measures(4_999_999_999)).rejects.toThrow('no free space');
  expect(await tries()).toEqual([{ runs: 0 }]);
  expect(await pipeline.rows(`select subject from alert where kind = 'storage.full'`)).toEqual([
    { subject: 'work folder' },
  ]);

  // With space it begins, and without fetching it needs none. It fails later, since there is no source.
  await expect(measures(5_000_000_000)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(measures(0, false)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await tries()).toEqual([{ runs: 2 }]);
});

test('a purchase needs free space for the source, too, where workers fetch it', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const probe = paperProbe(60_000, 720);
  const outputBytes = estimateOutputBytes({ quality: '480p', probe });
  const buys = (freeBytes: number, takesSource: boolean) =>
    admissionOf(pipeline.db, freeBytes, takesSource).refuseWithoutSpace(pipeline.db.sql, accountId, videoId, '480p');

  await buys(outputBytes, false);
  await expect(buys(outputBytes - 1, false)).rejects.toMatchObject({ code: 'STORE_FULL' });
  await buys(outputBytes + probe.sizeBytes, true);
  await expect(buys(outputBytes + probe.sizeBytes - 1, true)).rejects.toMatchObject({ code: 'STORE_FULL' });
});

test('the estimate grows with the renditions, up to three times the source plus the pictures of each segment', () => {
  const minute = { durationMs: 60_000, sizeBytes: 1e9, video: null, audio: {} } as unknown as SourceProbe;
  expect(estimateOutputBytes({ quality: 'audio', probe: minute })).toBe((128_000 * 60) / 8);
  // Every audio track is made for the price of one.
  const tracks = { ...minute, audios: [{}, {}, {}] } as unknown as SourceProbe;
  expect(estimateOutputBytes({ quality: 'audio', probe: tracks })).toBe((3 * 128_000 * 60) / 8);
  const picture = { ...minute, video: { displayWidth: 1280, displayHeight: 720 } } as unknown as SourceProbe;
  const renditions = [4_128_000, 1_728_000, 858_000, 493_000, 128_000];
  const framed = {
    ...picture,
    video: {
      ...picture.video,
      frameRate: { numerator: 25, denominator: 1 },
      tickRate: { numerator: 25, denominator: 1 },
    },
  } as SourceProbe;
  expect(estimateOutputBytes({ quality: '720p', probe: framed })).toBe((renditions.reduce((a, b) => a + b) * 60) / 8);
  expect(estimateOutputBytes({ quality: '720p', probe: { ...framed, sizeBytes: 1000 } })).toBe(
    15_000 + 15 * 0.5 * (1280 * 720 + 854 * 480 + 768 * 432 + 640 * 360),
  );
});

function admissionWith(marginBytes: number): Admission {
  const folders = new WorkFolders(pipeline.workDir);
  return new Admission({
    db: pipeline.db,
    marginBytes,
    volumes: [
      { name: 'work folder', freeBytes: () => folders.freeBytes() },
      { name: 'store', freeBytes: () => pipeline.store.freeBytes() },
    ],
  });
}

function processingWith(marginBytes: number): ProcessingService {
  const { db, queue } = pipeline;
  return new ProcessingService({ db, queue, quotes: new QuoteService(db), admission: admissionWith(marginBytes) });
}

async function count(table: 'processing' | 'escrow', accountId: string): Promise<number> {
  return (await pipeline.rows(`select 1 as one from ${table} where account_id = $1`, [accountId])).length;
}

async function jobsOf(videoId: string): Promise<number> {
  return (await pipeline.rows(`select id from pgboss.job where data->>'videoId' = $1`, [videoId])).length;
}
