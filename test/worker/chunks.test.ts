import { createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import type { RungReceipt } from '../../src/domain/processing/receipt.js';
import { createTestDatabase, type TestDatabase } from '../setup/database.js';
import { ffprobe, makeClip, mediaFolder } from '../setup/media.js';
import { Pipeline, pipelineFolder, until } from './pipeline.js';
import { WorkerChild } from './workerChild.js';

const CREDIT = 1_000_000n;
const SECONDS = 32;
const FRAMES = SECONDS * 25;
const READY_WITHIN_MS = 240_000;
const CHUNKED = { earlyPlayFromSeconds: 1, chunks: { chunksFromSeconds: 10, chunkSeconds: 8 } };
const masterKey = randomBytes(32);

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof pipelineFolder>>;
let media: Awaited<ReturnType<typeof mediaFolder>>;
let pipeline: Pipeline;
let clip: string;
const children: WorkerChild[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await pipelineFolder();
  media = await mediaFolder();
  clip = await makeClip(media.path, { durationSeconds: SECONDS, width: 1280, height: 96 });
  const masterKeys = { current: masterKey, previous: [] };
  pipeline = await Pipeline.start({ databaseUrl: database.runtimeUrl, dir: folder.path, works: false, masterKeys });
}, 60_000);

afterEach(async () => {
  for (const child of children.splice(0)) await child.end('SIGKILL');
});

afterAll(async () => {
  await pipeline.stop();
  await database.drop();
  await folder[Symbol.asyncDispose]();
  await media[Symbol.asyncDispose]();
});

test('two workers share one film: each made some of it, and it is one film', async () => {
  const [one, other] = [await startWorker('veryfast'), await startWorker('veryfast')];
  const film = await bought();
  await ready(film);

  for (const worker of [one, other]) await worker.says('chunk made');
  await chargedOnce(film);
  const { prefix, names } = await rungOf(film);
  expect(names.map((name) => name.slice(0, 9))).toEqual([...Array(8).keys()].map((n) => `seg_0000${n}`));
  expect(await countFrames(film)).toBe(FRAMES);
  expect(await rungOnly(prefix)).toEqual(['iframes.m3u8', 'index.m3u8', 'init.mp4', ...names]);
  expect(await storedBytes(film)).toBe(await countedBytes(film));
  await expectReceipts(film);
  await expectKeyFrames(prefix, names);
}, 400_000);

test('an encrypted film in chunks: every segment opens with the key and the vector that its playlist names', async () => {
  await startWorker('ultrafast');
  await startWorker('ultrafast');
  const film = await bought({ encryption: true });
  await ready(film);

  const { prefix, playlist } = await rungOf(film);
  expect(playlist.match(/#EXT-X-KEY/g)).toHaveLength(8);
  // A part of what is encrypted opens for nobody.
  expect(await rungOnly(prefix)).not.toContain('iframes.m3u8');
  expect(await countFrames(film)).toBe(FRAMES);
  expect(await storedBytes(film)).toBe(await countedBytes(film));
  await expectReceipts(film);
}, 400_000);

test('a helper killed at a chunk: another makes that one, and nothing of the first try is left', async () => {
  const own = await startWorker('veryfast');
  const film = await bought();
  await until(async () => (await chunkStates(film)).length > 0, READY_WITHIN_MS);
  const helper = await startWorker('placebo');
  await helper.says('helping with a chunk', READY_WITHIN_MS);
  await helper.end('SIGKILL');
  await ready(film);

  await own.says('chunks joined');
  await chargedOnce(film);
  const { prefix, names } = await rungOf(film);
  const again = async (): Promise<string[]> =>
    (await pipeline.keys(`videos/${film.accountId}/`)).filter((key) => key.endsWith('_2.m4s'));
  expect(await again()).toHaveLength(2);
  expect(await countFrames(film)).toBe(FRAMES);
  await pipeline.chunks.sweep();
  expect(await again()).toHaveLength(2);
  expect(await rungOnly(prefix)).toEqual(['iframes.m3u8', 'index.m3u8', 'init.mp4', ...names]);
  expect(await storedBytes(film)).toBe(await countedBytes(film));
}, 400_000);

test('the worker of the film killed at its chunks: the next run has them all, charged once', async () => {
  const first = await startWorker('slow');
  const film = await bought();
  await first.says('chunk made', READY_WITHIN_MS);
  await startWorker('ultrafast');
  await first.end('SIGKILL');
  await ready(film);

  await chargedOnce(film);
  const { prefix, names } = await rungOf(film);
  expect(prefix).not.toContain('/1-1/');
  expect(names).toHaveLength(8);
  expect(await countFrames(film)).toBe(FRAMES);
  await pipeline.chunks.sweep();
  await pipeline.leftovers.sweepStore();
  expect(await pipeline.keys(`videos/${film.accountId}/${film.videoId}/1-1/720p/`)).toEqual([]);
  expect(await chunkStates(film)).toEqual([]);
}, 400_000);

test('a film deleted at its chunks: both workers let go, nothing is charged, nothing is left', async () => {
  const [one, other] = [await startWorker('slow'), await startWorker('slow')];
  const film = await bought();
  await until(
    async () => (await chunkStates(film)).filter((state) => state === 'claimed').length === 2,
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
  expect(await chunkStates(film)).toEqual([]);
}, 600_000);

interface Film {
  accountId: string;
  videoId: string;
}

async function startWorker(preset: string): Promise<WorkerChild> {
  const child = await WorkerChild.start({
    databaseUrl: database.runtimeUrl,
    dir: folder.path,
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

async function rungOf(film: Film): Promise<{ prefix: string; playlist: string; names: string[] }> {
  const prefix = await prefixOf(film);
  const playlist = (await bytesOf(`${prefix}index.m3u8`)).toString();
  return { prefix, playlist, names: playlist.split('\n').filter((line) => line.startsWith('seg_')) };
}

/** Of the rung that is made in chunks: on a machine that is busy enough, another run than the first may publish it. */
async function prefixOf({ accountId, videoId }: Film): Promise<string> {
  const [row] = await pipeline.db.sql.query<{ prefix: string }>(
    {
      name: 'test-prefix',
      text: `select prefix from rendition where account_id = $1 and video_id = $2 and quality = '720p'`,
    },
    [accountId, videoId],
  );
  return `${row!.prefix}720p/`;
}

/** Listed with the segments of all chunks; the last one's frame can be shown by itself. */
async function expectKeyFrames(prefix: string, names: readonly string[]): Promise<void> {
  const playlist = (await bytesOf(`${prefix}iframes.m3u8`)).toString();
  const frames = [...playlist.matchAll(/#EXT-X-BYTERANGE:(\d+)@(\d+)\n(.*)/g)];
  expect(frames.map(([, , , name]) => name)).toEqual(names);
  const [, size, offset, name] = frames.at(-1)!;
  const segment = await bytesOf(`${prefix}${name}`);
  const frame = segment.subarray(Number(offset), Number(offset) + Number(size));
  const path = join(media.path, 'frame.mp4');
  await writeFile(path, Buffer.concat([await bytesOf(`${prefix}init.mp4`), frame]));
  const shown = await ffprobe('-show_entries', 'frame=pict_type', '-of', 'csv=p=0', path);
  expect(shown.trim().replace(',', '')).toBe('I');
}

/** Its digest is that of the stored files, and each frame was compared, whoever made it. */
async function expectReceipts(film: Film): Promise<void> {
  const { prefix, names } = await rungOf(film);
  const lines = await Promise.all(
    ['init.mp4', ...names].map(async (name) => `${sha256(await bytesOf(prefix + name))}  ${name}\n`),
  );
  const receipts = await receiptsOf(film);
  expect(receipts['720p']!.sha256).toBe(sha256(lines.join('')));
  for (const quality of ['720p', '480p']) {
    const { profile, ffmpegVersion, ssim, ssimFrames } = receipts[quality]!;
    expect(profile).toMatch(/^h264-[\d.]+(-ultrafast)?$/);
    expect(ffmpegVersion).toMatch(/^\d+\./);
    expect(ssimFrames).toBe(FRAMES);
    // Another moment of this picture, or one that was sealed, would not look like it.
    expect(ssim).toBeGreaterThan(0.9);
  }
}

function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
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

async function bytesOf(key: string): Promise<Buffer> {
  const { body } = (await pipeline.store.get(key))!;
  return Buffer.concat((await body.toArray()) as Buffer[]);
}

/** Of all segments, opened where they are closed, as one film. */
async function countFrames(film: Film): Promise<number> {
  const { prefix, playlist } = await rungOf(film);
  const [, attempt, run] = /\/(\d+)-(\d+)\//.exec(prefix)!.map(Number) as [number, number, number];
  const pieces = [await bytesOf(`${prefix}init.mp4`)];
  let seal: { key: Buffer; iv: Buffer } | null = null;
  for (const line of playlist.split('\n')) {
    const [, keyIndex, iv] = /URI="\.\.\/key\/(\d+)",IV=0x(\w+)/.exec(line) ?? [];
    if (keyIndex !== undefined && iv !== undefined) {
      const key = await pipeline.mediaKeys.find({ ...film, attempt, run }, Number(keyIndex), {});
      seal = { key: key!, iv: Buffer.from(iv, 'hex') };
    }
    if (!line.startsWith('seg_')) continue;
    const bytes = await bytesOf(prefix + line);
    const opened = seal && createDecipheriv('aes-128-cbc', seal.key, seal.iv);
    pieces.push(opened ? Buffer.concat([opened.update(bytes), opened.final()]) : bytes);
  }
  const path = join(media.path, 'joined.mp4');
  await writeFile(path, Buffer.concat(pieces));
  const count = await ffprobe('-count_frames', '-of', 'csv=p=0', '-show_entries', 'stream=nb_read_frames', path);
  return Number.parseInt(count, 10);
}

async function chunkStates({ accountId, videoId }: Film): Promise<string[]> {
  const rows = await pipeline.db.sql.query<{ state: string }>(
    { name: 'test-chunks', text: 'select state from processing_chunk where account_id = $1 and video_id = $2' },
    [accountId, videoId],
  );
  return rows.map(({ state }) => state);
}

async function storedBytes({ accountId }: Film): Promise<number> {
  let bytes = 0;
  for (const prefix of ['videos', 'sources']) {
    for await (const { sizeBytes } of pipeline.store.list(`${prefix}/${accountId}/`)) bytes += sizeBytes;
  }
  return bytes;
}

async function countedBytes({ accountId }: Film): Promise<number> {
  const [row] = await pipeline.db.sql.query<{ bytes: string }>(
    { name: 'test-counted', text: 'select sum(size_bytes) as bytes from stored_object where account_id = $1' },
    [accountId],
  );
  return Number(row!.bytes);
}
