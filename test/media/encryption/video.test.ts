import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { quoted } from '../../support/corpus/playlist.js';
import { faultsOf } from '../../support/corpus/playlistRules.js';
import { readStream } from '../../support/corpus/stream.js';
import { ffprobe } from '../../support/media.js';
import { decrypted, EncryptionScene, type Video } from '../../support/encryption/scene.js';

const DURATION_SECONDS = 13;
let scene: EncryptionScene;
let video: Video;

beforeAll(async () => {
  scene = await EncryptionScene.start({ segmentsPerKey: 2 });
  video = await scene.video({ quality: '720p', durationSeconds: DURATION_SECONDS });
});
afterAll(() => scene.stop());

test('the key that a playlist names decrypts every segment to the bytes that were encoded', async () => {
  expect(video.renditions).toEqual(['720p', '480p', '432p', '360p', 'audio']);
  for (const rendition of video.renditions) {
    const { init, segments } = await scene.listed(video, rendition);
    expect(segments.length).toBeGreaterThan(2);
    const clear = [await scene.stored(video, `${rendition}/${init}`)];
    for (const segment of segments) {
      const stored = await scene.stored(video, `${rendition}/${segment.file}`);
      const opened = decrypted(stored, await scene.keyOf(video, rendition, segment), segment.iv);
      expect(opened.equals(await readFile(join(scene.clearOf(video), rendition, segment.file)))).toBe(true);
      clear.push(opened);
    }
    const path = join(scene.dir, `${rendition}.mp4`);
    await writeFile(path, Buffer.concat(clear));
    const seconds = await ffprobe('-show_entries', 'format=duration', '-of', 'csv=p=0', path);
    expect(Math.abs(Number(seconds) - DURATION_SECONDS)).toBeLessThan(0.2);
  }
});

test('a player that decrypts the segments reads a stream without faults', async () => {
  const base = `${scene.base(video)}/`;
  const get = async (address: string | URL): Promise<Buffer> => {
    const answer = await fetch(address);
    expect(answer.status).toBe(200);
    return Buffer.from(await answer.arrayBuffer());
  };
  const stream = await readStream(
    (uri) => get(base + uri),
    async (bytes, key, playlist) => {
      const bits = await get(new URL(quoted(key.get('URI'))!, base + playlist));
      return decrypted(bytes, bits, Buffer.from(key.get('IV')!.slice(2), 'hex'));
    },
  );
  const segments = stream.media.flatMap((media) => media.segments);
  expect(new Set(segments.map(({ key }) => key?.get('METHOD')))).toEqual(new Set(['AES-128']));
  expect(faultsOf(stream)).toEqual([]);
});

test('stored segments are unreadable as MP4, except the init segment', async () => {
  for (const rendition of video.renditions) {
    const { init, segments } = await scene.listed(video, rendition);
    expect((await scene.stored(video, `${rendition}/${init}`)).includes('moov')).toBe(true);
    for (const { file } of segments) {
      const stored = await scene.stored(video, `${rendition}/${file}`);
      const clear = await readFile(join(scene.clearOf(video), rendition, file));
      for (const box of ['moof', 'mfhd', 'traf', 'mdat']) {
        const at = clear.indexOf(box);
        expect(at).toBeGreaterThan(0);
        // With its length in front: the four letters alone also occur in noise.
        expect(stored.includes(clear.subarray(at - 4, at + 4))).toBe(false);
      }
      expect(stored.length).toBe(clear.length - (clear.length % 16) + 16);
    }
  }
});

test('the I-frame track is clear, like the storyboard', async () => {
  const stored = await scene.stored(video, 'storyboard/iframes.mp4');
  expect(stored.equals(await readFile(join(scene.clearOf(video), 'storyboard/iframes.mp4')))).toBe(true);
  const master = await (await fetch(`${scene.base(video)}/master.m3u8`)).text();
  expect(master.match(/#EXT-X-I-FRAME-STREAM-INF.*/g)).toEqual([expect.stringContaining('/storyboard/iframes.m3u8"')]);
});

test('keys change within the video, are the same for all renditions, and no initialization vector is used twice', async () => {
  const vectors = new Set<string>();
  let count = 0;
  for (const rendition of video.renditions) {
    const { text, segments } = await scene.listed(video, rendition);
    expect(text.indexOf('#EXT-X-MAP')).toBeLessThan(text.indexOf('#EXT-X-KEY'));
    expect(segments.map(({ keyUri }) => keyUri)).toEqual(
      segments.map((_segment, index) => `../key/${Math.floor(index / 2)}`),
    );
    for (const { iv } of segments) vectors.add(iv.toString('hex'));
    count += segments.length;
  }
  expect(vectors.size).toBe(count);
  const keys = await Promise.all([0, 1].map(async (index) => (await fetch(scene.keyUrl(video, index))).arrayBuffer()));
  expect(Buffer.from(keys[0]!).equals(Buffer.from(keys[1]!))).toBe(false);
  expect((await fetch(scene.keyUrl(video, 2))).status).toBe(404);
});

test('sizes and bitrates are those of the encrypted bytes', async () => {
  const { pipeline } = scene;
  let stored = 0;
  for (const prefix of ['videos', 'sources']) {
    for await (const { sizeBytes } of pipeline.store.list(`${prefix}/${video.accountId}/`)) stored += sizeBytes;
  }
  const [row] = await pipeline.db.sql.query<{ bytes: string }>(
    { name: 'test-stored', text: 'select sum(size_bytes) as bytes from stored_object where account_id = $1' },
    [video.accountId],
  );
  expect(Number(row!.bytes)).toBe(stored);

  const [renditions] = await pipeline.parts.renditions(video.accountId, [video.videoId]);
  for (const { quality, sizeBytes, bitrate } of renditions!) {
    const { init, segments, text } = await scene.listed(video, quality);
    const sizes = await Promise.all(
      segments.map(async ({ file }) => (await scene.stored(video, `${quality}/${file}`)).length),
    );
    const initBytes = (await scene.stored(video, `${quality}/${init}`)).length;
    const playlistBytes = (await scene.stored(video, `${quality}/index.m3u8`)).length;
    expect(Number(sizeBytes)).toBe(sizes.reduce((sum, size) => sum + size, initBytes + playlistBytes));
    const durations = [...text.matchAll(/^#EXTINF:([\d.]+)/gm)].map(([, seconds]) => Number(seconds));
    const rates = sizes.slice(0, -1).map((size, index) => (size * 8) / durations[index]!);
    expect(bitrate).toBeGreaterThanOrEqual(Math.floor(Math.max(...rates)));
  }
});

test('the add-on is charged to the micro-credit', async () => {
  const stored = await scene.pipeline.videos.get(video.accountId, video.videoId);
  expect(stored).toMatchObject({ encryption: true, quality: '720p' });
  const priceMicros = (stored.durationMs! * 2_000_000n) / 60_000n;
  expect(await scene.pipeline.books(video.accountId)).toEqual({
    creative: 10_000_000n - priceMicros,
    escrow: 0n,
    revenue: priceMicros,
    faults: 0,
  });
});

test('a video without the add-on has no key, and its segments are clear', async () => {
  const plain = await scene.video({ durationSeconds: 4, encryption: false });
  const { text, segments } = await scene.listed(plain, '480p');
  expect(text).not.toContain('EXT-X-KEY');
  expect((await scene.stored(plain, `480p/${segments[0]!.file}`)).includes('moof')).toBe(true);
  expect((await fetch(scene.keyUrl(plain))).status).toBe(404);
});

test('keys are never logged', async () => {
  const key = Buffer.from(await (await fetch(scene.keyUrl(video))).arrayBuffer());
  const lines = scene.logLines.join('\n');
  expect(lines).toContain('video ready');
  for (const spelling of ['hex', 'base64', 'base64url', 'latin1'] as const) {
    expect(lines).not.toContain(key.toString(spelling));
  }
});
