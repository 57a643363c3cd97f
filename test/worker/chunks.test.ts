import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import type { RungReceipt } from '../../src/domain/processing/receipt.js';
import { ffprobe, makeClip } from '../setup/media.js';
import { faultsOf } from '../corpus/playlistRules.js';
import { openScene, type Pipeline, type PipelineScene, until } from './pipeline.js';
import { readFilm } from './publishedFilm.js';
import {
  bytesOf,
  chunkStates,
  countedBytes,
  countFrames,
  digestOf,
  storedBytes,
  topRungOf,
  type Film,
} from './storedFilm.js';
import { WorkerChild } from './workerChild.js';

const CREDIT = 1_000_000n;
const SECONDS = 32;
const FRAMES = SECONDS * 25;
const READY_WITHIN_MS = 240_000;
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
}, 60_000);

afterEach(async () => {
  for (const child of children.splice(0)) await child.end('SIGKILL');
});

afterAll(async () => {
  await scene.close();
});

test('two workers share one film: each made some of it, and it is one film', async () => {
  const [one, other] = [await startWorker('veryfast'), await startWorker('veryfast')];
  const film = await bought();
  await ready(film);

  for (const worker of [one, other]) await worker.says('chunk made');
  await chargedOnce(film);
  const { prefix, names } = await topRungOf(pipeline, film);
  expect(names.map((name) => name.slice(0, 9))).toEqual([...Array(8).keys()].map((n) => `seg_0000${n}`));
  expect(await countFrames(pipeline, film, scene.dir)).toBe(FRAMES);
  expect(await rungOnly(prefix)).toEqual(['iframes.m3u8', 'index.m3u8', 'init.mp4', ...names]);
  expect(await storedBytes(pipeline, film)).toBe(await countedBytes(pipeline, film));
  expect(faultsOf(await readFilm(pipeline, film))).toEqual([]);
  await expectReceipts(film);
  await expectKeyFrames(prefix, names);
}, 400_000);

test('an encrypted film in chunks: every segment opens with the key and the vector that its playlist names', async () => {
  await startWorker('ultrafast');
  await startWorker('ultrafast');
  const film = await bought({ encryption: true });
  await ready(film);

  const { prefix, playlist } = await topRungOf(pipeline, film);
  expect(playlist.match(/#EXT-X-KEY/g)).toHaveLength(8);
  // A part of what is encrypted opens for nobody.
  expect(await rungOnly(prefix)).not.toContain('iframes.m3u8');
  expect(faultsOf(await readFilm(pipeline, film))).toEqual([]);
  expect(await countFrames(pipeline, film, scene.dir)).toBe(FRAMES);
  expect(await storedBytes(pipeline, film)).toBe(await countedBytes(pipeline, film));
  await expectReceipts(film);
}, 400_000);

test('a helper killed at a chunk: another makes that one, and nothing of the first try is left', async () => {
  const own = await startWorker('veryfast');
  const film = await bought();
  await until(async () => (await chunkStates(pipeline, film)).length > 0, READY_WITHIN_MS);
  const helper = await startWorker('placebo');
  await helper.says('helping with a chunk', READY_WITHIN_MS);
  await helper.end('SIGKILL');
  await ready(film);

  await own.says('chunks joined');
  await chargedOnce(film);
  const { prefix, names } = await topRungOf(pipeline, film);
  const again = async (): Promise<string[]> =>
    (await pipeline.keys(`videos/${film.accountId}/`)).filter((key) => key.endsWith('_2.m4s'));
  expect(await again()).toHaveLength(2);
  expect(await countFrames(pipeline, film, scene.dir)).toBe(FRAMES);
  await pipeline.chunks.sweep();
  expect(await again()).toHaveLength(2);
  expect(await rungOnly(prefix)).toEqual(['iframes.m3u8', 'index.m3u8', 'init.mp4', ...names]);
  expect(await storedBytes(pipeline, film)).toBe(await countedBytes(pipeline, film));
}, 400_000);

test('the worker of the film killed at its chunks: the next run has them all, charged once', async () => {
  const first = await startWorker('slow');
  const film = await bought();
  await first.says('chunk made', READY_WITHIN_MS);
  await startWorker('ultrafast');
  await first.end('SIGKILL');
  await ready(film);

  await chargedOnce(film);
  const { prefix, names } = await topRungOf(pipeline, film);
  expect(prefix).not.toContain('/1-1/');
  expect(names).toHaveLength(8);
  expect(await countFrames(pipeline, film, scene.dir)).toBe(FRAMES);
  await pipeline.chunks.sweep();
  await pipeline.leftovers.sweepStore();
  expect(await pipeline.keys(`videos/${film.accountId}/${film.videoId}/1-1/720p/`)).toEqual([]);
  expect(await chunkStates(pipeline, film)).toEqual([]);
}, 400_000);

test('a film deleted at its chunks: both workers let go, nothing is charged, nothing is left', async () => {
  const [one, other] = [await startWorker('slow'), await startWorker('slow')];
  const film = await bought();
  await until(
    async () => (await chunkStates(pipeline, film)).filter((state) => state === 'claimed').length === 2,
    READY_WITHIN_MS,
  );
  await pipeline.videos.delete(film.accountId, film.videoId);

  await until(async () => [one, other].some((worker) => worker.lines.some((line) => line.includes('run refused'))));
  expect(await pipeline.books(film.accountId)).toEqual({ creative: 10n * CREDIT, escrow: 0n, revenue: 0n, faults: 0 });
  const next = await bought();
  await ready(next);
  await pipeline.chunks.sweep();
  await pipeline.leftovers.sweepStore();
  expect(await pipeline.keys(`videos/${film.accountId}/`)).toEqual([]);
  expect(await chunkStates(pipeline, film)).toEqual([]);
}, 600_000);

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

async function bought({ encryption = false } = {}): Promise<Film> {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, clip);
  await pipeline.buy(accountId, videoId, '720p', { encryption });
  return { accountId, videoId };
}

async function ready({ accountId, videoId }: Film): Promise<void> {
  const video = await pipeline.until(
    accountId,
    videoId,
    ({ status }) => status === 'ready' || status === 'failed',
    READY_WITHIN_MS,
  );
  expect(video).toMatchObject({ status: 'ready', playableRungs: ['720p', '480p', 'audio'], failureCode: null });
}

async function chargedOnce({ accountId, videoId }: Film): Promise<void> {
  const { durationMs } = await pipeline.videos.get(accountId, videoId);
  const revenue = (durationMs! * 1_500_000n) / 60_000n;
  expect(await pipeline.books(accountId)).toEqual({ creative: 10n * CREDIT - revenue, escrow: 0n, revenue, faults: 0 });
}

/** Listed with the segments of all chunks; the last one's frame can be shown by itself. */
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

/** Its digest is that of the stored files, and each frame was compared, whoever made it. */
async function expectReceipts(film: Film): Promise<void> {
  const receipts = await receiptsOf(film);
  expect(receipts['720p']!.sha256).toBe(await digestOf(pipeline, await topRungOf(pipeline, film)));
  for (const quality of ['720p', '480p']) {
    const { profile, ffmpegVersion, ssim, ssimFrames } = receipts[quality]!;
    expect(profile).toMatch(/^h264-[\d.]+(-ultrafast)?$/);
    expect(ffmpegVersion).toMatch(/^\d+\./);
    expect(ssimFrames).toBe(FRAMES);
    // Another moment of this picture, or one that was sealed, would not look like it.
    expect(ssim).toBeGreaterThan(0.9);
  }
}

async function receiptsOf({ accountId, videoId }: Film): Promise<Record<string, RungReceipt>> {
  const rows = await pipeline.db.sql.query<{ quality: string; receipt: RungReceipt }>(
    { name: 'test-receipts', text: 'select quality, receipt from rendition where account_id = $1 and video_id = $2' },
    [accountId, videoId],
  );
  return Object.fromEntries(rows.map(({ quality, receipt }) => [quality, receipt]));
}

async function rungOnly(prefix: string): Promise<string[]> {
  return (await pipeline.keys(prefix)).map((key) => key.slice(prefix.length));
}
