import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { planStoryboard, storyboardVtt } from '../../../src/adapters/transcode/pictures/storyboard.js';
import { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { parseVtt, type Cue } from '../../../src/player/vtt.js';
import { ffprobe, makeClip, makeSound } from '../../support/media.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';

const { pipeline, dir } = await sceneOfFile({ works: true });

async function made(accountId: string, path: string) {
  const videoId = await pipeline.uploaded(accountId, path, { quality: '480p' });
  return pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
}

async function bytesOf(key: string): Promise<Buffer> {
  const { body } = (await pipeline.store.get(key))!;
  return Buffer.concat(await body.toArray());
}

async function urlOf(accountId: string, videoId: string): Promise<string | null> {
  const options = { db: pipeline.db, masterKey: randomBytes(32), publicUrl: 'https://dhara.example' };
  await pipeline.db.sql.query({ name: 'test-no-keys', text: 'delete from playback_signing_key' });
  const playback = await PlaybackService.open(options);
  try {
    const { token } = await playback.previewToken(accountId, videoId);
    const { url, storyboardUrl } = await playback.manifest(token);
    if (storyboardUrl !== null) expect(storyboardUrl.split('/').slice(0, 6)).toEqual(url.split('/').slice(0, 6));
    return storyboardUrl;
  } finally {
    playback.close();
  }
}

interface Tile {
  file: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

function tileOf({ text }: Cue): Tile {
  const [, file = '', ...numbers] = /^(sheet_\d+\.jpg)#xywh=(\d+),(\d+),(\d+),(\d+)$/.exec(text) ?? [];
  const [x = -1, y = -1, width = 0, height = 0] = numbers.map(Number);
  return { file, x, y, width, height };
}

async function sizeOf(bytes: Buffer): Promise<{ width: number; height: number }> {
  const path = join(dir, `${randomBytes(4).toString('hex')}.jpg`);
  await writeFile(path, bytes);
  const [width = 0, height = 0] = (await ffprobe('-show_entries', 'stream=width,height', '-of', 'csv=p=0', path))
    .trim()
    .split(',')
    .map(Number);
  return { width, height };
}

test('a video has thumbnails along its timeline, each inside its sheet, and a moving preview', async () => {
  const accountId = await pipeline.account(20n);
  // 90 s at two seconds each: more than one sheet.
  const clip = await makeClip(dir, { name: 'long.mp4', durationSeconds: 90, width: 192, height: 108 });
  const video = await made(accountId, clip);
  const storyboardUrl = await urlOf(accountId, video.id);
  const prefix = video.picturesPrefix!;
  expect(storyboardUrl).toMatch(new RegExp(`/${prefix.split('/').at(-2)}/storyboard/index\\.vtt$`));

  const cues = parseVtt((await bytesOf(`${prefix}storyboard/index.vtt`)).toString());
  expect(cues).toHaveLength(45);
  expect(cues[0]!.startSeconds).toBe(0);
  for (const [index, cue] of cues.slice(1).entries()) expect(cue.startSeconds).toBe(cues[index]!.endSeconds);
  expect(Math.abs(cues.at(-1)!.endSeconds - 90)).toBeLessThan(0.2);

  const tiles = cues.map(tileOf);
  const sizes = new Map<string, { width: number; height: number }>();
  for (const file of new Set(tiles.map((tile) => tile.file))) {
    sizes.set(file, await sizeOf(await bytesOf(`${prefix}storyboard/${file}`)));
  }
  expect([...sizes.keys()]).toEqual(['sheet_1.jpg', 'sheet_2.jpg']);
  for (const { file, x, y, width, height } of tiles) {
    expect([width, height]).toEqual([160, 90]);
    expect(x + width).toBeLessThanOrEqual(sizes.get(file)!.width);
    expect(y + height).toBeLessThanOrEqual(sizes.get(file)!.height);
  }
  expect(new Set(cues.map(({ text }) => text)).size).toBe(45);

  const preview = await bytesOf(`${prefix}storyboard/preview.webp`);
  expect(preview.subarray(8, 16).toString('latin1')).toBe('WEBPVP8X');
  expect(preview.toString('latin1').split('ANMF')).toHaveLength(11);
  expect(preview.length).toBeLessThan(500_000);

  const keys = await pipeline.keys(`${prefix}storyboard/`);
  expect(keys.map((key) => key.split('/').at(-1))).toEqual([
    'iframes.m3u8',
    'iframes.mp4',
    'index.vtt',
    'preview.webp',
    'sheet_1.jpg',
    'sheet_2.jpg',
  ]);
  let stored = 0;
  for await (const { sizeBytes } of pipeline.store.list(`${prefix}storyboard/`)) stored += sizeBytes;
  const counted = await pipeline.db.sql.query<{ size_bytes: string }>(
    { name: 'test-unit', text: 'select size_bytes from stored_object where account_id = $1 and key = $2' },
    [accountId, `${prefix}storyboard/`],
  );
  expect(counted).toEqual([{ size_bytes: String(stored) }]);

  await pipeline.videos.delete(accountId, video.id);
  await pipeline.leftovers.sweepStore();
  expect(await pipeline.keys(prefix)).toEqual([]);
});

test('audio-only and very short videos have no storyboard', async () => {
  const accountId = await pipeline.account(20n);
  const sound = await makeSound(dir, { name: 'tone.mp3', durationSeconds: 8 });
  const moment = await makeClip(dir, { name: 'moment.mp4', durationSeconds: 2 });
  for (const path of [sound, moment]) {
    const video = await made(accountId, path);
    expect(await pipeline.keys(`${video.picturesPrefix!}storyboard/`)).toEqual([]);
    expect(await urlOf(accountId, video.id)).toBeNull();
  }
});

describe('a plan', () => {
  const video = (durationSeconds: number, displayWidth = 1920, displayHeight = 1080) =>
    planStoryboard({
      durationMs: durationSeconds * 1_000,
      video: { displayWidth, displayHeight } as Parameters<typeof planStoryboard>[0]['video'],
    })!;

  test.each([5, 7.5, 20, 71.9, 288, 289, 5_400, 43_200])('of %d s is bounded and covers the video', (seconds) => {
    const plan = video(seconds);
    expect(plan.tiles).toBeLessThanOrEqual(144);
    expect(plan.tiles * plan.intervalSeconds).toBeGreaterThanOrEqual(seconds - 0.001);
    expect((plan.tiles - 1) * plan.intervalSeconds).toBeLessThan(seconds);
    const cues = parseVtt(storyboardVtt(plan, { tiles: plan.tiles, durationMs: seconds * 1_000 }));
    expect(cues).toHaveLength(plan.tiles);
    expect(cues.at(-1)!.endSeconds).toBeCloseTo(seconds, 2);
    const sheets = Math.ceil(plan.tiles / (plan.columns * plan.rows));
    expect(cues.at(-1)!.text).toMatch(new RegExp(`^sheet_${sheets}\\.jpg#`));
  });

  test.each([
    [1920, 1080, 160, 90],
    [1080, 1920, 90, 160],
    [100, 50, 100, 50],
    [8192, 8, 160, 2],
  ])('of %d × %d has tiles of %d × %d', (width, height, tileWidth, tileHeight) => {
    expect(video(60, width, height)).toMatchObject({ tileWidth, tileHeight });
  });
});
