import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import '../../../src/player/index.js';
import { openPage } from '../../support/browser/browser.js';
import { expectStart, playedTo, read, tag, type Scene } from './scene.js';

const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' }).click();
const pressPlay = (page: Page) => page.getByRole('button', { name: /^Play/ }).first().click();
const seek = (page: Page, seconds: number) =>
  page.evaluate((to) => void (document.querySelector('dhara-player')!.currentTime = to), seconds);

/** Where the player begins to play, from now on: the position at each `playing` event, in seconds. */
async function starts(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const player = document.querySelector('dhara-player')!;
    const found: number[] = [];
    Object.assign(globalThis, { found });
    player.addEventListener('playing', () => found.push(player.currentTime));
  });
  return () => page.evaluate(() => (globalThis as unknown as { found: number[] }).found);
}

/** How often the page exchanges a token. */
function exchangesOf(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => (count += request.url().includes('/playback/manifest/') ? 1 : 0));
  return () => count;
}

/** How playback continues after it has stopped. */
export function theRecovery(scene: () => Scene): void {
  describe('after an interruption', () => {
    it('continues where it was, even if the first retry fails', async () => {
      const { page } = await scene().open('/twice', tag({ token: await scene().mint() }));
      const started = await starts(page);
      await seek(page, 9);
      await page.route(/\.m3u8/, (route) => route.abort('connectionreset'));
      await pressPlay(page);
      const alert = page.getByRole('alert').getByText('The connection was lost');
      await alert.waitFor();
      // The message disappears only briefly, so the failed request shows the retry.
      const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('.m3u8'));
      await tryAgain(page);
      await failed;
      await alert.waitFor();
      await page.unrouteAll();
      await tryAgain(page);
      await playedTo(page, 9.2);
      expectStart(await started(), 9);
    });

    it('continues by itself when the browser is online again', async () => {
      const { page } = await scene().open('/online', tag({ token: await scene().mint() }));
      const started = await starts(page);
      await seek(page, 9);
      await page.context().setOffline(true);
      await pressPlay(page);
      await page.getByRole('alert').getByText('The connection was lost').waitFor();
      await page.context().setOffline(false);
      await playedTo(page, 9.2);
      expectStart(await started(), 9);
    });

    it('offers a retry if a segment is missing', async () => {
      const { page } = await scene().open('/segment', tag({ token: await scene().mint() }));
      await page.route(/\.(m4s|mp4)(\?|$)/, (route) => route.fulfill({ status: 404, body: '' }));
      await pressPlay(page);
      await page.getByRole('alert').getByText('The video service is briefly away').waitFor();
      await page.unrouteAll();
      await tryAgain(page);
      await playedTo(page, 0.2);
    });

    it('says that the video is gone if its master playlist is', async () => {
      const { page } = await scene().open('/master', tag({ token: await scene().mint() }));
      await page.route(/\.m3u8/, (route) => route.fulfill({ status: 404, body: '' }));
      await pressPlay(page);
      await page.getByRole('alert').getByText('This video is no longer here').waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    });

    it('keeps position and quality if the element is moved in steps', async () => {
      const { page } = await scene().open('/moved', tag({ token: await scene().mint() }));
      const exchanges = exchangesOf(page);
      await page.evaluate(() => void (document.querySelector('dhara-player')!.quality = 480));
      await seek(page, 9);
      await pressPlay(page);
      await playedTo(page, 9.2);
      const position = () => page.evaluate(() => document.querySelector('dhara-player')!.currentTime);
      const leftAtSeconds = await page.evaluate(() => {
        const player = document.querySelector('dhara-player')!;
        const { currentTime } = player;
        player.remove();
        document.querySelector('main')!.append(player);
        return currentTime;
      });
      const started = await starts(page);
      expect(await read(page)).toMatchObject({ state: 'idle', paused: true, quality: 480 });
      expect(await position()).toBeCloseTo(leftAtSeconds, 1);
      await pressPlay(page);
      await playedTo(page, leftAtSeconds + 0.3);
      expectStart(await started(), leftAtSeconds);
      expect((await read(page)).quality).toBe(480);
      expect(exchanges()).toBe(1);
    });

    it('starts over if it comes back with another video', async () => {
      const { page } = await scene().open('/other', tag({ token: await scene().mint() }));
      await seek(page, 9);
      await pressPlay(page);
      await playedTo(page, 9.2);
      await page.evaluate(() => {
        const player = document.querySelector('dhara-player')!;
        player.remove();
        player.token = 'another';
        document.querySelector('main')!.append(player);
      });
      expect(await read(page)).toMatchObject({ state: 'idle', seconds: 0 });
    });
  });

  describe('a browser with its own HLS', () => {
    it.each(['an error', 'a stall'])('gets a fresh grant after %s', async (event) => {
      const { page } = await scene().open(`/native-${event.at(-1)}`, tag({ token: await scene().mint() }));
      const exchanges = exchangesOf(page);
      // A single file replaces the playlist, because not every Chromium plays HLS.
      await page.evaluate(() => {
        Object.assign(globalThis, { GestureEvent: class {} });
        HTMLMediaElement.prototype.canPlayType = () => 'maybe';
      });
      const sound = `${scene().site.url}/sound.mp4`;
      await page.route(/\/playback\/manifest\//, async (route) => {
        const answer = (await (await route.fetch()).json()) as { data: object };
        const url = `${sound}?grant=${exchanges()}`;
        await route.fulfill({ json: { ...answer, data: { ...answer.data, url } } });
      });
      const refusal = { success: false, error: { code: 'FORBIDDEN', message: '', status: 403 } };
      const end = () => page.route(/grant=1/, (route) => route.fulfill({ status: 403, json: refusal }));
      if (event === 'an error') {
        await end();
        await seek(page, 2);
      }
      await pressPlay(page);
      if (event === 'a stall') {
        await playedTo(page, 1);
        await end();
        await page.evaluate(() => document.querySelector('dhara-player')!.video.dispatchEvent(new Event('stalled')));
      }
      await page.locator('dhara-player').evaluate((player: HTMLElementTagNameMap['dhara-player']) => {
        if (player.video.src.endsWith('grant=2')) return undefined;
        return new Promise((resolve) =>
          player.addEventListener('loadstart', () => player.video.src.endsWith('grant=2') && resolve(undefined)),
        );
      });
      await playedTo(page, 2.2);
      expect(exchanges()).toBe(2);
      expect((await read(page)).state).toBe('ready');
    });
  });

  describe('a page that is earlier than the script, or late', () => {
    it('keeps the properties that it set before the script arrived, in any order', async () => {
      const { page } = await scene().open(
        '/early',
        '<dhara-player autoplay="false" playbackRate="1.5"></dhara-player>',
        {
          head: '',
        },
      );
      const src = `${scene().demo.url}/player/dhara-player.mjs`;
      await page.evaluate(
        (token) => void Object.assign(document.querySelector('dhara-player')!, { quality: 480, currentTime: 9, token }),
        await scene().mint(),
      );
      await page.addScriptTag({ url: src, type: 'module' });
      await page.waitForFunction(() => document.querySelector('dhara-player')!.hasAttribute('state'));
      expect(await read(page)).toMatchObject({ state: 'idle', seconds: 9, quality: 480, playbackRate: 1.5 });
      await pressPlay(page);
      await playedTo(page, 9.2);
    });

    it('does not autoplay with autoplay="false"', async () => {
      const attributes = { token: await scene().mint(), autoplay: 'false', muted: 'false', loop: 'false' };
      const { page } = await scene().open('/autoplay', tag(attributes));
      expect(await read(page)).toMatchObject({ state: 'idle', paused: true, muted: false });
      expect(await page.evaluate(() => document.querySelector('dhara-player')!.video.loop)).toBe(false);
    });

    it('may pass a token to the frame after the deadline', async () => {
      const html = `<iframe src="${scene().demo.url}/embed#muted" width="640" height="360" title="A video" allow="autoplay"></iframe>`;
      const { page } = await openPage(scene().browser, scene().site.url);
      await page.clock.install();
      await page.goto(scene().site.page('/late-frame', html, ''));
      const asked = page.evaluate(
        () =>
          new Promise((resolve) =>
            addEventListener('message', ({ data }) => data.dhara === 'token-needed' && resolve(data.reason)),
          ),
      );
      const frame = page.frameLocator('iframe');
      await frame.getByRole('button', { name: 'Play' }).click();
      expect(await asked).toBe('missing');
      await page.clock.fastForward(8_001);
      await frame.getByRole('alert').getByText('There is nothing to play').waitFor();
      await page.evaluate(
        (token) => document.querySelector('iframe')!.contentWindow!.postMessage({ dhara: 'token', token }, '*'),
        await scene().mint(),
      );
      await frame.locator('dhara-player[state=ready]:not([paused])').waitFor();
    });
  });

  it('captions that were switched off stay loaded, hidden, and come back', async () => {
    const attributes = { token: await scene().mint(), api: scene().site.rich, captions: 'en' };
    const { page } = await scene().open('/captions-again', tag(attributes));
    await pressPlay(page);
    const cue = page.locator('dhara-player').getByText('The river is');
    await cue.waitFor();
    await page.keyboard.press('c');
    await cue.waitFor({ state: 'hidden' });
    // WebKit never shows a track again that was disabled after use.
    const modes = () =>
      page.evaluate(() => [...document.querySelector('dhara-player')!.textTracks].map(({ mode }) => mode));
    expect(await modes()).toEqual(['hidden', 'disabled']);
    await page.keyboard.press('c');
    await cue.waitFor();
  });
}
