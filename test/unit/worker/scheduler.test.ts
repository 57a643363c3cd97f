import { randomUUID } from 'node:crypto';

import { beforeEach, expect, test } from 'vitest';

import type { VideoRun } from '../../../src/ports/jobSource.js';
import { NoMemoryError } from '../../../src/worker/scheduler/memoryBudget.js';
import { Scheduler } from '../../../src/worker/scheduler/scheduler.js';
import { paperProbe } from '../../support/worker/paperProbe.js';

const GIB = 1024 ** 3;
const LARGE = { quality: '1080p', probe: paperProbe(600_000, 1080) } as const;
const SMALL = { quality: '480p', probe: paperProbe(2_000, 480) } as const;

let scheduler: Scheduler;
beforeEach(() => {
  scheduler = new Scheduler({ concurrency: 1, budgetBytes: 16 * GIB, cores: 2 });
});

/** A job whose work lasts until it is finished. */
function begin(making: typeof LARGE | typeof SMALL | null, kind: 'video' | 'chunk' = 'video', of = scheduler) {
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  const abort = new AbortController();
  const started = { isEncoding: false, taken: 0, onEncoded: (): void => undefined };
  const data = { accountId: randomUUID(), videoId: randomUUID(), attempt: 1 };
  const job: VideoRun = { data, signal: abort.signal, takeNext: () => void (started.taken += 1) };
  const work = (onEncoded?: () => void): Promise<void> => {
    Object.assign(started, { isEncoding: true, ...(onEncoded && { onEncoded }) });
    return promise;
  };
  const makingOf = () => Promise.resolve(making);
  const ended = kind === 'video' ? of.video(job, makingOf, work) : of.chunk(job, makingOf, () => work());
  ended.catch(() => undefined);
  return { videoId: data.videoId, finish, ended, started, abort };
}

const phases = () => scheduler.jobs.map(({ kind, phase }) => `${kind} ${phase}`);

test('a worker’s jobs show what is encoding, what waits, and what is only being stored', async () => {
  const first = begin(LARGE);
  await expect.poll(phases).toEqual(['video encoding']);
  const chunk = begin(LARGE, 'chunk');
  const second = begin(LARGE);
  expect(phases()).toEqual(['video encoding', 'chunk waiting', 'video waiting']);
  const [job] = scheduler.jobs;
  expect(job).toMatchObject({ videoId: first.videoId, isSmall: false });
  expect(job!.bytes).toBeGreaterThan(GIB / 4);

  // The encode is done, so that the next one begins while its output is stored. A waiting video comes before a chunk.
  first.started.onEncoded();
  await expect.poll(phases).toEqual(['video ending', 'chunk waiting', 'video encoding']);
  expect(first.started.taken).toBe(1);
  for (const { finish } of [first, second, chunk]) finish();
  await Promise.all([first.ended, second.ended, chunk.ended]);
  expect(scheduler.jobs).toEqual([]);
});

test('a small video is encoded beside the one in the slot, and one more waits', async () => {
  const small = begin(SMALL);
  await expect.poll(() => small.started.isEncoding).toBe(true);
  expect(small.started.taken).toBe(1);
  const large = begin(LARGE);
  await expect.poll(phases).toEqual(['video encoding', 'video encoding']);
  const other = begin(SMALL);
  expect(phases()).toEqual(['video encoding', 'video encoding', 'video waiting']);
  large.finish();
  await expect.poll(phases).toEqual(['video encoding', 'video encoding']);
  small.finish();
  other.finish();
  await Promise.all([small.ended, large.ended, other.ended]);
});

test('a job without memory, or aborted while it waits, leaves nothing behind', async () => {
  const narrow = new Scheduler({ concurrency: 2, budgetBytes: GIB, cores: 2 });
  const first = begin(LARGE, 'video', narrow);
  await expect.poll(() => first.started.isEncoding).toBe(true);
  await expect(begin(LARGE, 'video', narrow).ended).rejects.toBeInstanceOf(NoMemoryError);
  expect(narrow.jobs).toHaveLength(1);
  first.finish();
  await first.ended;

  const held = begin(LARGE);
  await expect.poll(() => held.started.isEncoding).toBe(true);
  const waiting = begin(LARGE);
  waiting.abort.abort(new Error('the worker stops'));
  await expect(waiting.ended).rejects.toThrow('the worker stops');
  expect(scheduler.jobs).toHaveLength(1);
  held.finish();
  await held.ended;
});

test('a video that no longer exists takes no memory', async () => {
  const gone = begin(null);
  await expect.poll(() => scheduler.jobs[0]?.bytes).toBe(0);
  gone.finish();
  await gone.ended;
});
