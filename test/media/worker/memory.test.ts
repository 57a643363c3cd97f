import { pino } from 'pino';
import { expect, test } from 'vitest';

import { estimateEncodeBytes } from '../../../src/domain/media/pipeline/encodeMemory.js';
import { createWorker } from '../../../src/worker/createWorker.js';
import { MemoryBudget, NoMemoryError } from '../../../src/worker/scheduler/memoryBudget.js';
import { createTestDatabase } from '../../support/database.js';
import { makeClip } from '../../support/media.js';
import { paperProbe } from '../../support/worker/paperProbe.js';
import { Pipeline, pipelineFolder } from '../../support/worker/pipeline.js';

const MIB = 1024 ** 2;

test('work that fits beside the others begins, and other work is refused without beginning', async () => {
  const budget = new MemoryBudget(100);
  const [large, small] = [begin(budget, 'large', 70), begin(budget, 'small', 30)];
  await expect(budget.use('next', 1, () => Promise.resolve())).rejects.toThrow(NoMemoryError);
  small.finish();
  await small.ended;
  await budget.use('next', 30, () => Promise.resolve());
  large.finish();
  await large.ended;
});

test('work larger than the whole budget runs, and runs alone', async () => {
  const budget = new MemoryBudget(100);
  const huge = begin(budget, 'huge', 1_000);
  await expect(budget.use('small', 1, () => Promise.resolve())).rejects.toThrow(NoMemoryError);
  huge.finish();
  await huge.ended;
  const small = begin(budget, 'small', 1);
  await expect(budget.use('huge', 1_000, () => Promise.resolve())).rejects.toThrow(NoMemoryError);
  small.finish();
  await small.ended;
});

test('small work does not overtake large work forever', async () => {
  let nowMs = 0;
  const budget = new MemoryBudget(100, () => nowMs);
  const small = begin(budget, 'small', 50);
  for (let n = 0; n < 5; n += 1) await expect(budget.use('large', 80, () => Promise.resolve())).rejects.toThrow();
  await expect(budget.use('other', 10, () => Promise.resolve())).rejects.toThrow(NoMemoryError);
  small.finish();
  await small.ended;
  await expect(budget.use('other', 10, () => Promise.resolve())).rejects.toThrow(NoMemoryError);
  await budget.use('large', 80, () => Promise.resolve());
  await budget.use('other', 10, () => Promise.resolve());

  // Work that another worker took is not waited for.
  const again = begin(budget, 'small', 50);
  for (let n = 0; n < 5; n += 1) await expect(budget.use('large', 80, () => Promise.resolve())).rejects.toThrow();
  nowMs += 31_000;
  await budget.use('other', 10, () => Promise.resolve());
  again.finish();
  await again.ended;
});

test('work may release its memory before it ends, once', async () => {
  const budget = new MemoryBudget(100);
  const end = Promise.withResolvers<void>();
  const ending = budget.use('a', 60, async (giveBack) => {
    giveBack();
    giveBack();
    await end.promise;
  });
  const others = begin(budget, 'b', 100);
  await expect(budget.use('c', 10, () => Promise.resolve())).rejects.toThrow(NoMemoryError);
  end.resolve();
  await ending;
  await expect(budget.use('c', 10, () => Promise.resolve())).rejects.toThrow(NoMemoryError);
  others.finish();
  await others.ended;
});

test('work that takes no memory never waits, not even if memory is reserved for other work', async () => {
  const budget = new MemoryBudget(100);
  const others = begin(budget, 'a', 60);
  for (let times = 0; times < 6; times += 1) {
    await expect(budget.use('large', 100, () => Promise.resolve())).rejects.toThrow(NoMemoryError);
  }
  await expect(budget.use('small', 1, () => Promise.resolve())).rejects.toThrow(NoMemoryError);
  await budget.use('light', 0, () => Promise.resolve());
  others.finish();
  await others.ended;
});

test('failed work releases its memory', async () => {
  const budget = new MemoryBudget(100);
  await expect(budget.use('a', 100, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await budget.use('b', 100, () => Promise.resolve());
});

test('a ladder reserves what was measured, or slightly more', () => {
  const mib = (height: number, quality: '480p' | '1080p' | '2160p', cores: number): number =>
    estimateEncodeBytes({ quality, probe: paperProbe(60_000, height) }, cores) / MIB;
  expect(mib(1080, '1080p', 2)).toBeGreaterThan(691);
  expect(mib(1080, '1080p', 2)).toBeLessThan(800);
  expect(mib(2160, '2160p', 2)).toBeGreaterThan(2_669);
  expect(mib(1080, '1080p', 8)).toBeGreaterThan(992);
  expect(mib(480, '480p', 8)).toBeGreaterThan(180);
  expect(mib(2160, '2160p', 8)).toBeLessThan(5_000);
});

test('an HDR video reserves more, for tone mapping', () => {
  const sdr = paperProbe(60_000, 2160);
  const hdr = { ...sdr, video: sdr.video && { ...sdr.video, colorTransfer: 'smpte2084' } };
  const [less, more] = [sdr, hdr].map((probe) => estimateEncodeBytes({ quality: '2160p', probe }, 2) / MIB);
  expect(more! - less!).toBeGreaterThan(233);
});

test('real videos in a small budget are all made, one after the other', async () => {
  const database = await createTestDatabase();
  await using folder = await pipelineFolder();
  const pipeline = await Pipeline.start({ databaseUrl: database.runtimeUrl, dir: folder.path, works: false });
  const running = { now: 0, most: 0 };
  const { transcoder } = pipeline;
  const encode: typeof transcoder.encode = async (request) => {
    running.now += 1;
    running.most = Math.max(running.most, running.now);
    try {
      return await transcoder.encode(request);
    } finally {
      running.now -= 1;
    }
  };
  const worker = createWorker({
    ...pipeline.services(),
    jobs: pipeline.queue,
    transcoder: Object.assign(Object.create(transcoder) as typeof transcoder, { encode }),
    store: pipeline.store,
    logger: pino({ level: 'silent' }),
    workDir: pipeline.workDir,
    concurrency: 3,
    // Each one alone exceeds it.
    memoryBytes: 50 * MIB,
  });
  try {
    const accountId = await pipeline.account(10n);
    const clip = await makeClip(folder.path, { durationSeconds: 2, width: 320, height: 180 });
    const videos = [];
    for (let n = 0; n < 3; n += 1) {
      const videoId = await pipeline.measured(accountId, clip);
      await pipeline.buy(accountId, videoId, '480p');
      videos.push(videoId);
    }
    await worker.start();
    for (const videoId of videos) await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
    expect(running.most).toBe(1);
    // Waiting does not count as a fault of the video.
    for (const videoId of videos) expect((await pipeline.processingOf(accountId, videoId)).run).toBe(1);
  } finally {
    await worker.stop();
    await pipeline.stop();
    await database.drop();
  }
});

function begin(budget: MemoryBudget, key: string, bytes: number): { finish: () => void; ended: Promise<void> } {
  const done = Promise.withResolvers<void>();
  return { finish: done.resolve, ended: budget.use(key, bytes, () => done.promise) };
}
