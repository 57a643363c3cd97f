import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { FfmpegPosterTools } from '../../src/adapters/transcode/ffmpegPosterTools.js';
import { placeOf } from '../../src/domain/posters/filmMoment.js';
import { PosterService } from '../../src/domain/posters/poster.service.js';
import type { RungReceipt } from '../../src/domain/processing/receipt.js';
import { PublishedMedia } from '../../src/domain/videos/publishedMedia.js';
import { createUploadRouter } from '../../src/uploads/router.js';
import { createTestDatabase, type TestDatabase } from '../setup/database.js';
import { ffmpeg, makeClip, mediaFolder } from '../setup/media.js';
import { Pipeline, pipelineFolder } from './pipeline.js';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof pipelineFolder>>;
let media: Awaited<ReturnType<typeof mediaFolder>>;
let pipeline: Pipeline;
let posters: PosterService;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await pipelineFolder();
  media = await mediaFolder();
  pipeline = await Pipeline.start({ databaseUrl: database.runtimeUrl, dir: folder.path, works: true });
  const { db, store, mediaKeys } = pipeline;
  const tools = new FfmpegPosterTools({ searchPath: process.env['PATH'] ?? '', mustConfine: false });
  posters = new PosterService({ db, store, mediaKeys, tools });
});

afterAll(async () => {
  await pipeline.stop();
  await database.drop();
  await folder[Symbol.asyncDispose]();
  await media[Symbol.asyncDispose]();
});

async function film(options: { encryption?: boolean } = {}) {
  const accountId = await pipeline.account(100n);
  const clip = await makeClip(media.path, {
    name: 'film.mp4',
    durationSeconds: 6,
    // Not what could be kept as it is.
    videoCodec: ['-c:v', 'mpeg4', '-q:v', '3'],
  });
  const videoId = await pipeline.measured(accountId, clip);
  await pipeline.buy(accountId, videoId, '480p', options);
  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready', 60_000);
  return { accountId, videoId, video };
}

type Film = Awaited<ReturnType<typeof film>>;

/** What anybody gets at the address of the poster, now. */
async function served({ accountId, videoId }: Film): Promise<{ path: string; bytes: Buffer; key: string }> {
  const { posterPath } = await pipeline.videos.get(accountId, videoId);
  const token = /([^/]+)\.jpg$/.exec(posterPath!)![1]!;
  const key = await new PublishedMedia(pipeline.db.sql).posterKey(accountId, videoId, token);
  const { body } = (await pipeline.store.get(key!))!;
  return { path: posterPath!, key: key!, bytes: Buffer.concat(await body.toArray()) };
}

async function countedPosters({ accountId, videoId }: Film): Promise<{ key: string; size_bytes: string }[]> {
  return pipeline.db.sql.query<{ key: string; size_bytes: string }>(
    {
      name: 'test-counted-posters',
      text: `select key, size_bytes from stored_object
        where account_id = $1 and video_id = $2 and removed_at is null and starts_with(key, 'posters/')`,
    },
    [accountId, videoId],
  );
}

test.each([false, true])(
  'a moment of a film (encrypted: %s) becomes its poster, at a new address',
  async (encryption) => {
    const made = await film({ encryption });
    const before = await served(made);

    await posters.takeMoment(made.accountId, made.videoId, 4500);
    const first = await served(made);
    expect(first.bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(first.path).not.toBe(before.path);
    expect(first.bytes).not.toEqual(before.bytes);
    expect(await countedPosters(made)).toEqual([{ key: first.key, size_bytes: String(first.bytes.length) }]);

    await posters.takeMoment(made.accountId, made.videoId, 500);
    const second = await served(made);
    expect(second.bytes).not.toEqual(first.bytes);
    await pipeline.leftovers.sweepStore();
    expect(await pipeline.store.head(first.key)).toBeNull();
    expect(await pipeline.keys(`posters/${made.accountId}/`)).toEqual([second.key]);

    await posters.leave(made.accountId, made.videoId);
    const after = await served(made);
    expect(after.bytes).toEqual(before.bytes);
    expect(after.path).not.toBe(before.path);
    expect(await countedPosters(made)).toEqual([]);

    await posters.takeMoment(
      made.accountId,
      made.videoId,
      made.video.durationMs === null ? 0 : Number(made.video.durationMs),
    );
    await pipeline.videos.delete(made.accountId, made.videoId);
    await pipeline.leftovers.sweepStore();
    expect(await pipeline.keys(`posters/${made.accountId}/`)).toEqual([]);
  },
);

test('who chooses at once gets one poster, and nothing is left of the others', async () => {
  const made = await film();
  await Promise.all([0, 1000, 2000, 3000].map((at) => posters.takeMoment(made.accountId, made.videoId, at)));
  await pipeline.leftovers.sweepStore();
  const { key } = await served(made);
  expect((await countedPosters(made)).map((row) => row.key)).toEqual([key]);
  expect(await pipeline.keys(`posters/${made.accountId}/`)).toEqual([key]);
});

test('what is not there, not yet or not theirs is refused', async () => {
  const made = await film();
  const { accountId, videoId } = made;
  await expect(posters.takeMoment(accountId, videoId, 6_001_000)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await expect(posters.takeMoment(accountId, videoId, Number.NaN)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  const other = await pipeline.account(1n);
  for (const refused of [
    () => posters.takeMoment(other, videoId, 0),
    () => posters.takePicture(other, videoId, Buffer.from('x')),
    () => posters.leave(other, videoId),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' });
  }
  const waiting = await pipeline.paperVideo(accountId);
  await expect(posters.takeMoment(accountId, waiting, 0)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect(await countedPosters(made)).toEqual([]);
});

test('a picture is sent over HTTP by its owner alone, and never more than 5 MB', async () => {
  const made = await film();
  const picture = join(media.path, 'own.png');
  await ffmpeg('-f', 'lavfi', '-i', 'color=red:s=640x360', '-frames:v', '1', picture);
  const viewers = new Map([
    ['owner', made.accountId],
    ['other', await pipeline.account(1n)],
  ]);
  const app = express();
  const origin = 'http://dhara.test';
  app.use(
    '/uploads',
    createUploadRouter({
      uploads: pipeline.uploads,
      posters,
      viewerOf: async (req) => {
        const accountId = viewers.get(String(req.headers['x-viewer']));
        return accountId === undefined ? null : ({ accountId, suspended: false } as never);
      },
      publicUrl: origin,
      logger: pino({ level: 'silent' }),
    }),
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/uploads/posters/${made.videoId}`;
  const put = (viewer: string, body: Buffer, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'PUT', body: new Uint8Array(body), headers: { 'x-viewer': viewer, ...headers } });
  try {
    const bytes = await readFile(picture);
    expect((await put('nobody', bytes)).status).toBe(401);
    expect((await put('other', bytes)).status).toBe(404);
    expect((await put('owner', bytes, { origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await put('owner', Buffer.from('no picture'))).status).toBe(400);
    expect((await put('owner', Buffer.alloc(5 * 1024 ** 2 + 1))).status).toBe(413);
    expect((await fetch(url, { headers: { 'x-viewer': 'owner' } })).status).toBe(405);
    expect(await countedPosters(made)).toEqual([]);
    expect((await put('owner', bytes)).status).toBe(200);
    const { bytes: shown } = await served(made);
    expect(shown.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(await countedPosters(made)).toHaveLength(1);
  } finally {
    server.close();
  }
});

test.each([false, true])('a receipt is kept whose digest the stored files (encrypted: %s) have', async (encryption) => {
  const { accountId, videoId, video } = await film({ encryption });
  const [renditions] = await pipeline.parts.renditions(accountId, [videoId]);
  for (const rendition of renditions!) {
    const receipt = rendition.receipt as RungReceipt;
    const dir = rendition.prefix + rendition.path.split('/')[0];
    const files = (await pipeline.keys(`${dir}/`)).filter((key) => !key.endsWith('.m3u8')).toSorted();
    const lines = await Promise.all(
      files.map(async (key) => {
        const { body } = (await pipeline.store.get(key))!;
        const hash = createHash('sha256').update(Buffer.concat(await body.toArray()));
        return `${hash.digest('hex')}  ${key.slice(dir.length + 1)}\n`;
      }),
    );
    expect(receipt.sha256).toBe(createHash('sha256').update(lines.join('')).digest('hex'));
    expect(receipt.bits).toBe(Number(rendition.sizeBytes) * 8);
    expect(receipt.secondsBilled).toBe(Number(video.durationMs) / 1000);
    expect(receipt.profile).toMatch(rendition.quality === 'audio' ? /^aac-/ : /^h264-/);
    if (rendition.quality === 'audio') expect(receipt.ssim).toBeNull();
    else expect(receipt.ssim).toBeGreaterThan(0.8);
  }
});

test('a moment is found in any playlist of ours', () => {
  const playlist = [
    '#EXTM3U',
    '#EXT-X-MAP:URI="init.mp4"',
    `#EXT-X-KEY:METHOD=AES-128,URI="../key/0",IV=0x${'0'.repeat(31)}a`,
    '#EXTINF:4.000000,',
    'seg_00000.m4s',
    `#EXT-X-KEY:METHOD=AES-128,URI="../key/1",IV=0x${'0'.repeat(31)}B`,
    '#EXTINF:2.500000,',
    'seg_00001.m4s',
    '#EXT-X-ENDLIST',
  ].join('\n');
  expect(placeOf(playlist, 3.999)).toMatchObject({
    file: 'seg_00000.m4s',
    seconds: 3.999,
    seal: { keyIndex: 0, iv: Buffer.alloc(16).fill(10, 15) },
  });
  expect(placeOf(playlist, 4)).toMatchObject({
    file: 'seg_00001.m4s',
    seconds: 0,
    seal: { keyIndex: 1, iv: Buffer.alloc(16).fill(11, 15) },
  });
  expect(placeOf(playlist, 99)).toMatchObject({ file: 'seg_00001.m4s', seconds: 2.5, initFile: 'init.mp4' });
  expect(placeOf('#EXTM3U\n', 1)).toBeNull();
});
