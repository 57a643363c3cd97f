import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { makeClip } from '../support/media.js';
import { openScene, type Pipeline, type PipelineScene, until } from '../support/worker/pipeline.js';
import { WorkerChild } from '../support/worker/workerChild.js';

const CREDIT = 1_000_000n;
const PICKED_UP_WITHIN_MS = 60_000;
const STOPPED_WITHIN_MS = 10_000;
/** Slow enough to be interrupted; the others are fast. */
const SLOW = { preset: 'slower' };

let scene: PipelineScene;
let pipeline: Pipeline;
let clip: string;
const children: WorkerChild[] = [];

beforeAll(async () => {
  scene = await openScene();
  ({ pipeline } = scene);
  clip = await makeClip(scene.dir, { durationSeconds: 30, width: 854, height: 480, frameRate: '12' });
});

afterEach(async () => {
  for (const child of children.splice(0)) await child.end('SIGKILL');
});

afterAll(async () => {
  await scene.close();
});

test('a worker killed during an encode: another one finishes, charged once', async () => {
  const first = await startWorker(SLOW);
  const { accountId, videoId, priceMicros } = await encoding();
  // Before the second one starts: on a busy machine, the first would be done by then.
  await first.end('SIGKILL');
  const killedMs = performance.now();
  const second = await startWorker();
  await until(async () => (await pipeline.processingOf(accountId, videoId)).run === 2);
  expect(performance.now() - killedMs).toBeLessThan(PICKED_UP_WITHIN_MS);
  await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');

  await second.says('video ready');
  expect(await pipeline.books(accountId)).toEqual({
    creative: 10n * CREDIT - priceMicros,
    escrow: 0n,
    revenue: priceMicros,
    faults: 0,
  });
  await onlyRunLeft(accountId, videoId, '1-2');
});

test('a worker suspended until another one finished: it is refused when it wakes, and its output is gone', async () => {
  const frozen = await startWorker(SLOW);
  const { accountId, videoId, priceMicros } = await encoding();
  frozen.signal('SIGSTOP');
  await startWorker();
  const ready = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');

  frozen.signal('SIGCONT');
  await frozen.says('run refused');

  expect(await pipeline.videos.get(accountId, videoId)).toEqual(ready);
  expect(ready.picturesPrefix).toContain('/1-2/');
  expect(await pipeline.books(accountId)).toEqual({
    creative: 10n * CREDIT - priceMicros,
    escrow: 0n,
    revenue: priceMicros,
    faults: 0,
  });
  await onlyRunLeft(accountId, videoId, '1-2');

  // From here on, it works like any other.
  const next = await pipeline.measured(accountId, await makeClip(scene.dir, { name: 'next.mp4' }));
  await pipeline.buy(accountId, next, '480p');
  await pipeline.until(accountId, next, ({ status }) => status === 'ready');
});

test('a worker told to stop hands its job back at once', async () => {
  const first = await startWorker(SLOW);
  const { accountId, videoId } = await encoding();
  expect(await first.end('SIGTERM')).toBeLessThan(STOPPED_WITHIN_MS);
  const second = await startWorker();
  await until(async () => (await pipeline.processingOf(accountId, videoId)).run === 2);
  // Handed back, not found dead: that would count as a fault.
  const faults = { name: '', text: 'select faults from processing where account_id = $1 and video_id = $2' };
  expect(await pipeline.db.sql.query(faults, [accountId, videoId])).toEqual([{ faults: 0 }]);
  await second.says('video ready');
  await onlyRunLeft(accountId, videoId, '1-2');
});

test('a video deleted during its encode: the worker stops, and everything is returned', async () => {
  const worker = await startWorker(SLOW);
  const { accountId, videoId } = await encoding();

  await pipeline.videos.delete(accountId, videoId);
  expect(await pipeline.books(accountId)).toEqual({ creative: 10n * CREDIT, escrow: 0n, revenue: 0n, faults: 0 });
  await worker.says('run refused');

  await pipeline.leftovers.sweepStore();
  expect(await pipeline.keys(`videos/${accountId}/`)).toEqual([]);
  expect(await pipeline.keys(`sources/${accountId}/`)).toEqual([]);
});

async function startWorker(options: { preset?: string } = {}): Promise<WorkerChild> {
  const child = await WorkerChild.start({ databaseUrl: scene.database.runtimeUrl, dir: scene.dir, ...options });
  children.push(child);
  return child;
}

/** A video that the only worker is encoding. */
async function encoding(): Promise<{ accountId: string; videoId: string; priceMicros: bigint }> {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, clip);
  await pipeline.buy(accountId, videoId, '480p');
  await until(async () => (await pipeline.processingOf(accountId, videoId)).percent > 0);
  const { priceMicros } = await pipeline.processingOf(accountId, videoId);
  return { accountId, videoId, priceMicros };
}

async function onlyRunLeft(accountId: string, videoId: string, run: string): Promise<void> {
  await pipeline.leftovers.sweepStore();
  const keys = await pipeline.keys(`videos/${accountId}/${videoId}/`);
  expect(new Set(keys.map((key) => key.split('/')[3]))).toEqual(new Set([run]));
}
