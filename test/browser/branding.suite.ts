import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ffmpeg } from '../support/media.js';
import { look } from './look.js';
import type { Scene } from './scene.js';

/** The logo in the settings, from none to one that can be used in a purchase. */
export function theBranding(scene: () => Scene): void {
  describe('branding', () => {
    let folder: string;
    let logo: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'dhara-branding-'));
      logo = join(folder, 'logo.png');
      const ring = `geq=r=230:g=40:b=90:a='if(lt(hypot(X-100,Y-50),48),255,0)'`;
      await ffmpeg('-f', 'lavfi', '-i', `color=s=200x100,format=rgba,${ring}`, '-frames:v', '1', logo);
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    test('a logo is uploaded, moved by keyboard, rendered as a preview, offered for videos, and removed', async () => {
      await scene().ask('mutation { removeBrand }');
      const { page, complaints } = await scene().openWindow('/upload');
      const draft = join(folder, 'draft.mp4');
      await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=320x180:d=1', draft);
      await page.getByLabel('Video or audio files', { exact: true }).setInputFiles(draft);
      expect(await page.getByRole('checkbox', { name: 'Branding' }).isDisabled()).toBe(true);
      await page.getByRole('link', { name: 'add one in Settings' }).click();

      const card = page.getByRole('region', { name: 'Branding' });
      expect(await look(page, 'branding-empty')).toEqual([]);
      // The file name does not matter: the service checks the contents, and says what is wrong.
      await card.getByLabel('Logo file').setInputFiles({
        name: 'logo.png',
        mimeType: 'image/png',
        buffer: Buffer.from('no picture'),
      });
      await card.getByRole('alert').getByText('This is no PNG or SVG file.').waitFor();
      await card.getByLabel('Logo file').setInputFiles(logo);
      await card.getByAltText('Your logo in its position').waitFor();
      expect(await placeOf(page)).toEqual({ left: 82, top: 5.3, width: 15 });

      await card.getByRole('radio', { name: 'Top right' }).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      expect(await card.getByRole('radio', { name: 'Bottom left' }).isChecked()).toBe(true);
      await card.getByRole('slider', { name: /^Size/ }).focus();
      await page.keyboard.press('ArrowRight');
      await card.getByLabel('Margin in percent').fill('10');
      expect(await placeOf(page)).toEqual({ left: 10, top: 68, width: 16 });

      await card.getByRole('button', { name: 'Render exact preview' }).click();
      await card.getByAltText('The logo as it will be burned in').waitFor();
      expect(await look(page, 'branding')).toEqual([]);
      await card.getByRole('button', { name: 'Save placement' }).click();
      await page.getByText('Branding saved').first().waitFor();
      expect(await card.getByRole('button', { name: 'Save placement' }).isDisabled()).toBe(true);
      const { brand } = await scene().ask<{ brand: object }>('{ brand { position widthPercent marginPercent } }');
      expect(brand).toEqual({ position: 'BOTTOM_LEFT', widthPercent: 16, marginPercent: 10 });

      await page.goto('/upload');
      await page.getByLabel('Video or audio files', { exact: true }).setInputFiles(draft);
      await page.getByRole('checkbox', { name: 'Branding' }).check();
      await page.getByLabel('Quality', { exact: true }).selectOption('AUDIO');
      expect(await page.getByRole('checkbox', { name: 'Branding' }).isDisabled()).toBe(true);

      await page.goto('/settings/branding');
      await card.getByRole('button', { name: 'Remove logo' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await look(page, 'dialog-remove-logo')).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
      await card.getByLabel('Drop your logo here, or choose a file').waitFor();
      expect(complaints).toEqual([]);
    });

    test('fits a phone', async () => {
      const { page } = await scene().openWindow('/settings/branding', { viewport: { width: 390, height: 844 } });
      await page.getByLabel('Logo file').setInputFiles(logo);
      await page.getByAltText('Your logo in its position').waitFor();
      expect(await look(page, 'branding')).toEqual([]);
      await scene().ask('mutation { removeBrand }');
    });
  });
}

/** Where the browser shows the logo, in percent of the picture. */
async function placeOf(page: Page): Promise<{ left: number; top: number; width: number }> {
  return page.getByAltText('Your logo in its position').evaluate((logo) => {
    const own = logo.getBoundingClientRect();
    const picture = logo.parentElement!.getBoundingClientRect();
    const percent = (part: number, whole: number) => Math.round((1000 * part) / whole) / 10;
    return {
      left: percent(own.left - picture.left, picture.width),
      top: percent(own.top - picture.top, picture.height),
      width: percent(own.width, picture.width),
    };
  });
}
