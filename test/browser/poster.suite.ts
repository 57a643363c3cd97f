import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { ffmpeg, mediaFolder } from '../support/media.js';
import { look } from './look.js';
import type { Scene } from './scene.js';

/** The poster's address, once it has changed. */
async function changedPoster(page: Page, before: string | null): Promise<string> {
  await page.waitForFunction((old) => {
    const image = document.querySelector<HTMLImageElement>('img[alt="The current poster"]');
    return image !== null && image.complete && image.naturalWidth > 0 && image.getAttribute('src') !== old;
  }, before);
  return (await posterOf(page))!;
}

function posterOf(page: Page): Promise<string | null> {
  return page.getByAltText('The current poster').getAttribute('src');
}

export function thePoster(scene: () => Scene): void {
  describe('the poster', () => {
    it('is chosen by keyboard from the frames, from the player, and from a file', async () => {
      const { demo } = scene();
      await using folder = await mediaFolder();
      const { page, complaints } = await scene().openWindow(`/videos/${demo.videoId}`);
      const first = await changedPoster(page, null);

      await page.getByRole('button', { name: 'Choose frame' }).press('Enter');
      const frames = page.getByRole('list', { name: 'Video frames' }).getByRole('button');
      await frames.nth(3).waitFor();
      await frames.nth(3).press('Enter');
      const second = await changedPoster(page, first);
      expect((await page.request.get(second)).headers()['content-type']).toBe('image/jpeg');
      expect((await page.request.get(first)).status()).toBe(404);

      await page.getByRole('button', { name: 'Use current frame' }).click();
      const third = await changedPoster(page, second);

      const picture = join(folder.path, 'own.png');
      await ffmpeg('-f', 'lavfi', '-i', 'testsrc=size=800x450', '-frames:v', '1', picture);
      await page.getByRole('region', { name: 'Poster' }).locator('input[type=file]').setInputFiles(picture);
      const fourth = await changedPoster(page, third);

      await page
        .getByRole('region', { name: 'Poster' })
        .locator('input[type=file]')
        .setInputFiles({
          name: 'no.png',
          mimeType: 'image/png',
          buffer: Buffer.from('no picture'),
        });
      await page.getByRole('alert').getByText('This is no JPEG or PNG picture.').waitFor();

      expect(await look(page, 'poster')).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      // Charts are redrawn for the width that they have now.
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);

      await page.getByRole('button', { name: 'Reset to first poster' }).click();
      await changedPoster(page, fourth);
      expect(complaints).toEqual([]);
    });

    it('moves under the pointer, unless the user prefers reduced motion', async () => {
      const { page } = await scene().openWindow('/videos');
      // One of the two views of the list; the other has no pictures.
      await page.getByLabel('As pictures').click();
      // A card may have come under the pointer.
      await page.mouse.move(0, 0);
      // Not a very short video, which has no preview.
      const card = page.getByRole('article').filter({ hasText: 'Twenty seconds of colour' });
      const picture = card.locator('img');
      await expect.poll(() => picture.getAttribute('src')).toMatch(/\.jpg$/);
      const still = await picture.getAttribute('src');
      await card.hover();
      await expect.poll(() => picture.getAttribute('src')).toMatch(/\.webp$/);
      const moving = (await picture.getAttribute('src'))!;
      expect((await page.request.get(moving)).headers()['content-type']).toBe('image/webp');
      await page.mouse.move(0, 0);
      await expect.poll(() => picture.getAttribute('src')).toBe(still);

      await page.emulateMedia({ reducedMotion: 'reduce' });
      await card.hover();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      expect(await picture.getAttribute('src')).toBe(still);
    });
  });
}
