import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import express from 'express';
import { Parser } from 'm3u8-parser';
import { pino } from 'pino';
import { expect, test } from 'vitest';

import { createDelivery } from '../../../src/api/delivery/router.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { createGrant } from '../../../src/domain/playback/grants.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import { launchChromium, openPage } from '../../support/browser/browser.js';
import { WAIT_MS } from '../../support/deadlines.js';
import { ffmpeg } from '../../support/media.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';

const HLS = join(import.meta.dirname, '../../../node_modules/hls.js/dist/hls.js');

const { pipeline, dir } = await sceneOfFile({ works: true });

/** A video in two languages, with a commentary; each is a different tone. */
async function twoLanguages(): Promise<string> {
  const path = join(dir, 'video.mkv');
  const tones = [400, 1000, 2500].flatMap((hz) => ['-f', 'lavfi', '-i', `sine=frequency=${hz}:duration=20`]);
  await ffmpeg(
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=64x36:rate=10:duration=20',
    ...tones,
    '-map',
    '0',
    '-map',
    '1',
    '-map',
    '2',
    '-map',
    '3',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-c:a',
    'aac',
    '-metadata:s:a:0',
    'language=eng',
    '-metadata:s:a:1',
    'language=hin',
    '-metadata:s:a:2',
    'language=eng',
    '-disposition:a:0',
    'default',
    '-disposition:a:2',
    'comment',
    path,
  );
  return path;
}

test('all tracks are made, counted, encrypted and offered, and a player that switches plays the other one', async () => {
  const accountId = await pipeline.account(20n);
  const videoId = await pipeline.measured(accountId, await twoLanguages());
  const choice = { quality: '480p' as const, branding: false, encryption: true, normalizeLoudness: true };
  const { id, totalMicros } = await pipeline.processing.quote(accountId, videoId, choice);
  expect(
    (await pipeline.processing.quote(accountId, videoId, { ...choice, normalizeLoudness: false })).totalMicros,
  ).toBe(totalMicros);
  await pipeline.processing.process(accountId, id);
  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(video).toMatchObject({ playableRungs: ['480p', '360p', 'audio'], normalizeLoudness: true });

  const [rows = []] = await pipeline.parts.renditions(accountId, [videoId]);
  expect(rows.map(({ quality, track, language, label }) => [quality, track, language, label])).toEqual([
    ['480p', 1, null, null],
    ['360p', 1, null, null],
    ['audio', 1, 'en', 'English'],
    ['audio', 2, 'hi', 'हिन्दी'],
    ['audio', 3, 'en', 'English (commentary)'],
  ]);
  const counted = await pipeline.db.sql.query<{ key: string }>(
    {
      name: 'test-counted-sound',
      text: `select key from stored_object where account_id = $1 and video_id = $2 and key like '%/audio%'`,
    },
    [accountId, videoId],
  );
  expect(new Set(counted.map(({ key }) => key.split('/').at(-2)))).toEqual(new Set(['audio', 'audio-2', 'audio-3']));

  const published = new PublishedMedia(pipeline.db.sql);
  const parser = new Parser();
  parser.push((await published.masterPlaylist(accountId, videoId))!);
  parser.end();
  const { mediaGroups } = parser.manifest as {
    mediaGroups: { AUDIO: { audio: Record<string, { language: string; default: boolean }> } };
  };
  expect(Object.entries(mediaGroups.AUDIO.audio).map(([name, track]) => [name, track.language, track.default])).toEqual(
    [
      ['English', 'en', true],
      ['हिन्दी', 'hi', false],
      ['English (commentary)', 'en', false],
    ],
  );

  const heard = await hearEach(accountId, videoId, published);
  expect(heard.names).toEqual(['English', 'हिन्दी', 'English (commentary)']);
  for (const [index, hz] of [400, 1000, 2500].entries()) expect(Math.abs(heard.hz[index]! - hz)).toBeLessThan(60);
});

/** Plays the video in Chromium, one track after the other. */
async function hearEach(accountId: string, videoId: string, published: PublishedMedia) {
  const grantKey = randomBytes(32);
  const { store, mediaKeys } = pipeline;
  const logger = pino({ level: 'silent' });
  const app = express();
  app.use('/media', createDelivery({ media: published, store, mediaKeys, grantKey, logger }).router);
  app.get('/hls.js', (_req, res) => res.sendFile(HLS));
  app.get('/page', (_req, res) => {
    res.send('<!doctype html><title>A page</title><button>Play</button><video></video><script src="/hls.js"></script>');
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const browser = await launchChromium();
  try {
    const expiresAtEpochSeconds = Math.floor(Date.now() / 1000) + 3600;
    const grant = createGrant(grantKey, { accountId, videoId, viewId: accountId, expiresAtEpochSeconds });
    const { page, complaints } = await openPage(browser, `http://127.0.0.1:${port}`);
    await page.goto('/page');
    // Sound requires a user gesture on the page.
    await page.getByRole('button').click();
    const heard = await page.evaluate(listen, {
      address: `/media/${grant}/${videoIdOf(videoId)}/master.m3u8`,
      waitMs: WAIT_MS,
    });
    expect(complaints).toEqual([]);
    return heard;
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

/** In the page: the loudest frequency of each track. */
async function listen({
  address,
  waitMs,
}: {
  address: string;
  waitMs: number;
}): Promise<{ names: string[]; hz: number[] }> {
  interface Player {
    audioTracks: { name: string }[];
    audioTrack: number;
    loadSource(url: string): void;
    attachMedia(media: HTMLMediaElement): void;
    once(event: string, listener: () => void): void;
  }
  const { Hls } = window as unknown as { Hls: new (config: object) => Player };
  const video = document.querySelector('video')!;
  video.loop = true;
  const hls = new Hls({});
  const parsed = new Promise<void>((resolve) => hls.once('hlsManifestParsed', resolve));
  hls.loadSource(address);
  hls.attachMedia(video);
  await parsed;
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = 4096;
  analyser.smoothingTimeConstant = 0;
  context.createMediaElementSource(video).connect(analyser).connect(context.destination);
  await context.resume();
  await video.play();
  const bins = new Float32Array(analyser.frequencyBinCount);
  const loudestHz = (): number => {
    analyser.getFloatFrequencyData(bins);
    const loudest = bins.indexOf(Math.max(...bins));
    return bins[loudest]! < -60 ? 0 : (loudest * context.sampleRate) / analyser.fftSize;
  };
  const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
  const hz: number[] = [];
  for (const [index] of hls.audioTracks.entries()) {
    hls.audioTrack = index;
    // Buffered sound of the last track plays on. Wait until it changes.
    const until = performance.now() + waitMs;
    let now = loudestHz();
    while ((now === 0 || hz.some((other) => Math.abs(other - now) < 60)) && performance.now() < until) {
      await nextFrame();
      now = loudestHz();
    }
    hz.push(now);
  }
  return { names: hls.audioTracks.map(({ name }) => name), hz };
}
