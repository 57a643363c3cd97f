import { join } from 'node:path';

import express from 'express';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../src/adapters/transcode/ffmpegTranscoder.js';
import { masterPlaylist } from '../../src/domain/media/library/masterPlaylist.js';
import { remux } from '../support/transcoder/remux.js';
import { makeClip, mediaFolder } from '../support/media.js';
import { launchChromium, openPage } from '../support/browser/browser.js';

const HLS = join(import.meta.dirname, '../../node_modules/hls.js/dist/hls.js');
const FRAMES_PER_SECOND = 10;
const SECONDS = 16;

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

interface Seen {
  /** Of displayed frames. */
  times: number[];
  levels: number[];
  errors: string[];
  /** Where the first picture and the first sound begin that were given to the browser. */
  starts: Record<string, number>;
  ranges: [number, number][];
}

test('a player switches back and forth between a passthrough and an encoded rendition without a gap', async () => {
  await using folder = await mediaFolder();
  const source = await makeClip(folder.path, {
    durationSeconds: SECONDS,
    frameRate: `${FRAMES_PER_SECOND}`,
    // It reorders more frames than the encoder of the other rendition does.
    videoCodec: ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '40', '-bf', '5', '-force_key_frames', '3,7.4,12.1'],
  });
  const made = await remux(await createFfmpegTranscoder({ preset: 'veryfast' }), folder.path, source);
  expect(made.boundaries.length).toBeGreaterThan(3);

  const app = express();
  app.get('/master.m3u8', (_req, res) => {
    res.type('application/vnd.apple.mpegurl').send(masterPlaylist([made.top, made.low, made.sound!]));
  });
  app.get('/hls.js', (_req, res) => res.sendFile(HLS));
  app.get('/page', (_req, res) => {
    res.send('<!doctype html><title>A page</title><video muted></video><script src="/hls.js"></script>');
  });
  app.use(express.static(made.outputDir));
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const { page, complaints } = await openPage(browser, `http://127.0.0.1:${port}`, {});
  await page.goto('/page');
  const seen = await page.evaluate(playAlternating);
  await page.context().close();
  server.close();

  expect(complaints).toEqual([]);
  expect(seen.errors).toEqual([]);
  expect(new Set(seen.levels)).toEqual(new Set([0, 1]));
  // One buffered range without a gap, from the first frame on.
  expect(seen.ranges).toHaveLength(1);
  expect(seen.starts['video']).toBeCloseTo(0, 2);
  expect(Math.abs(seen.starts['audio']!)).toBeLessThan(0.04);
  expect(seen.ranges[0]![1]).toBeGreaterThan(SECONDS - 0.2);
  // Every frame at its own time, on the grid; none repeated at a boundary.
  const steps = seen.times.slice(1).map((time, index) => time - seen.times[index]!);
  expect(Math.min(...steps)).toBeGreaterThan(0.5 / FRAMES_PER_SECOND);
  for (const time of seen.times) {
    expect(Math.abs(time * FRAMES_PER_SECOND - Math.round(time * FRAMES_PER_SECOND))).toBeLessThan(0.1);
  }
  expect(seen.times.length).toBeGreaterThan(SECONDS * FRAMES_PER_SECOND * 0.5);
});

/** In the page: plays the video to its end, alternating renditions with each segment. */
function playAlternating(): Promise<Seen> {
  interface Data {
    details: string;
    frag: { level: number; type: string };
    timeRanges: Record<string, TimeRanges | undefined>;
    type: string;
  }
  interface Player {
    levels: unknown[];
    nextLoadLevel: number;
    loadSource(url: string): void;
    attachMedia(media: HTMLMediaElement): void;
    on(event: string, listener: (event: string, data: Data) => void): void;
  }
  const { Hls } = window as unknown as { Hls: new (config: object) => Player };
  const video = document.querySelector('video')!;
  const seen: Seen = { times: [], levels: [], errors: [], starts: {}, ranges: [] };
  const hls = new Hls({ startLevel: 0, maxBufferLength: 4, maxMaxBufferLength: 4 });
  hls.on('hlsFragLoaded', (_event, { frag }) => {
    if (frag.type !== 'main') return;
    seen.levels.push(frag.level);
    hls.nextLoadLevel = 1 - frag.level;
  });
  hls.on('hlsBufferAppended', (_event, { timeRanges }) => {
    for (const [type, range] of Object.entries(timeRanges)) {
      if (range && range.length > 0) seen.starts[type] ??= range.start(0);
    }
  });
  hls.on('hlsError', (_event, { details }) => seen.errors.push(details));
  const note = (_now: number, { mediaTime }: { mediaTime: number }): void => {
    seen.times.push(mediaTime);
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback(note);
  hls.loadSource('/master.m3u8');
  hls.attachMedia(video);
  void video.play();
  return new Promise((resolve) => {
    video.addEventListener('ended', () => {
      seen.ranges = Array.from({ length: video.buffered.length }, (_, index) => [
        video.buffered.start(index),
        video.buffered.end(index),
      ]);
      resolve(seen);
    });
  });
}
