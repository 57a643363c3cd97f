import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import type { RenditionReceipt } from '../../../src/domain/media/pipeline/receipt.js';
import { ffprobe, makeClip } from '../../support/media.js';
import { faultsOf } from '../../support/corpus/playlistRules.js';
import { openScene, type Pipeline, type PipelineScene, until } from '../../support/worker/pipeline.js';
import { readVideo } from './publishedVideo.js';
import {
  bytesOf,
  chunkStates,
  countedBytes,
  countFrames,
  digestOf,
  storedBytes,
  topRenditionOf,
  type Video,
} from './storedVideo.js';
import { WorkerChild } from '../../support/worker/workerChild.js';

const CREDIT = 1_000_000n;
const SECONDS = 32;
const FRAMES = SECONDS * 25;
const CHUNKED = { earlyPlayFromSeconds: 1, chunks: { chunksFromSeconds: 10, chunkSeconds: 8 } };
const masterKey = randomBytes(32);

let scene: PipelineScene;
let pipeline: Pipeline;
let clip: string;
const children: WorkerChild[] = [];

beforeAll(async () => {
  scene = await openScene({ masterKeys: { current: masterKey, previous: [] } });
  ({ pipeline } = scene);
  clip = await makeClip(scene.dir, { durationSeconds: SECONDS, width: 1280, height: 96 });
});

afterEach(async () => {
  for (const child of children.splice(0)) await child.end('SIGKILL');
});

afterAll(async () => {
  await scene.close();
});

test('two workers share one video, and each makes a part of it', async () => {
  const [one, other] = [await startWorker('veryfast'), await startWorker('veryfast')];
  const video = await bought();
  await ready(video);

  for (const worker of [one, other]) await worker.says('chunk made');
  await chargedOnce(video);
  const { prefix, names } = await topRenditionOf(pipeline, video);
  expect(names.map((name) => name.slice(0, 9))).toEqual([...Array(8).keys()].map((n) => `seg_0000${n}`));
  expect(await countFrames(pipeline, video, scene.dir)).toBe(FRAMES);
  expect(await renditionOnly(prefix)).toEqual(['iframes.m3u8', 'index.m3u8', 'init.mp4', ...names]);
  expect(await storedBytes(pipeline, video)).toBe(await countedBytes(pipeline, video));
  expect(faultsOf(await readVideo(pipeline, video))).toEqual([]);
  await expectReceipts(video);
  await expectKeyFrames(prefix, names);
});

test('the key and vector in the playlist of an encrypted video in chunks decrypt every segment', async () => {
  await startWorker('ultrafast');
  await startWorker('ultrafast');
  const video = await bought({ encryption: true });
  await ready(video);

  const { prefix, playlist } = await topRenditionOf(pipeline, video);
  expect(playlist.match(/#EXT-X-KEY/g)).toHaveLength(8);
  // A chunk of an encrypted rendition cannot be decrypted by ranges.
  expect(await renditionOnly(prefix)).not.toContain('iframes.m3u8');
  expect(faultsOf(await readVideo(pipeline, video))).toEqual([]);
  expect(await countFrames(pipeline, video, scene.dir)).toBe(FRAMES);
  expect(await storedBytes(pipeline, video)).toBe(await countedBytes(pipeline, video));
  await expectReceipts(video);
});

test('a helper killed at a chunk: another makes the chunk, and nothing of the first try is left', async () => {
  const own = await startWorker('veryfast');
  const video = await bought();
  await until(async () => (await chunkStates(pipeline, video)).length > 0);
  const helper = await startWorker('placebo');
  await helper.says('helping with a chunk');
  await helper.end('SIGKILL');
  await ready(video);

  await own.says('chunks joined');
  await chargedOnce(video);
  const { prefix, names } = await topRenditionOf(pipeline, video);
  const again = async (): Promise<string[]> =>
    (await pipeline.keys(`videos/${video.accountId}/`)).filter((key) => key.endsWith('_2.m4s'));
  // The killed helper had a chunk of the first stage, which makes the smallest picture, or of the stage with all others.
  const { playableRungs } = await pipeline.videos.get(video.accountId, video.videoId);
  const others = playableRungs.filter((quality) => quality !== '360p' && quality !== 'audio');
  const madeAgain = await again();
  const byRendition = Map.groupBy(madeAgain, (key) => key.split('/').at(-2)!);
  expect([['360p'], others.toSorted()]).toContainEqual([...byRendition.keys()].toSorted());
  for (const segments of byRendition.values()) expect(segments).toHaveLength(2);
  expect(await countFrames(pipeline, video, scene.dir)).toBe(FRAMES);
  await pipeline.chunks.sweep();
  expect(await again()).toEqual(madeAgain);
  expect(await renditionOnly(prefix)).toEqual(['iframes.m3u8', 'index.m3u8', 'init.mp4', ...names]);
  expect(await storedBytes(pipeline, video)).toBe(await countedBytes(pipeline, video));
});

test("the video's own worker killed during its chunks: the next run has them all, charged once", async () => {
  const first = await startWorker('slow');
  const video = await bought();
  await first.says('chunk made');
  await startWorker('ultrafast');
  await first.end('SIGKILL');
  await ready(video);

  await chargedOnce(video);
  const { prefix, names } = await topRenditionOf(pipeline, video);
  expect(prefix).not.toContain('/1-1/');
  expect(names).toHaveLength(8);
  expect(await countFrames(pipeline, video, scene.dir)).toBe(FRAMES);
  await pipeline.chunks.sweep();
  await pipeline.leftovers.sweepStore();
  expect(await pipeline.keys(`videos/${video.accountId}/${video.videoId}/1-1/720p/`)).toEqual([]);
  expect(await chunkStates(pipeline, video)).toEqual([]);
});

test('a video deleted during its chunks: both workers stop, nothing is charged, nothing is left', async () => {
  const [one, other] = [await startWorker('slow'), await startWorker('slow')];
  const video = await bought();
  await until(async () => (await chunkStates(pipeline, video)).filter((state) => state === 'claimed').length === 2);
  await pipeline.videos.delete(video.accountId, video.videoId);

  await until(async () => [one, other].some((worker) => worker.lines.some((line) => line.includes('run refused'))));
  expect(await pipeline.books(video.accountId)).toEqual({ creative: 10n * CREDIT, escrow: 0n, revenue: 0n, faults: 0 });
  const next = await bought();
  await ready(next);
  await pipeline.chunks.sweep();
  await pipeline.leftovers.sweepStore();
  expect(await pipeline.keys(`videos/${video.accountId}/`)).toEqual([]);
  expect(await chunkStates(pipeline, video)).toEqual([]);
});

async function startWorker(preset: string): Promise<WorkerChild> {
  const child = await WorkerChild.start({
    databaseUrl: scene.database.runtimeUrl,
    dir: scene.dir,
    preset,
    masterKey,
    ...CHUNKED,
  });
  children.push(child);
  return child;
}

async function bought({ encryption = false } = {}): Promise<Video> {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, clip);
  await pipeline.buy(accountId, videoId, '720p', { encryption });
  return { accountId, videoId };
}

async function ready({ accountId, videoId }: Video): Promise<void> {
  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready' || status === 'failed');
  expect(video).toMatchObject({ status: 'ready', failureCode: null });
  // Between them, a hasty preset's test pattern may cost as much as a larger picture, and is left out then.
  expect(video.playableRungs).toEqual(expect.arrayContaining(['720p', '360p', 'audio']));
}

async function chargedOnce({ accountId, videoId }: Video): Promise<void> {
  const { durationMs } = await pipeline.videos.get(accountId, videoId);
  const revenue = (durationMs! * 1_500_000n) / 60_000n;
  expect(await pipeline.books(accountId)).toEqual({ creative: 10n * CREDIT - revenue, escrow: 0n, revenue, faults: 0 });
}

/** The I-frame playlist names the segments of all chunks, and the last one's frame can be decoded alone. */
async function expectKeyFrames(prefix: string, names: readonly string[]): Promise<void> {
  const playlist = (await bytesOf(pipeline, `${prefix}iframes.m3u8`)).toString();
  const frames = [...playlist.matchAll(/#EXT-X-BYTERANGE:(\d+)@(\d+)\n(.*)/g)];
  expect(frames.map(([, , , name]) => name)).toEqual(names);
  const [, size, offset, name] = frames.at(-1)!;
  const segment = await bytesOf(pipeline, `${prefix}${name}`);
  const frame = segment.subarray(Number(offset), Number(offset) + Number(size));
  const path = join(scene.dir, 'frame.mp4');
  await writeFile(path, Buffer.concat([await bytesOf(pipeline, `${prefix}init.mp4`), frame]));
  const shown = await ffprobe('-show_entries', 'frame=pict_type', '-of', 'csv=p=0', path);
  expect(shown.trim().replace(',', '')).toBe('I');
}

/** Receipts have the digest of the stored files, and every frame was compared, whichever worker made it. */
async function expectReceipts(video: Video): Promise<void> {
  const receipts = await receiptsOf(video);
  expect(receipts['720p']!.sha256).toBe(await digestOf(pipeline, await topRenditionOf(pipeline, video)));
  for (const quality of ['720p', '360p']) {
    const { profile, ffmpegVersion, ssim, ssimFrames } = receipts[quality]!;
    expect(profile).toMatch(/^h264-[\d.]+(-ultrafast)?$/);
    expect(ffmpegVersion).toMatch(/^\d+\./);
    expect(ssimFrames).toBe(FRAMES);
    // A frame of another moment, or an encrypted one, would not be this similar.
    expect(ssim).toBeGreaterThan(0.9);
  }
}

async function receiptsOf({ accountId, videoId }: Video): Promise<Record<string, RenditionReceipt>> {
  const rows = await pipeline.db.sql.query<{ quality: string; receipt: RenditionReceipt }>(
    { name: 'test-receipts', text: 'select quality, receipt from rendition where account_id = $1 and video_id = $2' },
    [accountId, videoId],
  );
  return Object.fromEntries(rows.map(({ quality, receipt }) => [quality, receipt]));
}

async function renditionOnly(prefix: string): Promise<string[]> {
  return (await pipeline.keys(prefix)).map((key) => key.slice(prefix.length));
}
