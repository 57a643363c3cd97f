import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import '../../../src/player/index.js';
import { axeFaults } from '../../support/browser/axe.js';
import { keepScreenshot } from '../../support/browser/browser.js';
import { playedTo, read, tag, type Scene } from './scene.js';

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

/** The faults that axe-core finds on the current page, in dark and in light. */
async function faults(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await axeFaults(page)).map((fault) => `${colorScheme}: ${fault}`));
  }
  return found;
}

/** Moves the pointer like a person who wants to click, which shows the controls again. */
async function wake(page: Page): Promise<void> {
  await page.mouse.move(300, 200);
  await page.mouse.move(320, 210);
}

/** The heights of the pictures in a master playlist, largest first. */
function heightsIn(masterPlaylist: string): number[] {
  const pictures = masterPlaylist.matchAll(/^#EXT-X-STREAM-INF:.*RESOLUTION=\d+x(\d+)/gm);
  return [...new Set(Array.from(pictures, ([, height]) => Number(height)))].toSorted((a, b) => b - a);
}

/** What a viewer sees and does. */
export function theControls(scene: () => Scene): void {
  describe('the player on a page of another site, under a strict policy', () => {
    async function openPlaying(path: string, attributes: Record<string, string> = {}) {
      const opened = await scene().open(
        path,
        tag({ token: await scene().mint(), api: scene().site.rich, ...attributes }),
      );
      await opened.page.getByRole('button', { name: /^Play/ }).first().click();
      await playedTo(opened.page, 0.2);
      return opened;
    }

    it('requests nothing before play, then plays, and switches the rendition', async () => {
      const asked: string[] = [];
      const { page, complaints } = await scene().open(
        '/plays',
        tag({ token: await scene().mint(), title: 'Along the river', loop: '' }),
      );
      page.on('request', (request) => asked.push(request.url()));
      expect((await read(page)).state).toBe('idle');
      expect(await faults(page)).toEqual([]);
      expect(asked.filter((url) => url.startsWith(scene().demo.url))).toEqual([]);

      const masterPlaylist = page.waitForResponse((response) => response.url().includes('master.m3u8'));
      await page.getByRole('button', { name: 'Play Along the river' }).click();
      await playedTo(page, 0.2);
      expect(asked.some((url) => url.startsWith(`${scene().demo.url}/v1/video/playback/manifest/`))).toBe(true);
      const qualities = heightsIn(await (await masterPlaylist).text());
      expect(qualities).toEqual(expect.arrayContaining([720, 480, 360]));
      expect(await read(page)).toMatchObject({ state: 'ready', paused: false, duration: 20, qualities });

      for (const height of [480, 720]) {
        const switched = page.evaluate(
          (wanted) =>
            new Promise<boolean>((resolve) => {
              document.querySelector('dhara-player')!.addEventListener('qualitychange', ({ detail }) => {
                if (!detail.auto && detail.quality?.height === wanted) resolve(true);
              });
            }),
          height,
        );
        await wake(page);
        await page.getByRole('button', { name: 'Settings' }).click();
        await page.getByRole('menuitem', { name: /^Quality/ }).click();
        await page.getByRole('menuitemradio', { name: `${height}p` }).click();
        expect(await switched).toBe(true);
        await page.waitForFunction(
          (wanted) => document.querySelector('dhara-player')!.video.videoHeight === wanted,
          height,
        );
      }
      expect(complaints).toEqual([]);
    });

    it('obeys the keyboard', async () => {
      const { page } = await openPlaying('/keys');
      const press = async (keys: string, expected: object): Promise<void> => {
        for (const key of keys.split(' ')) await page.keyboard.press(key === '␣' ? ' ' : key);
        await expect.poll(() => read(page)).toMatchObject(expected);
      };
      await press('k', { paused: true });
      await press('5', { seconds: 10 });
      await press('ArrowRight l', { seconds: 20 });
      await press('0 j', { seconds: 0 });
      await press('9 ArrowLeft', { seconds: 13 });
      await press('m', { muted: true });
      await press('m ArrowDown ArrowDown', { muted: false, volume: 0.9 });
      await press('> >', { playbackRate: 1.5 });
      await press('<', { playbackRate: 1.25 });
      await press('f', { isFull: true });
      await press('f', { isFull: false });
      await press('␣', { paused: false });

      // Menus work by keyboard alone, and return the focus.
      await page.getByRole('button', { name: 'Settings' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect.poll(() => read(page)).toMatchObject({ playbackRate: 0.5 });
      expect(await page.getByRole('button', { name: 'Settings' }).evaluate((it) => it.matches(':focus'))).toBe(true);
    });

    it('shows captions, chapters and thumbnails along the timeline', async () => {
      const { page, complaints } = await openPlaying('/rich');
      await page.evaluate(() => document.querySelector('dhara-player')!.pause());
      await page.getByRole('button', { name: 'Settings' }).click();
      expect(await faults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Captions' }).click();
      expect(await faults(page)).toEqual([]);
      await page.getByRole('menuitemradio', { name: 'हिन्दी' }).click();
      await page.getByText('यहाँ नदी धीमी है').waitFor();
      await page.getByRole('button', { name: 'Captions' }).click();
      await page.getByRole('menuitemradio', { name: 'English' }).click();
      await page.getByText('The river is slow here').waitFor();
      expect(await faults(page)).toEqual([]);
      await page.keyboard.press('c');
      await page.getByText('The river is slow here').waitFor({ state: 'hidden' });

      await page.getByRole('button', { name: 'Chapter: Opening' }).click();
      expect(await faults(page)).toEqual([]);
      await page.getByRole('menuitemradio', { name: 'Ending' }).click();
      await page.getByRole('button', { name: 'Chapter: Ending' }).waitFor();
      expect((await read(page)).seconds).toBe(14);

      const box = (await page.locator('#seek').boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.45, box.y + box.height / 2);
      await page.locator('.preview').getByText('The middle part').waitFor();
      const thumb = await page.locator('.preview .thumb').evaluate((element) => element.style.cssText);
      expect(thumb).toContain(`${scene().site.url}/sheet.jpg`);
      expect(thumb).toContain('-320px 0px');
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 3 });
      await page.mouse.up();
      await expect.poll(async () => (await read(page)).seconds).toBe(12);
      await keepScreenshot(page, 'player');
      expect(complaints).toEqual([]);
    });

    it('hides the controls during inactive playback, and respects reduced motion', async () => {
      const { page } = await openPlaying('/idle', { loop: '' });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.locator('.shell.idle').waitFor();
      await wake(page);
      await page.locator('.shell:not(.idle)').waitFor();
      const moving = await page.locator('.controls').evaluate((it) => getComputedStyle(it).transitionProperty);
      expect(moving).toBe('none');
    });

    it('seeks by double taps on a phone', async () => {
      const attributes = { token: await scene().mint(), api: scene().site.rich, captions: 'en', title: 'A long walk' };
      const { page } = await scene().open('/phone', tag(attributes), PHONE);
      await page.getByRole('button', { name: 'Play A long walk' }).tap();
      await playedTo(page, 0.2);
      await keepScreenshot(page, 'player-phone');
      expect(await faults(page)).toEqual([]);
      const { x, y, width, height } = (await page.locator('video').boundingBox())!;
      const before = (await read(page)).seconds!;
      for (let tap = 0; tap < 2; tap += 1) await page.touchscreen.tap(x + width * 0.9, y + height * 0.3);
      await expect.poll(async () => (await read(page)).seconds).toBeGreaterThanOrEqual(before + 9);
    });

    it('detects that there are no thumbnails, and keeps the controls', async () => {
      const { page, complaints } = await scene().open(
        '/audio',
        tag({ src: `${scene().site.url}/sound.m3u8`, title: 'An hour of rain', loop: '' }),
      );
      await page.getByRole('button', { name: 'Play An hour of rain' }).click();
      await playedTo(page, 0.3);
      await page.locator('dhara-player[audio] .art').waitFor();
      expect(await page.locator('.controls').evaluate((it) => getComputedStyle(it).opacity)).toBe('1');
      expect(await faults(page)).toEqual([]);
      await keepScreenshot(page, 'player-audio');
      expect(complaints).toEqual([]);
    });
  });
}
