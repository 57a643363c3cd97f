import { join } from 'node:path';

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { launchChromium, openPage } from '../../support/browser/browser.js';
import { EncryptionScene, type Video } from '../../support/encryption/scene.js';

const MODULES = join(import.meta.dirname, '../../../node_modules');
let scene: EncryptionScene;
let video: Video;
let browser: Browser;

beforeAll(async () => {
  [scene, browser] = await Promise.all([EncryptionScene.start({ segmentsPerKey: 1 }), launchChromium()]);
  scene.app.get('/hls.js', (_req, res) => res.sendFile(join(MODULES, 'hls.js/dist/hls.js')));
  scene.app.get('/shaka.js', (_req, res) => res.sendFile(join(MODULES, 'shaka-player/dist/shaka-player.compiled.js')));
  scene.app.get('/page/:player', (req, res) => {
    res.send(`<!doctype html><title>A page</title><video muted width="640"></video><script src="/${req.params.player}.js">
      </script>`);
  });
  video = await scene.video({ durationSeconds: 13 });
});
afterAll(async () => {
  await browser.close();
  await scene.stop();
});

/** A page with one player library, and the keys that it fetches. */
async function openPlayer(player: 'hls' | 'shaka'): Promise<{ page: Page; complaints: string[]; keys: string[] }> {
  const { page, complaints } = await openPage(browser, scene.url);
  const keys: string[] = [];
  page.on('response', (response) => {
    const [, index] = /\/key\/(\d+)$/.exec(response.url()) ?? [];
    if (index !== undefined) keys.push(`${index}: ${response.status()}`);
  });
  await page.goto(`/page/${player}`);
  return { page, complaints, keys };
}

/** Seeks and plays until two more seconds were shown. */
async function playFrom(page: Page, seconds: number): Promise<void> {
  await page.evaluate(async (from) => {
    const video = document.querySelector('video')!;
    video.currentTime = from;
    await video.play();
  }, seconds);
  await page.waitForFunction((until) => document.querySelector('video')!.currentTime > until, seconds + 2);
  const frames = await page.evaluate(() => document.querySelector('video')!.getVideoPlaybackQuality().totalVideoFrames);
  expect(frames).toBeGreaterThan(10);
}

test('hls.js plays it, and continues with the next key after a seek', async () => {
  const { page, complaints, keys } = await openPlayer('hls');
  await page.evaluate(
    (address) => {
      interface Player {
        loadSource(url: string): void;
        attachMedia(media: HTMLMediaElement): void;
        on(event: string, listener: (event: string, data: { fatal: boolean; details: string }) => void): void;
      }
      const { Hls } = window as unknown as { Hls: new () => Player };
      const hls = new Hls();
      hls.on('hlsError', (_event, { fatal, details }) => {
        if (fatal)
          setTimeout(() => {
            throw new Error(details);
          });
      });
      hls.loadSource(address);
      hls.attachMedia(document.querySelector('video')!);
    },
    `${scene.base(video)}/master.m3u8`,
  );

  await playFrom(page, 0);
  await playFrom(page, 9);
  expect(complaints).toEqual([]);
  expect(new Set(keys)).toEqual(new Set(['0: 200', '1: 200', '2: 200', '3: 200']));
  await page.context().close();
});

test('shaka-player plays it', async () => {
  const { page, complaints, keys } = await openPlayer('shaka');
  await page.evaluate(
    async (address) => {
      interface Player {
        attach(media: HTMLMediaElement): Promise<void>;
        load(url: string): Promise<void>;
      }
      const { shaka } = window as unknown as { shaka: { Player: new () => Player } };
      const player = new shaka.Player();
      await player.attach(document.querySelector('video')!);
      await player.load(address);
    },
    `${scene.base(video)}/master.m3u8`,
  );

  await playFrom(page, 0);
  await playFrom(page, 9);
  expect(complaints).toEqual([]);
  expect(keys).toContain('0: 200');
  expect(keys).toContain('2: 200');
  await page.context().close();
});

test('it does not play without its keys', async () => {
  const { page } = await openPlayer('hls');
  await page.route('**/key/*', (route) => route.fulfill({ status: 200, body: Buffer.alloc(16) }));
  const details = await page.evaluate(
    (address) =>
      new Promise<string>((resolve) => {
        interface Player {
          loadSource(url: string): void;
          attachMedia(media: HTMLMediaElement): void;
          on(event: string, listener: (event: string, data: { details: string }) => void): void;
        }
        const { Hls } = window as unknown as { Hls: new () => Player };
        const hls = new Hls();
        hls.on('hlsError', (_event, data) => resolve(data.details));
        hls.loadSource(address);
        hls.attachMedia(document.querySelector('video')!);
      }),
    `${scene.base(video)}/master.m3u8`,
  );
  expect(details).toMatch(/fragDecryptError|fragParsingError|buffer(Append|AddCodec)Error/);
  await page.context().close();
});
