import { beforeAll, describe, expect, it } from 'vitest';

import { look } from './look.js';
import { readsAgain } from './readsAgain.js';
import type { Scene } from './scene.js';
import { SIZES } from './sizes.js';
import { watchUntil } from './viewer.js';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

/** How far each viewer of the 20 seconds came, in ms. Zero: left before the first frame. */
const VIEWERS: readonly (readonly [userAgent: string, reachedMs: number])[] = [
  [CHROME, 20_000],
  [CHROME, 20_000],
  [CHROME, 12_000],
  [FIREFOX, 20_000],
  [FIREFOX, 5_000],
  [PHONE, 2_000],
  [PHONE, 0],
];

/** The page of analytics, and the analytics of one video. */
export function theAnalyticsPage(scene: () => Scene): void {
  describe('the page of analytics', { timeout: 120_000 }, () => {
    beforeAll(async () => {
      for (const [userAgent, reachedMs] of VIEWERS) await watchUntil(scene().demo, userAgent, reachedMs);
      const exits = VIEWERS.filter(([, reachedMs]) => reachedMs === 0).length;
      const { service } = scene().running;
      await service.until(async () => (await totals()).exitsBeforeStart === exits, 'the reports are counted');
    });

    async function totals(): Promise<{ exitsBeforeStart: number }> {
      const day = new Date().toISOString().slice(0, 10);
      const { analytics } = await scene().ask<{ analytics: { totals: { exitsBeforeStart: number } } }>(
        'query ($input: AnalyticsInput!) { analytics(input: $input) { totals { exitsBeforeStart } } }',
        { input: { from: day, to: day } },
      );
      return analytics.totals;
    }

    it.for([
      ['on a desktop', { width: 1280, height: 800 }],
      ['on a phone', { width: 390, height: 844 }],
    ] as const)('shows totals, quality, and views by browser and video, %s', async ([, viewport]) => {
      const { page, complaints } = await scene().openWindow('/analytics', { viewport });
      const figure = (label: string) => page.locator('dl > div').filter({ hasText: label }).locator('dd').first();
      await figure('Views').waitFor();
      expect(await figure('Views').innerText()).toBe('7');
      expect(await figure('Unique views').innerText()).toBe('3');
      expect(await figure('Completion').innerText()).toBe('50%');
      expect(await figure('Exits before start').innerText()).toBe('1');
      expect(await figure('Startup, median').innerText()).toMatch(/^0\.6[34]\d? s$/);

      // The newest bar by keyboard, and the same number in the table that screen readers get.
      const slider = page.getByRole('slider', { name: 'Views per day: bar' });
      await slider.focus();
      expect(await slider.getAttribute('aria-valuetext')).toMatch(/: Views 7$/);
      expect(await page.getByRole('table', { name: 'Views per day' }).getByRole('row').last().innerText()).toMatch(
        /7$/,
      );

      const breakdown = page.getByRole('region', { name: 'Breakdown' });
      await breakdown.getByRole('link', { name: 'Twenty seconds of colour' }).waitFor();
      expect(await look(page, 'analytics')).toEqual([]);
      await breakdown.getByLabel('Break down by').selectOption('Browsers');
      await breakdown.getByRole('row', { name: /Firefox/ }).waitFor();
      expect(await breakdown.getByRole('row').allInnerTexts()).toHaveLength(4);
      await breakdown.getByLabel('Break down by').selectOption('API keys');
      await breakdown.getByRole('row', { name: /7/ }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      expect(complaints).toEqual([]);
    });

    it('has the numbers of a row on one line, also beside a label of two lines', async () => {
      const { page } = await scene().openWindow('/analytics');
      await page.locator('dl > div').first().waitFor();
      const rows: { lines: number; tops: number }[] = [];
      for (const size of SIZES) {
        await page.setViewportSize(size);
        rows.push(...(await page.evaluate(rowsOfFigures)));
      }
      expect(rows.filter(({ tops }) => tops > 1)).toEqual([]);
      expect(rows.some(({ lines }) => lines > 1)).toBe(true);
    });

    it('shows the retention of one video, by keyboard too', async () => {
      const { page, complaints } = await scene().openWindow('/analytics');
      await page.getByRole('region', { name: 'Breakdown' }).getByRole('link').click();
      const retention = page.getByRole('region', { name: 'Retention' });
      await retention.waitFor();
      expect(new URL(page.url()).searchParams.get('video')).toBe(scene().demo.videoId);
      const rows = retention.getByRole('row');
      await expect.poll(() => rows.count()).toBe(101);
      // Of six plays, all began, four passed the middle, and three reached the end.
      const shares = await Promise.all([1, 51, 100].map((at) => rows.nth(at).getByRole('cell').innerText()));
      expect(shares).toEqual(['100%', '66.7%', '50%']);
      const slider = retention.getByRole('slider');
      await slider.focus();
      await page.keyboard.press('Home');
      // Shares of the video, until its length is known.
      await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('0:00: Plays 100%');
      expect(await look(page, 'analytics-video')).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('is on the page of a video, with a link to the rest', async () => {
      const { page } = await scene().openWindow(`/videos/${scene().demo.videoId}`);
      const panel = page.getByRole('region', { name: 'Analytics' });
      await panel.getByText('Last 30 days.').waitFor();
      expect(await panel.locator('dl > div').first().innerText()).toMatch(/^Views\s+7$/);
      await panel.getByRole('link', { name: 'All analytics of this video' }).click();
      await page.getByRole('region', { name: 'Retention' }).waitFor();
    });

    it('says when there were no views, and keeps the period in the address', async () => {
      const { page } = await scene().openWindow('/analytics?from=2024-02-01&to=2024-02-29');
      await page.getByRole('heading', { name: 'No views in this period' }).waitFor();
      expect(await page.getByLabel('From').inputValue()).toBe('2024-02-01');
      expect(await look(page, 'analytics-none')).toEqual([]);
      await page.getByLabel('Period').selectOption('Last 7 days');
      await page.getByRole('heading', { name: 'Views per day' }).waitFor();
      expect(new URL(page.url()).search).toBe('?days=7');
      await page.getByLabel('Period').selectOption('Custom');
      await page.getByLabel('From').fill('2030-01-01');
      await page.getByText('Ends before it starts.').waitFor();
    });

    it('says when the numbers cannot be read, and reads them again', async () => {
      const { page } = await scene().openWindow('/keys');
      await readsAgain(page, 'Analytics', 'Analytics', page.getByRole('heading', { name: 'Views per day' }));
    });

    it('can be downloaded as a CSV file', async () => {
      const { page } = await scene().openWindow('/analytics?days=7');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download CSV' }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/\.csv$/);
    });
  });
}

/** For each row of figures: how many different heights its labels have, and at how many heights its numbers stand. */
function rowsOfFigures(): { lines: number; tops: number }[] {
  const figures = [...document.querySelectorAll('dl > div')];
  const rows = Map.groupBy(figures, (one) => Math.round(one.getBoundingClientRect().top));
  return [...rows.values()].map((row) => {
    const boxes = (of: string) => row.map((one) => one.querySelector(of)!.getBoundingClientRect());
    return {
      lines: new Set(boxes('dt').map(({ height }) => Math.round(height))).size,
      tops: new Set(boxes('dd').map(({ top }) => Math.round(top))).size,
    };
  });
}
