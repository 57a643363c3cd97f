import { stat, truncate } from 'node:fs/promises';
import { basename } from 'node:path';

import { beforeEach, expect, test } from 'vitest';

import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import type { Video } from '../../../src/domain/media/library/video.entity.js';
import { faultsOf } from '../../support/corpus/playlistRules.js';
import { makeClip } from '../../support/media.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { readVideo } from './publishedVideo.js';

const CREDIT = 1_000_000n;

/** Runs once the second stage is encoded, and before any of it is stored. */
let afterSecond: () => Promise<void>;
/** The same for the first stage, which can play afterwards. */
let afterFirst: () => Promise<void>;

const { pipeline, dir } = await sceneOfFile({
  works: true,
  earlyPlayFromSeconds: 5,
  segmentsPerKey: 1,
  onEncoded: (outputDir) => (basename(outputDir) === '0' ? afterFirst() : afterSecond()),
});
const clip = await makeClip(dir, { durationSeconds: 10, width: 1280, height: 720, frameRate: '10' });

beforeEach(() => {
  afterFirst = async () => undefined;
  afterSecond = async () => undefined;
});

test('the small picture plays with sound and poster while the large one is made; then both play', async () => {
  const gate = Promise.withResolvers<void>();
  afterSecond = () => gate.promise;
  const { accountId, videoId } = await bought();
  const early = await playsEarly(accountId, videoId);

  expect(early).toMatchObject({ status: 'processing', readyAt: null });
  expect(early.posterPath).not.toBeNull();
  expect(await playlists(accountId, videoId)).toEqual({ '1-1/360p': 3, '1-1/audio': 3 });
  expect(faultsOf(await readVideo(pipeline, { accountId, videoId }))).toEqual([]);
  expect(await stored(accountId)).toEqual(await recorded(accountId));
  const { percent } = await pipeline.processingOf(accountId, videoId);
  expect(percent).toBeGreaterThan(10);
  expect((await pipeline.books(accountId)).revenue).toBe(0n);

  gate.resolve();
  const ready = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(ready).toMatchObject({
    playableRungs: ['720p', '480p', '432p', '360p', 'audio'],
    posterPath: early.posterPath,
  });
  expect(await playlists(accountId, videoId)).toEqual({
    '1-1/720p': 3,
    '1-1/480p': 3,
    '1-1/432p': 3,
    '1-1/360p': 3,
    '1-1/audio': 3,
  });
  expect(faultsOf(await readVideo(pipeline, { accountId, videoId }))).toEqual([]);
  expect(await stored(accountId)).toEqual(await recorded(accountId));
  expect(await pipeline.books(accountId)).toEqual(charged(ready, 1_500_000n));
});

test('an encrypted video has the keys of all its stages', async () => {
  const gate = Promise.withResolvers<void>();
  afterSecond = () => gate.promise;
  const { accountId, videoId } = await bought({ encryption: true });
  await playsEarly(accountId, videoId);
  const keyOf = (keyIndex: number) => pipeline.mediaKeys.find({ accountId, videoId, attempt: 1, run: 1 }, keyIndex);
  const first = await Promise.all([0, 1, 2].map(keyOf));
  expect(first).not.toContain(null);

  gate.resolve();
  const ready = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(await Promise.all([0, 1, 2].map(keyOf))).toEqual(first);
  for (const rendition of ['720p', '480p']) {
    const playlist = await text(`videos/${accountId}/${videoId}/1-1/${rendition}/index.m3u8`);
    expect([...playlist.matchAll(/URI="\.\.\/key\/(\d+)"/g)].map(([, index]) => index)).toEqual(['0', '1', '2']);
  }
  expect(faultsOf(await readVideo(pipeline, { accountId, videoId }))).toEqual([]);
  expect(await stored(accountId)).toEqual(await recorded(accountId));
  expect(await pipeline.books(accountId)).toEqual(charged(ready, 2_000_000n));
});

test('a source that breaks after the first stage: the playable part stays and is all that is charged', async () => {
  const { accountId, videoId } = await bought({ waits: true });
  afterFirst = async () => {
    const [source] = await pipeline.keys(`sources/${accountId}/${videoId}/`);
    await pipeline.store.withLocalFile(source!, async (path) =>
      truncate(path, Math.floor((await stat(path)).size / 2)),
    );
  };
  await pipeline.buy(accountId, videoId, '720p');
  const ready = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');

  expect(ready).toMatchObject({ quality: '720p', playableRungs: ['360p', 'audio'] });
  expect(ready.failureCode).toBe('SOURCE_DAMAGED');
  expect(ready.failureMessage).toContain('Only 360p was made; you were charged for audio.');
  expect(await playlists(accountId, videoId)).toEqual({ '1-1/360p': 3, '1-1/audio': 3 });
  expect(await pipeline.books(accountId)).toEqual(charged(ready, CREDIT / 4n));
  await pipeline.leftovers.sweepStore();
  expect(await stored(accountId, 'videos')).toEqual(await recorded(accountId, 'videos'));
});

test('a run that breaks in its second stage: the next run makes only that stage, and nothing is left over', async () => {
  let broken = false;
  afterSecond = async () => {
    if (broken) return;
    broken = true;
    throw new Error('the disk is gone for a moment');
  };
  const { accountId, videoId } = await bought();
  const ready = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');

  expect(await pipeline.processingOf(accountId, videoId)).toMatchObject({ run: 2 });
  expect(await playlists(accountId, videoId)).toEqual({
    '1-2/720p': 3,
    '1-2/480p': 3,
    '1-2/432p': 3,
    '1-1/360p': 3,
    '1-1/audio': 3,
  });
  expect(faultsOf(await readVideo(pipeline, { accountId, videoId }))).toEqual([]);
  await pipeline.leftovers.sweepStore();
  expect(await stored(accountId)).toEqual(await recorded(accountId));
  expect(await pipeline.books(accountId)).toEqual(charged(ready, 1_500_000n));
});

/** A 720p video that the worker has just received. */
async function bought({ encryption = false, waits = false } = {}): Promise<{ accountId: string; videoId: string }> {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, clip);
  if (!waits) await pipeline.buy(accountId, videoId, '720p', { encryption });
  return { accountId, videoId };
}

function playsEarly(accountId: string, videoId: string): Promise<Video> {
  return pipeline.until(accountId, videoId, ({ playableRungs }) => playableRungs.length > 0);
}

function charged({ durationMs }: Video, rateMicros: bigint) {
  const revenue = (durationMs! * rateMicros) / 60_000n;
  return { creative: 10n * CREDIT - revenue, escrow: 0n, revenue, faults: 0 };
}

/** How many segments each rendition of the master playlist has; all of them are in the store. */
async function playlists(accountId: string, videoId: string): Promise<Record<string, number>> {
  const master = (await new PublishedMedia(pipeline.db.sql).masterPlaylist(accountId, videoId))!;
  const counts: Record<string, number> = {};
  for (const [, rendition] of master.matchAll(/^([^#\n]+)\/index\.m3u8$/gm)) {
    const prefix = `videos/${accountId}/${videoId}/${rendition}/`;
    const keys = new Set(await pipeline.keys(prefix));
    const segments = (await text(`${prefix}index.m3u8`)).split('\n').filter((line) => line.endsWith('.m4s'));
    expect(segments.every((name) => keys.has(prefix + name))).toBe(true);
    counts[rendition!] = segments.length;
  }
  return counts;
}

async function text(key: string): Promise<string> {
  return (await (await pipeline.store.get(key))!.body.toArray()).join('');
}

/** Bytes of an account in the store. */
async function stored(accountId: string, root?: string): Promise<number> {
  let bytes = 0;
  for (const prefix of root ? [root] : ['videos', 'sources']) {
    for await (const { sizeBytes } of pipeline.store.list(`${prefix}/${accountId}/`)) bytes += sizeBytes;
  }
  return bytes;
}

async function recorded(accountId: string, root = ''): Promise<number> {
  const [row] = await pipeline.db.sql.query<{ bytes: string }>(
    {
      name: 'test-recorded',
      text: `select coalesce(sum(size_bytes), 0) as bytes from stored_object
        where account_id = $1 and removed_at is null and starts_with(key, $2)`,
    },
    [accountId, root],
  );
  return Number(row!.bytes);
}
