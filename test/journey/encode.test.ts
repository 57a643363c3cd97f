import { afterAll, beforeAll, expect, test } from 'vitest';

import { makeClip, makeSound } from '../support/media.js';
import { openScene, type Pipeline, type PipelineScene, until } from '../support/worker/pipeline.js';

const CREDIT = 1_000_000n;

let scene: PipelineScene;
let pipeline: Pipeline;

beforeAll(async () => {
  scene = await openScene({ works: true });
  ({ pipeline } = scene);
});

afterAll(async () => {
  await scene.close();
});

test('a video is measured, priced, made, published and charged', async () => {
  const accountId = await pipeline.account(10n);
  const clip = await makeClip(scene.dir, { name: 'video.mp4', durationSeconds: 6, width: 1280, height: 720 });
  const videoId = await pipeline.uploaded(accountId, clip);
  const measured = await pipeline.until(accountId, videoId, (video) => video.durationMs !== null);
  expect(measured).toMatchObject({ status: 'uploaded', width: 1280, height: 720 });

  await pipeline.buy(accountId, videoId, '720p');
  const ready = await pipeline.until(accountId, videoId, (video) => video.status === 'ready');

  const priceMicros = (measured.durationMs! * 1_500_000n) / 60_000n;
  expect(ready).toMatchObject({
    quality: '720p',
    playableRungs: ['720p', '480p', '432p', '360p', 'audio'],
    failureCode: null,
  });
  expect(ready.readyAt).toBeInstanceOf(Date);
  expect(ready.posterPath).toMatch(new RegExp(`^media/posters/${accountId}/vid_\\w+/[\\w-]{22}\\.jpg$`));
  expect(await pipeline.books(accountId)).toEqual({
    creative: 10n * CREDIT - priceMicros,
    escrow: 0n,
    revenue: priceMicros,
    faults: 0,
  });
});

test('the store has everything that a playlist names, and nothing else of the run', async () => {
  const accountId = await pipeline.account(10n);
  const clip = await makeClip(scene.dir, { name: 'short.mp4', durationSeconds: 5, width: 640, height: 360 });
  const videoId = await pipeline.uploaded(accountId, clip, { quality: '480p' });
  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');

  const [renditions] = await pipeline.parts.renditions(accountId, [videoId]);
  expect(renditions!.map(({ quality, width }) => [quality, width])).toEqual([
    ['480p', 640],
    ['360p', 640],
    ['audio', null],
  ]);
  const keys = await pipeline.keys(`videos/${accountId}/${videoId}/`);
  const prefix = video.picturesPrefix!;
  expect(keys.every((key) => key.startsWith(prefix))).toBe(true);
  for (const { path, quality } of renditions!) {
    const { body } = (await pipeline.store.get(prefix + path))!;
    const playlist = (await body.toArray()).join('');
    const named = [...playlist.matchAll(/^(?:[^#\n].*|.*URI="([^"]+)".*)$/gm)].map(([line, uri]) => uri ?? line);
    expect(named.length).toBeGreaterThan(1);
    for (const name of named) expect(keys).toContain(`${prefix}${quality}/${name}`);
  }
});

test('every stored byte is counted once', async () => {
  const accountId = await pipeline.account(10n);
  const clip = await makeClip(scene.dir, { name: 'counted.mp4', durationSeconds: 4 });
  const videoId = await pipeline.uploaded(accountId, clip, { quality: '480p' });
  await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');

  let stored = 0;
  for (const prefix of ['videos', 'sources']) {
    for await (const { sizeBytes } of pipeline.store.list(`${prefix}/${accountId}/`)) stored += sizeBytes;
  }
  const [row] = await pipeline.db.sql.query<{ bytes: string }>(
    { name: 'test-stored', text: 'select sum(size_bytes) as bytes from stored_object where account_id = $1' },
    [accountId],
  );
  expect(Number(row!.bytes)).toBe(stored);
});

test("the quality chosen beforehand is bought automatically, limited to the source's", async () => {
  const accountId = await pipeline.account(10n);
  const sound = await makeSound(scene.dir, { name: 'tone.mp3', durationSeconds: 5 });
  const videoId = await pipeline.uploaded(accountId, sound, { quality: '2160p' });
  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');

  expect(video).toMatchObject({ quality: 'audio', playableRungs: ['audio'], width: null, posterPath: null });
  expect((await pipeline.books(accountId)).revenue).toBe((video.durationMs! * 250_000n) / 60_000n);
});

test('without enough credits, a video waits, and is processed once they arrive', async () => {
  const accountId = await pipeline.account(0n);
  const clip = await makeClip(scene.dir, { name: 'poor.mp4' });
  const videoId = await pipeline.uploaded(accountId, clip, { quality: '480p' });
  await pipeline.until(accountId, videoId, (video) => video.durationMs !== null);

  // The measuring job ends only after it has tried to buy.
  await until(async () => (await liveJobs('measure-upload')) === 0);
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'uploaded',
    attempt: 0,
    failureCode: 'INSUFFICIENT_CREDITS',
    failureMessage: expect.stringContaining('missing') as string,
  });

  await pipeline.topUp(accountId, 10n);
  // As the per-minute sweep does, which may be first.
  await pipeline.processing.processWaiting(new AbortController().signal);
  await pipeline.until(accountId, videoId, (video) => video.status === 'ready' && video.failureCode === null);
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({ attempt: 1 });
});

test('progress is shown, and only increases', async () => {
  const accountId = await pipeline.account(10n);
  const clip = await makeClip(scene.dir, { name: 'long.mp4', durationSeconds: 25, width: 1280, height: 720 });
  const videoId = await pipeline.measured(accountId, clip);
  const seen: number[] = [];
  await pipeline.buy(accountId, videoId, '720p');
  await until(async () => {
    const { state, percent } = await pipeline.processingOf(accountId, videoId);
    if (seen.at(-1) !== percent) seen.push(percent);
    return state === 'succeeded';
  });

  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.at(-1)).toBe(100);
  // During the encode, not only before and after it.
  expect(seen.filter((percent) => percent > 0 && percent < 95).length).toBeGreaterThan(2);
});

async function liveJobs(queue: string): Promise<number> {
  const [row] = await pipeline.db.sql.query<{ jobs: string }>(
    {
      name: 'test-live-jobs',
      text: `select count(*) as jobs from pgboss.job where name = $1 and state in ('created', 'retry', 'active')`,
    },
    [queue],
  );
  return Number(row!.jobs);
}
