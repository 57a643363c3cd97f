import { stat } from 'node:fs/promises';

import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { parseVideoId } from '../../src/domain/shared/ids.js';
import { WAIT_MS } from '../support/deadlines.js';
import { look } from './look.js';
import { playedTo } from './playing.js';
import type { Scene } from './scene.js';

/** What the tabs read for themselves. */
const OWN = ['VideoPoster', 'Analytics', 'VideoActivity', 'VideoCaptions', 'VideoEncoding'];

export function theVideoTabs(scene: () => Scene): void {
  describe('the page of a video', () => {
    const pathOf = (tab = ''): string => `/videos/${scene().demo.videoId}${tab}`;
    const tab = (page: Page, name: string) => page.getByRole('tab', { name });
    const shown = (page: Page, name: string) => page.getByRole('tabpanel', { name }).waitFor();

    /** All lines of the activity: other tests change the same video. */
    async function activityOf(page: Page): Promise<Locator> {
      const region = page.getByRole('region', { name: 'Activity' });
      const lines = region.getByRole('listitem');
      await lines.first().waitFor();
      const more = region.getByRole('button', { name: 'Show more' });
      if (await more.isVisible()) {
        await more.click();
        await more.waitFor({ state: 'hidden' });
      }
      return lines;
    }

    it('has tabs with addresses, which reload, come back and are moved through by keyboard', async () => {
      const { page, complaints } = await scene().openWindow(pathOf());
      await shown(page, 'Overview');
      const activity = await activityOf(page);
      await activity.filter({ hasText: /^Uploadedby Demo/ }).waitFor();
      await activity.filter({ hasText: 'Processedby Dhara' }).waitFor();
      await tab(page, 'Embed').click();
      await shown(page, 'Embed');
      expect(new URL(page.url()).pathname).toBe(pathOf('/embed'));
      await page.reload();
      await shown(page, 'Embed');
      await expect.poll(() => page.title()).toMatch(/^Embed · Twenty seconds of colour/);
      await page.goBack();
      await shown(page, 'Overview');

      await tab(page, 'Overview').focus();
      for (const [key, name] of [
        ['ArrowLeft', 'Encoding details'],
        ['ArrowRight', 'Overview'],
        ['End', 'Encoding details'],
        ['Home', 'Overview'],
        ['ArrowRight', 'Captions and chapters'],
      ] as const) {
        await page.keyboard.press(key);
        await expect.poll(() => page.locator('*:focus').innerText()).toBe(name);
      }
      // Only the open tab is a stop of the Tab key, and focus alone opens nothing.
      expect(await page.locator('[role=tab][tabindex="0"]').allInnerTexts()).toEqual(['Overview']);
      await page.keyboard.press(' ');
      await shown(page, 'Captions and chapters');
      expect(await tab(page, 'Captions and chapters').getAttribute('aria-selected')).toBe('true');

      await page.goto(pathOf('/nothing'));
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(complaints).toEqual([]);
    });

    it('says who changed it and which key created tokens for it', async () => {
      const { apiKey, url, videoId } = scene().demo;
      const { page, complaints } = await scene().openWindow(pathOf());
      await page.getByLabel('Description').fill('Changed for the list');
      await page.getByRole('button', { name: 'Save' }).first().click();
      const lines = await activityOf(page);
      await lines.filter({ hasText: /^Details changedby Demo/ }).waitFor();
      await lines.filter({ hasText: /^Processing startedby / }).waitFor();
      await lines.filter({ hasText: /^Measuredby Dhara/ }).waitFor();
      const headers = { 'x-service-key': apiKey };
      const minted = await fetch(`${url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers });
      expect(minted.status).toBe(200);
      // The service writes it within two seconds.
      await expect
        .poll(
          async () => {
            await page.reload();
            const lines = await activityOf(page);
            return lines.filter({ hasText: /^First playback token of the dayby the API key Demo key/ }).count();
          },
          { timeout: WAIT_MS },
        )
        .toBe(1);
      await page.getByLabel('Description').fill('');
      await page.getByRole('button', { name: 'Save' }).first().click();
      await page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
      expect(complaints).toEqual([]);
    });

    it('keeps typed details and the place in the video from tab to tab', async () => {
      const { page } = await scene().openWindow(pathOf());
      await page.getByLabel('Description').fill('Typed and not saved');
      await page.getByRole('button', { name: /^Play / }).click();
      await playedTo(page, 0.5);
      await tab(page, 'Captions and chapters').click();
      await page.getByRole('slider', { name: 'Position', exact: true }).waitFor();
      await playedTo(page, 1);
      await tab(page, 'Embed').click();
      await shown(page, 'Embed');
      await tab(page, 'Overview').click();
      await page.getByText('Unsaved changes').waitFor();
      expect(await page.getByLabel('Description').inputValue()).toBe('Typed and not saved');
      const state = await page.evaluate(() => {
        const player = document.querySelector('dhara-player')!;
        return { seconds: player.currentTime, paused: player.paused };
      });
      expect(state.seconds).toBeGreaterThan(0.9);
      expect(state.paused).toBe(true);
    });

    it('reads nothing that another tab shows', async () => {
      const { page } = await scene().openWindow('about:blank');
      const sent: string[] = [];
      page.on('request', (request) => {
        if (new URL(request.url()).pathname !== '/graphql') return;
        sent.push((request.postDataJSON() as { operationName: string }).operationName);
      });
      await page.route('**/graphql/stream', () => undefined);
      for (const [path, names] of [
        ['/captions', ['VideoCaptions']],
        ['/embed', []],
        ['/encoding', ['VideoEncoding']],
      ] as const) {
        // The page before sends nothing any more.
        await page.goto('about:blank');
        sent.length = 0;
        await page.goto(pathOf(path));
        await page.getByRole('tabpanel').getByRole('heading', { level: 2 }).first().waitFor();
        await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
        expect(sent[0]).toBe('FirstPage');
        expect(sent.filter((name) => OWN.includes(name))).toEqual(names);
      }
    });

    it('finds a moment for a chapter by picture, also by keyboard', async () => {
      const { page, complaints } = await scene().openWindow(pathOf('/captions'));
      const slider = page.getByRole('slider', { name: 'Position', exact: true });
      await slider.focus();
      await page.keyboard.press('PageUp');
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('0:11');
      const preview = page.locator('[class*=preview] [class*=frame]');
      await preview.waitFor();
      const pictureAt11 = await preview.getAttribute('style');
      await page.keyboard.press('Home');
      await expect.poll(() => preview.getAttribute('style')).not.toBe(pictureAt11);

      const box = (await slider.boundingBox())!;
      await page.mouse.click(box.x + box.width * 0.75, box.y + box.height / 2);
      await expect.poll(() => slider.getAttribute('aria-valuenow')).toMatch(/^1[45]/);
      const chapters = page.getByRole('region', { name: 'Chapters', exact: true });
      await chapters.getByRole('button', { name: 'Add chapters' }).click();
      await chapters.getByLabel('Title').fill('The source');
      await chapters.getByRole('button', { name: 'Add a chapter' }).click();
      const second = chapters.getByRole('group', { name: 'Chapter 2' });
      expect(await second.getByLabel('Start').inputValue()).toMatch(/^0:1[45]$/);
      await second.getByLabel('Title').fill('The mouth');
      await chapters.getByRole('button', { name: 'Save' }).click();
      await chapters.getByRole('button', { name: 'Go to 0:00' }).click();
      await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('0:00, The source');
      await slider.focus();
      expect(await look(page, 'tab-captions', { axeAtEverySize: true })).toEqual([]);
      await chapters.getByRole('button', { name: 'Remove all' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await chapters.getByText(/^No chapters yet\./).waitFor();
      expect(complaints).toEqual([]);
    });

    it('offers the source to download, as it was uploaded', async () => {
      const { page, complaints } = await scene().openWindow(pathOf());
      const download = page.waitForEvent('download');
      await page.getByRole('main').getByRole('link', { name: 'Download source' }).click();
      const { size } = await stat(await (await download).path());
      const { rows } = await scene().database.query<{ size_bytes: string }>(
        'select size_bytes from video where id = $1',
        [parseVideoId(scene().demo.videoId)],
      );
      expect(String(size)).toBe(rows[0]!.size_bytes);
      expect(complaints).toEqual([]);
    });

    it('says how a video was made', async () => {
      const { page, complaints } = await scene().openWindow(pathOf('/encoding'));
      await page.getByRole('table', { name: 'Renditions' }).waitFor();
      const receipts = page.getByRole('region', { name: 'Receipts' });
      await receipts.getByText('h264-2026.11').first().waitFor();
      expect(
        await receipts.getByText(/^SSIM 0\.9\d+ over \d+ frames$|^passthrough of the source$/).count(),
      ).toBeGreaterThan(0);
      const cost = page.getByRole('region', { name: 'Cost' });
      await cost.getByText('0.50 credits charged for processing.').waitFor();
      await cost.getByRole('link', { name: 'Ledger entries of this video' }).click();
      await page
        .getByRole('table', { name: /^Ledger/ })
        .getByText('−0.50')
        .first()
        .waitFor();
      expect(complaints).toEqual([]);
    });
  });
}
