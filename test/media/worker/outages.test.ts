import { join } from 'node:path';

import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { MAX_FAULTS } from '../../../src/domain/media/pipeline/attempt.service.js';
import { AppError } from '../../../src/errors.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import {
  EncodeFailedError,
  TranscoderKilledError,
  TranscoderUnavailableError,
  UnusableSourceError,
  type Transcoder,
} from '../../../src/ports/transcoder.js';
import { measureUpload } from '../../../src/worker/measureUpload.js';
import { processVideo } from '../../../src/worker/processVideo.js';
import { WorkFolders } from '../../../src/worker/workFolder.js';
import { makeClip, mediaFolder } from '../../support/media.js';
import { openScene, type PipelineScene } from '../../support/worker/pipeline.js';

const ALIVE = new AbortController().signal;
const STALLED = new EncodeFailedError('LIMIT_EXCEEDED', 'It took too long.', 'stall', true);
const UNAVAILABLE = new TranscoderUnavailableError('The sandbox did not start.');
const KILLED = new TranscoderKilledError('The system killed it, for memory perhaps.');
const BROKEN_DISK = new UnusableSourceError('UNREADABLE', 'It could not be read.', 'Input/output error', true);
const AWAY = new AppError('SERVICE_UNAVAILABLE', 'The object store is not responding.');

let scene: PipelineScene;
let media: Awaited<ReturnType<typeof mediaFolder>>;
let clip: string;

beforeAll(async () => {
  scene = await openScene();
  media = await mediaFolder();
  clip = await makeClip(media.path, { name: 'video.mp4', durationSeconds: 2, width: 320, height: 180 });
});

afterAll(async () => {
  await scene.close();
  await media[Symbol.asyncDispose]();
});

describe('an upload', () => {
  test('survives any number of failed tries that were not its own fault', async () => {
    const upload = await uploaded();
    const away = { withLocalFile: () => Promise.reject(AWAY) };
    for (let time = 0; time < 12; time += 1) {
      await expect(upload.measure(UNAVAILABLE)).rejects.toBe(UNAVAILABLE);
      await expect(upload.measure(null, { store: away })).rejects.toBe(AWAY);
    }
    const stopped = AbortSignal.abort(new Error('the worker is stopping'));
    await expect(upload.measure(new Error('the worker is stopping'), { signal: stopped })).rejects.toThrow('stopping');
    await expect(upload.measure(null, { store: { check: () => Promise.reject(AWAY) } })).rejects.toBe(AWAY);
    expect(await upload.row()).toMatchObject({ measure_runs: 0, measuring_since: null, status: 'uploaded' });

    await upload.measure(null);
    expect(await upload.row()).toMatchObject({ status: 'uploaded', duration_ms: expect.any(String) as string });
  });

  test('is refused if a disk that may be broken has reported the same for minutes', async () => {
    const upload = await uploaded();
    for (let time = 0; time < 12; time += 1) await expect(upload.measure(BROKEN_DISK)).rejects.toBe(BROKEN_DISK);
    expect(await upload.row()).toMatchObject({ status: 'uploaded', measure_runs: 12 });
    await upload.change(`measuring_since = measuring_since - interval '6 minutes'`);
    await upload.measure(BROKEN_DISK);
    expect(await upload.row()).toMatchObject({ status: 'failed', source_key: null });
  });
});

test('a video is tried for at most an hour if its file gets its reader killed again and again', async () => {
  const upload = await uploaded();
  for (let time = 0; time < 10; time += 1) await expect(upload.measure(KILLED)).rejects.toBe(KILLED);
  await upload.change(
    `updated_at = updated_at - interval '2 hours', measuring_since = measuring_since - interval '2 hours'`,
  );
  await scene.pipeline.leftovers.resumeMeasuring();
  expect(await upload.row()).toMatchObject({ status: 'failed', failure_code: 'MEASURING_FAILED' });
});

describe('a video', () => {
  test('is not started while nothing can be stored', async () => {
    const video = await bought();
    const workDir = join(media.path, 'video.mp4', 'no-folder');
    for (let time = 0; time <= MAX_FAULTS; time += 1) {
      await expect(video.make({ store: { check: () => Promise.reject(AWAY) } })).rejects.toBe(AWAY);
      await expect(video.make({ workDir })).rejects.toMatchObject({ code: 'ENOTDIR' });
    }
    expect(await video.row()).toMatchObject({ state: 'queued', run: 0, faults: 0 });
    await video.make({});
    expect(await video.row()).toMatchObject({ state: 'succeeded', run: 1, faults: 0 });
  });

  test('survives an outage of half an hour during processing', async () => {
    const video = await bought();
    const fails = { withLocalFile: () => Promise.reject(AWAY) };
    for (let minute = 0; minute < 30; minute += 1) {
      for (let time = 0; time < 4; time += 1) await expect(video.make({ store: fails })).rejects.toBe(AWAY);
      await video.change(`faulted_at = faulted_at - interval '1 minute'`);
    }
    const { faults } = await video.row();
    expect(faults).toBeLessThanOrEqual(4);
    await video.make({});
    expect(await video.row()).toMatchObject({ state: 'succeeded' });
  });

  test('fails if its runs break again and again for an hour', async () => {
    const video = await bought();
    const fails = { withLocalFile: () => Promise.reject(AWAY) };
    for (let fault = 0; fault <= MAX_FAULTS; fault += 1) {
      await expect(video.make({ store: fails })).rejects.toBe(AWAY);
      await video.change(`faulted_at = faulted_at - interval '11 minutes'`);
    }
    await video.make({ store: fails });
    expect(await video.row()).toMatchObject({ state: 'failed', failure_code: 'PROCESSING_FAILED' });
    expect(await scene.pipeline.books(video.accountId)).toMatchObject({ escrow: 0n, revenue: 0n, faults: 0 });
  });

  test('fails if a problem that may have been the disk happens again', async () => {
    const video = await bought();
    await expect(video.make({ encode: () => Promise.reject(STALLED) })).rejects.toBe(STALLED);
    expect(await video.row()).toMatchObject({ state: 'queued', faults: 1 });
    await video.make({ encode: () => Promise.reject(STALLED) });
    expect(await video.row()).toMatchObject({ state: 'failed', failure_code: 'LIMIT_EXCEEDED' });
  });

  test('gets a fault if the queue took it away for taking too long, but none if its worker stops', async () => {
    const video = await bought();
    const over = AbortSignal.abort(new Error('handler execution exceeded 86400s'));
    await expect(video.make({ signal: over, stopping: ALIVE })).rejects.toThrow('exceeded');
    expect(await video.row()).toMatchObject({ state: 'queued', faults: 1 });
    const stopping = AbortSignal.abort(new Error('the worker is stopping'));
    await expect(video.make({ signal: stopping, stopping })).rejects.toThrow('stopping');
    expect(await video.row()).toMatchObject({ state: 'queued', faults: 1 });
  });
});

async function uploaded() {
  const { pipeline } = scene;
  const accountId = await pipeline.account(1n);
  const videoId = await pipeline.uploaded(accountId, clip);
  return {
    /** Runs a worker whose transcoder fails with this error, or succeeds if it is null. */
    measure: (failure: Error | null, { signal = ALIVE, store = {} }: { signal?: AbortSignal; store?: object } = {}) => {
      const { transcoder } = pipeline;
      const fails = failure === null ? {} : { probe: () => Promise.reject(failure) };
      return measureUpload(
        { ...deps(store), transcoder: Object.assign(Object.create(transcoder) as Transcoder, fails) },
        { data: { accountId, videoId }, signal },
      );
    },
    row: () => rowOf('video', 'id', videoId),
    change: (what: string) =>
      pipeline.db.sql.query({ name: '', text: `update video set ${what} where id = $1` }, [videoId]),
  };
}

interface Circumstances {
  readonly store?: object;
  readonly workDir?: string;
  readonly encode?: Transcoder['encode'];
  readonly signal?: AbortSignal;
  readonly stopping?: AbortSignal;
}

async function bought() {
  const { pipeline } = scene;
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, clip);
  const data = { accountId, videoId, attempt: await pipeline.buy(accountId, videoId, '480p') };
  return {
    accountId,
    make: ({ store, workDir = pipeline.workDir, encode, signal = ALIVE, stopping = signal }: Circumstances) => {
      const transcoder = Object.assign(Object.create(pipeline.transcoder) as Transcoder, encode && { encode });
      const folders = new WorkFolders(workDir);
      return processVideo({ ...deps(store), folders, transcoder }, { data, signal, stopping });
    },
    row: () => rowOf('processing', 'video_id', videoId),
    change: (what: string) =>
      pipeline.db.sql.query({ name: '', text: `update processing set ${what} where video_id = $1` }, [videoId]),
  };
}

function deps(store: object = {}) {
  const { pipeline } = scene;
  const odd = Object.assign(Object.create(pipeline.store) as ObjectStore, store);
  return { ...pipeline.services(), store: odd, logger: pino({ level: 'silent' }) };
}

async function rowOf(table: 'video' | 'processing', column: string, videoId: string): Promise<Record<string, unknown>> {
  const text = `select * from ${table} where ${column} = $1`;
  const [row] = await scene.pipeline.db.sql.query<Record<string, unknown>>({ name: '', text }, [videoId]);
  return row!;
}
