import { rm, writeFile } from 'node:fs/promises';

import { Parser } from 'm3u8-parser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchChromium, openPage } from '../../support/browser/browser.js';
import { EncryptionScene } from '../../support/encryption/scene.js';
import { ffprobe } from '../../support/media.js';
import { playByHls, playByShaka, scanByShaka, servePlayers } from './playersPage.js';
import { faultsOf } from '../../support/corpus/playlistRules.js';
import type { Source } from './source.js';
import { makeSource, SOURCES } from './sources.js';
import { IS_FULL, usually } from '../../support/effort.js';
import { readStream, type MediaPlaylist, type Stream } from '../../support/corpus/stream.js';
import { delays } from './sync.js';
import { LONG_WAIT_MS, TEST_MS } from '../../support/deadlines.js';

/** The source whose keyframes a player scans. */
const SCANNED = 'h264.ts';
const SYNC_SECONDS = 0.04;
/** Everything waits for the single worker, which spends many minutes on two hours of video. */
const READY_MS = IS_FULL ? 2_700_000 : LONG_WAIT_MS;
const CHECKED_MS = READY_MS + (IS_FULL ? 1_800_000 : TEST_MS);
/** The length of one AAC frame, the unit of sound. */
const AUDIO_FRAME_SECONDS = 1024 / 48_000;
/** One of each kind: codecs, containers, frame rates, shapes, sounds, start times. */
const USUAL = [
  'h264.ts',
  'hevc.mp4',
  'hevc, 1080p.mp4',
  'vp9.webm',
  'av1.mp4',
  'mpeg2.ts',
  'prores.mov',
  'mjpeg.avi',
  '29.97.mov',
  '120, halved.mp4',
  'a full ladder.mp4',
  'a keyframe every two seconds.mp4',
  'variable.mp4',
  'interlaced.ts',
  'turned by 90.mp4',
  'odd sizes.mkv',
  'hdr10.mp4',
  '5.1.mp4',
  'sound.mp3',
  'several tracks.mkv',
  'starts at an hour.ts',
  'sound late.mkv',
  'two hours.mp4',
];

let scene: EncryptionScene;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  // Nothing is kept outside the store: the corpus is large.
  [scene, browser] = await Promise.all([
    EncryptionScene.start({ onEncoded: () => Promise.resolve() }),
    launchChromium(),
  ]);
  servePlayers(scene.app);
  ({ page } = await openPage(browser, scene.url));
  await page.goto('/players');
});
afterAll(async () => {
  await browser?.close();
  await scene?.stop();
});

/** Uploaded, measured, bought and processed, as an owner would. */
async function processed(path: string): Promise<{ accountId: string; videoId: string }> {
  const { pipeline } = scene;
  const accountId = await pipeline.account(1_000n);
  const videoId = await pipeline.uploaded(accountId, path, { quality: '2160p' });
  const video = await pipeline.until(
    accountId,
    videoId,
    ({ status, failureCode }) => status === 'ready' || status === 'failed' || failureCode !== null,
    READY_MS,
  );
  expect([video.status, video.failureMessage]).toEqual(['ready', null]);
  return { accountId, videoId };
}

/** Checks that the video was made in the way that its source is meant to test. */
async function expectMaking({ accountId, videoId }: Awaited<ReturnType<typeof processed>>, source: Source) {
  if (source.copied) {
    const [renditions = []] = await scene.pipeline.parts.renditions(accountId, [videoId]);
    const copied = renditions.filter(({ receipt }) => receipt?.profile === 'copied');
    expect(copied.map(({ quality }) => quality)).toEqual(source.copied);
    expect(copied.length).toBeLessThan(renditions.length);
  }
  if (source.inChunks) {
    expect(scene.logLines.filter((line) => line.includes(videoId) && line.includes('chunks joined'))).not.toEqual([]);
  }
}

async function fetched(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`${answer.status} for ${url}`);
  return Buffer.from(await answer.arrayBuffer());
}

const lengthOf = ({ segments, ticksPerSecond }: MediaPlaylist): number => {
  const [first, last] = [segments[0]!.times, segments.at(-1)!.times];
  return (last.presentationEnd - first.presentationStart) / ticksPerSecond;
};

/**
 * A video lasts as long as its picture, to the frame. Sound begins and ends at frames of its codec, the source's and
 * ours.
 */
function expectDuration(stream: Stream, { framesPerSecond, durationSeconds = 8 }: Source): void {
  const videos = stream.media.filter(({ kind }) => kind !== 'subtitles');
  for (const media of videos) {
    const slack = media.kind === 'video' ? 1 / (framesPerSecond ?? 1) : 3 * AUDIO_FRAME_SECONDS;
    const off = Math.abs(lengthOf(media) - durationSeconds);
    // A container's own clock may be as coarse as a millisecond.
    expect(off, `${media.uri} is off by ${off} s`).toBeLessThan(slack + 0.002);
  }
}

interface ParsedByAnother {
  segments?: unknown[];
  playlists?: unknown[];
  iFramePlaylists?: unknown[];
  endList?: boolean;
}

/** An independent parser finds the same segments in every playlist as ours. */
async function expectParsed(stream: Stream, base: string): Promise<void> {
  const parse = async (uri: string): Promise<ParsedByAnother> => {
    const parser = new Parser();
    parser.push((await fetched(`${base}/${uri}`)).toString('utf8'));
    parser.end();
    return parser.manifest as ParsedByAnother;
  };
  const master = await parse('master.m3u8');
  expect(master.playlists).toHaveLength(stream.variants.length);
  expect(master.iFramePlaylists).toHaveLength(stream.keyFrames.length);
  for (const { uri, segments } of stream.keyFrames) {
    expect(await parse(uri)).toMatchObject({
      iFramesOnly: true,
      segments: segments.map(({ sizeBytes }) => ({ byterange: { length: sizeBytes } })),
    });
  }
  for (const media of stream.media) {
    expect(await parse(media.uri)).toMatchObject({ endList: true, segments: { length: media.listed.length } });
  }
}

/** Checks each keyframe alone: a decoder needs only the init segment and the frame's bytes. */
async function expectKeyFrames(stream: Stream, path: string): Promise<void> {
  for (const { init, segments } of stream.keyFrames) {
    const { bytes } = segments.at(-1)!;
    const file = `${path}.frame.mp4`;
    await writeFile(file, Buffer.concat([init, bytes]));
    const shown = await ffprobe('-count_frames', '-show_entries', 'frame=pict_type', '-of', 'csv=p=0', file);
    expect(shown.trim().replace(',', '')).toBe('I');
    await rm(file);
  }
}

async function expectSync(path: string, stream: Stream, base: string, durationSeconds: number): Promise<void> {
  const pictures = stream.media.filter(({ kind }) => kind === 'video');
  const sound = stream.media.find(({ kind }) => kind === 'audio');
  if (sound === undefined) return;
  const wanted = await delays(path, path);
  for (const picture of pictures) {
    const start = picture.segments[0]!.times.presentationStart / picture.ticksPerSecond;
    const got = await delays(`${base}/${picture.uri}`, `${base}/${sound.uri}`, start);
    expect(got.length).toBeGreaterThanOrEqual(durationSeconds < 8 ? 2 : 3);
    expect(Math.abs(got.length - wanted.length)).toBeLessThanOrEqual(1);
    for (const [index, delay] of got.slice(0, wanted.length).entries()) {
      expect(Math.abs(delay - wanted[index]!)).toBeLessThan(SYNC_SECONDS);
    }
  }
}

describe.concurrent('every kind of file', () => {
  test.each(usually(SOURCES, ({ name }) => name, USUAL))(
    '$name is processed, obeys the rules, and plays',
    { timeout: CHECKED_MS },
    async (source) => {
      const path = await makeSource(scene.dir, source);
      const video = await processed(path);
      await expectMaking(video, source);
      const base = scene.base(video);
      const stream = await readStream((uri) => fetched(`${base}/${uri}`));

      expect(stream.variants.length).toBeGreaterThan(0);
      expect(faultsOf(stream)).toEqual([]);
      expectDuration(stream, source);
      await expectParsed(stream, base);
      await expectKeyFrames(stream, path);
      const { durationSeconds = 8 } = source;
      if (source.framesPerSecond !== null) await expectSync(path, stream, base, durationSeconds);

      for (const play of [playByHls, playByShaka]) {
        const played = await play(page, `${base}/master.m3u8`, durationSeconds);
        expect(played).toMatchObject({ errors: [] });
        expect(played.variants).toBeGreaterThan(0);
        expect(Math.abs(played.durationSeconds - durationSeconds)).toBeLessThan(
          1 / (source.framesPerSecond ?? 40) + 0.1,
        );
      }
      if (source.name === SCANNED) {
        const scan = await scanByShaka(page, `${base}/master.m3u8`, durationSeconds);
        expect(scan).toMatchObject({ errors: [] });
        // Shaka scans the rendition that it chose.
        const last = stream.keyFrames.map(({ segments }) => segments.at(-1)!);
        const ranges = last.map(({ offset, sizeBytes }) => `bytes=${offset}-${offset + sizeBytes - 1}`);
        expect(scan.ranges.filter((range) => ranges.includes(range))).not.toEqual([]);
      }
      await rm(path);
    },
  );
});
