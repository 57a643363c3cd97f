import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { makeClip } from '../support/media.js';
import { openScene, type Pipeline, type PipelineScene } from '../support/worker/pipeline.js';
import { WorkerChild } from '../support/worker/workerChild.js';

const CREDIT = 1_000_000n;
/** Slow enough to be interrupted in its second stage. */
const SLOW = { preset: 'slower' };

let scene: PipelineScene;
let pipeline: Pipeline;
let clip: string;
const children: WorkerChild[] = [];

beforeAll(async () => {
  scene = await openScene();
  ({ pipeline } = scene);
  clip = await makeClip(scene.dir, { durationSeconds: 16, width: 1280, height: 720, frameRate: '12' });
});

afterEach(async () => {
  for (const child of children.splice(0)) await child.end('SIGKILL');
});

afterAll(async () => {
  await scene.close();
});

test('a worker killed after its first stage: another one makes the rest, and the playable part keeps playing', async () => {
  const first = await startWorker(SLOW);
  const { accountId, videoId } = await playingEarly();
  await first.end('SIGKILL');

  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'processing',
    playableRungs: ['360p', 'audio'],
  });
  await startWorker();
  await finished(accountId, videoId);
});

test('a worker suspended between two stages until another one finished: it is refused, and only its first stage stays', async () => {
  const frozen = await startWorker(SLOW);
  const { accountId, videoId } = await playingEarly();
  frozen.signal('SIGSTOP');
  await startWorker();
  await finished(accountId, videoId);
  const ready = await pipeline.videos.get(accountId, videoId);

  frozen.signal('SIGCONT');
  await frozen.says('run refused');
  expect(await pipeline.videos.get(accountId, videoId)).toEqual(ready);
  await finished(accountId, videoId);
});

async function startWorker(options: { preset?: string } = {}): Promise<WorkerChild> {
  const where = { databaseUrl: scene.database.runtimeUrl, dir: scene.dir, earlyPlayFromSeconds: 5 };
  const child = await WorkerChild.start({ ...where, ...options });
  children.push(child);
  return child;
}

/** A video whose first stage plays, while the only worker makes its second. */
async function playingEarly(): Promise<{ accountId: string; videoId: string }> {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, clip);
  await pipeline.buy(accountId, videoId, '720p');
  await pipeline.until(accountId, videoId, ({ playableRungs }) => playableRungs.length > 0);
  return { accountId, videoId };
}

/** Made by two runs, charged once, with nothing in the store that nobody is charged for. */
async function finished(accountId: string, videoId: string): Promise<void> {
  const ready = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(ready).toMatchObject({ playableRungs: ['720p', '480p', '432p', '360p', 'audio'], failureCode: null });
  const revenue = (ready.durationMs! * 1_500_000n) / 60_000n;
  expect(await pipeline.books(accountId)).toEqual({
    creative: 10n * CREDIT - revenue,
    escrow: 0n,
    revenue,
    faults: 0,
  });

  await pipeline.leftovers.sweepStore();
  const keys = await pipeline.keys(`videos/${accountId}/${videoId}/`);
  const units = new Set(keys.map((key) => key.split('/').slice(3, 5).join('/')));
  expect([...units].filter((unit) => !unit.endsWith('.jpg') && !unit.endsWith('storyboard')).toSorted()).toEqual([
    '1-1/360p',
    '1-1/audio',
    '1-2/432p',
    '1-2/480p',
    '1-2/720p',
  ]);
}
