import { createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { S3ObjectStore } from '../../../src/adapters/store/s3.js';
import { createDelivery } from '../../../src/api/delivery/router.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { createGrant } from '../../../src/domain/playback/grants.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import { createTestDatabase } from '../../support/database.js';
import { ffprobe, makeClip } from '../../support/media.js';
import { makeBucket, startSwift } from '../../support/swift.js';
import { Pipeline, pipelineFolder, until } from '../../support/worker/pipeline.js';

const DURATION_SECONDS = 9;
const cleanUp = new AsyncDisposableStack();
const grantKey = randomBytes(32);
let dir: string;
let pipeline: Pipeline;
let store: S3ObjectStore;
let mediaUrl: string;

beforeAll(async () => {
  const database = await createTestDatabase();
  cleanUp.defer(() => database.drop());
  dir = cleanUp.use(await pipelineFolder()).path;
  const swift = await startSwift();
  cleanUp.defer(() => swift.stop());
  await makeBucket(swift, 'videos');
  const bucket = { bucket: 'videos', prefix: 'dhara/', forcePathStyle: true };
  store = await S3ObjectStore.open({ ...swift, ...bucket, downloadDir: join(dir, 'downloads') });
  cleanUp.defer(() => store.close());
  pipeline = await Pipeline.start({ databaseUrl: database.runtimeUrl, dir, works: true, store });
  cleanUp.defer(() => pipeline.stop());

  const media = new PublishedMedia(pipeline.db.sql);
  const segments = { kind: 'presigned', links: store.links } as const;
  const app = express();
  const { mediaKeys } = pipeline;
  const logger = pino({ level: 'silent' });
  app.use('/media', createDelivery({ media, mediaKeys, store, segments, grantKey, logger }).router);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.defer(() => new Promise<void>((resolve) => server.close(() => resolve())));
  cleanUp.defer(() => server.closeAllConnections());
  mediaUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/media`;
});
afterAll(() => cleanUp.disposeAsync());

/** Fetches an address, which must exist. */
async function bytesOf(address: string): Promise<Buffer> {
  const response = await fetch(address);
  expect(`${response.status} ${new URL(address).pathname}`).toMatch(/^200 /);
  return Buffer.from(await response.arrayBuffer());
}

/** The file of a media playlist, assembled as a player does. */
async function assembled(address: string): Promise<Buffer> {
  const playlist = (await bytesOf(address)).toString();
  const init = /#EXT-X-MAP:URI="([^"]+)"/.exec(playlist)?.[1] ?? '';
  const segments = playlist.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(segments.length).toBeGreaterThan(1);
  const addresses = [init, ...segments];
  expect(addresses.filter((segment) => !segment.startsWith(store.links.baseUrl))).toEqual([]);
  return Buffer.concat(await Promise.all(addresses.map(bytesOf)));
}

test('a video is uploaded, processed and played with a bucket instead of a disk', async () => {
  const accountId = await pipeline.account(10n);
  const clip = await makeClip(dir, { durationSeconds: DURATION_SECONDS, width: 1280, height: 720 });
  const videoId = await pipeline.uploaded(accountId, clip, { quality: '720p' });
  await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n, faults: 0 });

  const expiresAtEpochSeconds = Math.floor(Date.now() / 1000) + 3600;
  const grant = createGrant(grantKey, { accountId, videoId, viewId: randomUUID(), expiresAtEpochSeconds });
  const base = `${mediaUrl}/${grant}/${videoIdOf(videoId)}/`;
  const master = (await bytesOf(`${base}master.m3u8`)).toString();
  const named = [...master.matchAll(/^(?:[^#\n].*|#EXT-X-MEDIA:.*URI="([^"]+)".*)$/gm)];
  const renditions = new Set(named.map(([line, uri]) => uri ?? line));
  expect(new Set([...renditions].map((path) => path.split('/').at(-2)))).toEqual(
    new Set(['360p', '432p', '480p', '720p', 'audio']),
  );
  for (const rendition of renditions) {
    const path = join(dir, 'played.mp4');
    await writeFile(path, await assembled(base + rendition));
    const seconds = await ffprobe('-show_entries', 'format=duration', '-of', 'csv=p=0', path);
    expect(Number(seconds)).toBeCloseTo(DURATION_SECONDS, 0);
  }
  // Sources were lent to ffmpeg as files, which are gone.
  expect(await readdir(join(dir, 'downloads'))).toEqual([]);
});

test('an encrypted video is unreadable in the bucket, and its keys come from the service', async () => {
  const accountId = await pipeline.account(10n);
  const clip = await makeClip(dir, { name: 'secret.mp4', durationSeconds: DURATION_SECONDS });
  const videoId = await pipeline.measured(accountId, clip);
  await pipeline.buy(accountId, videoId, '480p', { encryption: true });
  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  const run = video.picturesPrefix!.split('/').at(-2)!;
  const expiresAtEpochSeconds = Math.floor(Date.now() / 1000) + 3600;
  const grant = createGrant(grantKey, { accountId, videoId, viewId: randomUUID(), expiresAtEpochSeconds });
  const address = `${mediaUrl}/${grant}/${videoIdOf(videoId)}/${run}/480p/index.m3u8`;
  const playlist = (await bytesOf(address)).toString();

  const init = /#EXT-X-MAP:URI="([^"]+)"/.exec(playlist)?.[1] ?? '';
  const parts = [await bytesOf(init)];
  const listed = [...playlist.matchAll(/#EXT-X-KEY:METHOD=AES-128,URI="([^"]+)",IV=0x(\w+)\n#EXTINF:.*\n(.+)/g)];
  expect(listed.length).toBeGreaterThan(1);
  for (const [, keyUri = '', iv = '', segment = ''] of listed) {
    expect(keyUri).toBe('../key/0');
    expect(segment.startsWith(store.links.baseUrl)).toBe(true);
    const decipher = createDecipheriv(
      'aes-128-cbc',
      await bytesOf(new URL(keyUri, address).href),
      Buffer.from(iv, 'hex'),
    );
    parts.push(decipher.update(await bytesOf(segment)), decipher.final());
  }
  const path = join(dir, 'opened.mp4');
  await writeFile(path, Buffer.concat(parts));
  const seconds = await ffprobe('-show_entries', 'format=duration', '-of', 'csv=p=0', path);
  expect(Number(seconds)).toBeCloseTo(DURATION_SECONDS, 0);
});

test('deleted videos leave the bucket', async () => {
  const accountId = await pipeline.account(10n);
  const clip = await makeClip(dir, { name: 'doomed.mp4', durationSeconds: 4 });
  const videoId = await pipeline.uploaded(accountId, clip, { quality: '480p' });
  await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  const kept = async () => [
    ...(await pipeline.keys(`videos/${accountId}/`)),
    ...(await pipeline.keys(`sources/${accountId}/`)),
  ];
  expect((await kept()).length).toBeGreaterThan(4);
  await pipeline.videos.delete(accountId, videoId);
  await until(async () => {
    await pipeline.leftovers.sweepStore();
    return (await kept()).length === 0;
  });
});
