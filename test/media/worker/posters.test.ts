import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import express from 'express';
import { pino } from 'pino';
import { expect, test } from 'vitest';

import { FfmpegPosterTools } from '../../../src/adapters/transcode/pictures/ffmpegPosterTools.js';
import { MAX_PICTURE_BYTES, PosterService } from '../../../src/domain/media/posters/poster.service.js';
import type { RenditionReceipt } from '../../../src/domain/media/pipeline/receipt.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import { createUploadRouter } from '../../../src/api/uploads/router.js';
import { ffmpeg, makeClip } from '../../support/media.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';

const { pipeline, dir } = await sceneOfFile({ works: true });
const { db, store, mediaKeys } = pipeline;
const tools = new FfmpegPosterTools({ searchPath: process.env['PATH'] ?? '', mustConfine: false });
/** Like that of another process. */
const newService = () => new PosterService({ db, store, mediaKeys, tools });
const posters = newService();

async function readyVideo(options: { encryption?: boolean } = {}) {
  const accountId = await pipeline.account(100n);
  const clip = await makeClip(dir, {
    name: 'video.mp4',
    durationSeconds: 6,
    // Not suitable for passthrough.
    videoCodec: ['-c:v', 'mpeg4', '-q:v', '3'],
  });
  const videoId = await pipeline.measured(accountId, clip);
  await pipeline.buy(accountId, videoId, '480p', options);
  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  return { accountId, videoId, video };
}

type Video = Awaited<ReturnType<typeof readyVideo>>;

/** What anybody currently gets at the address of the poster. */
async function served({ accountId, videoId }: Video): Promise<{ path: string; bytes: Buffer; key: string }> {
  const { posterPath } = await pipeline.videos.get(accountId, videoId);
  const token = /([^/]+)\.jpg$/.exec(posterPath!)![1]!;
  const key = await new PublishedMedia(pipeline.db.sql).posterKey(accountId, videoId, token);
  const { body } = (await pipeline.store.get(key!))!;
  return { path: posterPath!, key: key!, bytes: Buffer.concat(await body.toArray()) };
}

async function countedPosters({ accountId, videoId }: Video): Promise<{ key: string; size_bytes: string }[]> {
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
  'a moment of a video (encrypted: %s) becomes its poster, at a new address',
  async (encryption) => {
    const made = await readyVideo({ encryption });
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

test('choosing at once in several processes leaves one poster, and nothing of the others', async () => {
  const made = await readyVideo();
  await Promise.all([0, 1000, 2000, 3000].map((at) => newService().takeMoment(made.accountId, made.videoId, at)));
  await pipeline.leftovers.sweepStore();
  const { key } = await served(made);
  expect((await countedPosters(made)).map((row) => row.key)).toEqual([key]);
  expect(await pipeline.keys(`posters/${made.accountId}/`)).toEqual([key]);
});

test('a moment that does not exist, a video that is not ready, or one of another account is refused', async () => {
  const made = await readyVideo();
  const { accountId, videoId } = made;
  await expect(posters.takeMoment(accountId, videoId, 6_001_000)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await expect(posters.takeMoment(accountId, videoId, Number.NaN)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  const other = await pipeline.account(1n);
  for (const refused of [
    () => posters.takeMoment(other, videoId, 0),
    () => posters.takePicture(other, videoId, () => Promise.resolve(Buffer.from('x'))),
    () => posters.leave(other, videoId),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' });
  }
  const waiting = await pipeline.paperVideo(accountId);
  await expect(posters.takeMoment(accountId, waiting, 0)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect(await countedPosters(made)).toEqual([]);
});

test('while one poster is drawn, the next ones are refused without reading them', async () => {
  const { accountId, videoId } = await readyVideo();
  const [sending, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<Buffer>()];
  const first = posters.takePicture(accountId, videoId, () => {
    sending.resolve();
    return gate.promise;
  });
  await sending.promise;
  await using entryPoint = await openEntryPoint({ videoId, viewers: new Map([['owner', accountId]]) });
  // Only their headers, so the response must come before the body.
  const heads = Array.from({ length: 20 }, async () => {
    const headers = { 'x-viewer': 'owner', 'content-length': MAX_PICTURE_BYTES };
    const sent = request(entryPoint.url, { method: 'PUT', headers });
    sent.flushHeaders();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    sent.destroy();
    return answer.statusCode;
  });
  expect(new Set(await Promise.all(heads))).toEqual(new Set([429]));
  await expect(posters.takeMoment(accountId, videoId, 0)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });

  gate.resolve(Buffer.from('no picture'));
  await expect(first).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await posters.takeMoment(accountId, videoId, 0);
});

test('among too many accounts, some are told to retry, before anything is looked up or read', async () => {
  const read = (): Promise<never> => Promise.reject(new Error('read'));
  const asked = Array.from({ length: 30 }, () => posters.takePicture(randomUUID(), randomUUID(), read));
  const answers = await Promise.allSettled(asked);
  const codes = answers.map((answer) => answer.status === 'rejected' && (answer.reason as { code: string }).code);
  expect(codes.filter((code) => code === 'VIDEO_NOT_FOUND')).toHaveLength(22);
  expect(codes.filter((code) => code === 'SERVICE_UNAVAILABLE')).toHaveLength(8);
});

test('a picture that does not arrive frees its place', async () => {
  const { accountId, videoId } = await readyVideo();
  await using entryPoint = await openEntryPoint({
    videoId,
    viewers: new Map([['owner', accountId]]),
    pictureWithinMs: 50,
  });
  const sent = request(entryPoint.url, { method: 'PUT', headers: { 'x-viewer': 'owner', 'content-length': 100 } });
  sent.write('the rest does not come');
  await once(sent, 'error');
  await posters.takeMoment(accountId, videoId, 0);
});

test('only the owner can send a picture over HTTP, and never more than 5 MB', async () => {
  const made = await readyVideo();
  const picture = join(dir, 'own.png');
  await ffmpeg('-f', 'lavfi', '-i', 'color=red:s=640x360', '-frames:v', '1', picture);
  const viewers = new Map([
    ['owner', made.accountId],
    ['other', await pipeline.account(1n)],
  ]);
  await using entryPoint = await openEntryPoint({ videoId: made.videoId, viewers });
  const put = (viewer: string, body: Buffer, headers: Record<string, string> = {}) =>
    fetch(entryPoint.url, { method: 'PUT', body: new Uint8Array(body), headers: { 'x-viewer': viewer, ...headers } });
  const bytes = await readFile(picture);
  expect((await put('nobody', bytes)).status).toBe(401);
  expect((await put('other', bytes)).status).toBe(404);
  expect((await put('owner', bytes, { origin: 'https://elsewhere.example' })).status).toBe(403);
  expect((await put('owner', Buffer.from('no picture'))).status).toBe(400);
  expect((await put('owner', Buffer.alloc(MAX_PICTURE_BYTES + 1))).status).toBe(413);
  expect((await fetch(entryPoint.url, { headers: { 'x-viewer': 'owner' } })).status).toBe(405);
  expect(await countedPosters(made)).toEqual([]);
  expect((await put('owner', bytes)).status).toBe(200);
  const { bytes: shown } = await served(made);
  expect(shown.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  expect(await countedPosters(made)).toHaveLength(1);
});

interface EntryPointOptions {
  readonly videoId: string;
  /** Accounts by the name in requests. */
  readonly viewers: ReadonlyMap<string, string>;
  readonly pictureWithinMs?: number;
}

/** Serves the poster upload of a video on a real port. */
async function openEntryPoint({
  videoId,
  viewers,
  ...options
}: EntryPointOptions): Promise<AsyncDisposable & { url: string }> {
  const app = express();
  app.use(
    '/uploads',
    createUploadRouter({
      uploads: pipeline.uploads,
      posters,
      viewerOf: async (req) => {
        const accountId = viewers.get(String(req.headers['x-viewer']));
        return accountId === undefined
          ? null
          : ({ accountId, userId: randomUUID(), accessToken: null, suspended: false } as never);
      },
      publicUrl: 'http://dhara.test',
      logger: pino({ level: 'silent' }),
      ...options,
    }),
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/uploads/posters/${videoId}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

test.each([false, true])('a receipt has the digest of the stored files (encrypted: %s)', async (encryption) => {
  const { accountId, videoId, video } = await readyVideo({ encryption });
  const [renditions] = await pipeline.parts.renditions(accountId, [videoId]);
  for (const rendition of renditions!) {
    const receipt = rendition.receipt as RenditionReceipt;
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
