import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { makeClip, makeSilence } from '../../support/media.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { IS_FULL } from '../../support/effort.js';

const CREDIT = 1_000_000n;
const SILENCE_SECONDS = IS_FULL ? 3 * 3600 : 20 * 60;

const { pipeline, dir } = await sceneOfFile({ works: true });
const clip = await makeClip(dir, { name: 'good.mp4', durationSeconds: 4 });

test.each([
  ['an empty file', () => Buffer.alloc(0)],
  ['text with the name of a video', () => Buffer.from('just some words, again and again\n'.repeat(500))],
  ['noise', () => Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251))],
  ['a video cut off in its first half', async () => (await readFile(clip)).subarray(0, 5000)],
])('%s is refused with a reason, costs nothing, and leaves nothing behind', async (_, content) => {
  const accountId = await pipeline.account(10n);
  const path = await fileOf(await content());
  const videoId = await pipeline.uploaded(accountId, path, { quality: '480p' });

  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'failed');
  expect(video.failureCode).toBe('UNUSABLE_SOURCE');
  expect(video.failureMessage).toMatch(/^[A-Z].{15,}\.$/s);
  expect(video.failureMessage).not.toContain(dir);
  expect(await pipeline.books(accountId)).toEqual({ creative: 10n * CREDIT, escrow: 0n, revenue: 0n, faults: 0 });
  await expect(pipeline.buy(accountId, videoId, '480p')).rejects.toMatchObject({ code: 'INVALID_STATE' });

  await pipeline.leftovers.sweepStore();
  expect(await pipeline.keys(`sources/${accountId}/`)).toEqual([]);
  await worksStill();
});

test('a playlist with a video’s name opens neither files nor addresses', async () => {
  const asked: string[] = [];
  const server = await listening((url) => asked.push(url));
  const { port } = server.address() as AddressInfo;
  const accountId = await pipeline.account(10n);
  for (const target of [`http://127.0.0.1:${port}/video.ts`, `file://${clip}`, clip]) {
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${target}\n#EXT-X-ENDLIST\n`;
    const videoId = await pipeline.uploaded(accountId, await fileOf(Buffer.from(playlist)), { quality: '480p' });
    const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'failed');
    expect(video.failureCode).toBe('UNUSABLE_SOURCE');
  }
  expect(asked).toEqual([]);
  server.close();
  expect((await pipeline.books(accountId)).creative).toBe(10n * CREDIT);
  await worksStill();
});

test('a video whose end is missing fails or plays, with its escrow resolved', async () => {
  const accountId = await pipeline.account(10n);
  // Its index comes first, so it looks complete until it is read.
  const whole = await makeClip(dir, {
    name: 'faststart.mp4',
    durationSeconds: 20,
    videoCodec: ['-c:v', 'libx264', '-preset', 'ultrafast', '-movflags', '+faststart'],
  });
  const bytes = await readFile(whole);
  const path = await fileOf(bytes.subarray(0, Math.floor(bytes.length * 0.4)));
  const videoId = await pipeline.uploaded(accountId, path, { quality: '480p' });

  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'failed' || status === 'ready');
  if (video.status === 'failed') expect(video.failureMessage).toMatch(/^[A-Z].{15,}\.$/s);
  const books = await pipeline.books(accountId);
  expect(books).toMatchObject({ escrow: 0n, faults: 0 });
  expect(books.creative + books.revenue).toBe(10n * CREDIT);
  expect(books.revenue > 0n).toBe(video.status === 'ready');
  await worksStill();
});

test('a video of one frame becomes a video of one frame', async () => {
  const accountId = await pipeline.account(10n);
  const path = await makeClip(dir, { name: 'frame.mp4', durationSeconds: 0.04, audio: null });
  const videoId = await pipeline.uploaded(accountId, path, { quality: '480p' });

  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready' || status === 'failed');
  expect(video).toMatchObject({ status: 'ready', playableRungs: ['480p', '360p'] });
  expect(await pipeline.books(accountId)).toMatchObject({
    escrow: 0n,
    revenue: (video.durationMs! * CREDIT) / 60_000n,
    faults: 0,
  });
});

test('hours of silence are processed and charged as sound', async () => {
  const accountId = await pipeline.account(100n);
  const path = await makeSilence(dir, { name: 'silence.mp3', durationSeconds: SILENCE_SECONDS });
  const videoId = await pipeline.uploaded(accountId, path, { quality: '1080p' });

  const video = await pipeline.until(
    accountId,
    videoId,
    ({ status }) => status === 'ready' || status === 'failed',
    240_000,
  );
  expect(video).toMatchObject({ status: 'ready', quality: 'audio', playableRungs: ['audio'] });
  expect(Math.round(Number(video.durationMs) / 1000)).toBe(SILENCE_SECONDS);
  expect(await pipeline.books(accountId)).toMatchObject({
    escrow: 0n,
    revenue: (video.durationMs! * 250_000n) / 60_000n,
    faults: 0,
  });
});

test('a video that cannot be processed fails with a reason, returns all credits, and can be retried', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, clip);
  const { sourceKey } = await pipeline.videos.get(accountId, videoId);
  // The file is damaged after it was measured.
  await pipeline.store.putFile(sourceKey!, await fileOf(Buffer.from('no video any more'.repeat(100))));
  await pipeline.buy(accountId, videoId, '480p');

  const failed = await pipeline.until(accountId, videoId, ({ status }) => status === 'failed');
  expect(failed.failureMessage).toMatch(/^[A-Z].{15,}\.$/s);
  expect(await pipeline.books(accountId)).toEqual({ creative: 10n * CREDIT, escrow: 0n, revenue: 0n, faults: 0 });
  await pipeline.leftovers.sweepStore();
  expect(await pipeline.keys(`videos/${accountId}/`)).toEqual([]);

  await pipeline.store.putFile(sourceKey!, await fileOf(await readFile(clip)));
  await pipeline.processing.retry(accountId, videoId);
  const ready = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(ready).toMatchObject({ attempt: 2, failureCode: null, failureMessage: null });
});

let files = 0;

async function fileOf(content: Buffer): Promise<string> {
  files += 1;
  const path = join(dir, `bad-${files}.mp4`);
  await writeFile(path, content);
  return path;
}

/** The worker that met the bad file processes the next good one. */
async function worksStill(): Promise<void> {
  const accountId = await pipeline.account(1n);
  const videoId = await pipeline.uploaded(accountId, clip);
  await pipeline.until(accountId, videoId, ({ durationMs }) => durationMs !== null);
}

async function listening(heard: (url: string) => void): Promise<Server> {
  const server = createServer((req, res) => {
    heard(req.url ?? '');
    res.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}
