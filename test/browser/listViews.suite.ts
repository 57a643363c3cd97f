import type { Client } from 'pg';
import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';

import { videoIdOf } from '../../src/domain/shared/ids.js';
import { look } from './look.js';
import { colorIn, contrastOf } from './pixels.js';
import { SIZES } from './sizes.js';
import { ownWindow, DESKTOP, takeTurn } from './window.js';

/** A service with thousands of videos, and the page that shows them. */
interface Desk {
  readonly page: Page;
  readonly database: Client;
  readonly complaints: readonly string[];
}

/** What owners choose to see of the list: its order, its columns and its filters. */
export function theListViews(desk: () => Desk): void {
  describe('the list as its owner wants to see it', () => {
    const table = () => desk().page.getByRole('table', { name: 'Videos' });
    const rows = () => table().getByRole('row');
    const row = (title: string) => rows().filter({ hasText: title });
    const header = (name: string) => desk().page.getByRole('columnheader', { name, exact: true });

    /** What the owner chose is in the window, or a swipe away in the table, which alone scrolls sideways. */
    async function seesAtEachWidth(one: Locator, columns: readonly string[]): Promise<void> {
      const { page } = desk();
      for (const width of [1440, 1024, 800, 390]) {
        await page.setViewportSize({ width, height: 900 });
        for (const column of columns) {
          const cell = one.locator(`[data-column=${column}]`);
          await expect.poll(() => cell.isVisible(), { message: `${column} at ${width}` }).toBe(true);
          await cell.evaluate((element) => element.scrollIntoView({ block: 'center', inline: 'nearest' }));
          const { x, width: wide } = (await cell.boundingBox())!;
          expect([x >= 0, x + wide <= width], `${column} at ${width}`).toEqual([true, true]);
        }
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `at ${width}`).toBe(true);
      }
      await takeTurn(page, DESKTOP);
    }

    // The columns and filters of these tests are not for others.
    afterEach(() => desk().page.evaluate(() => localStorage.clear()));

    it('sorts by its headers, filters by metadata and date, all in the address, and shows the chosen columns', async () => {
      const { page, database, complaints } = desk();
      await database.query(
        `update video set metadata = '{"plan": "paid"}', duration_ms = 7200000 where title in ('Video 00500', 'Video 00501')`,
      );
      await page.goto('/videos');
      // Narrower lists do not have all columns.
      await takeTurn(page, DESKTOP);
      const videoRows = rows().filter({ hasText: /Video \d/ });
      // The picture has the length, too.
      const lengthOf = (title: string) => row(title).locator('[data-column=length]');
      expect(await header('Added').getAttribute('aria-sort')).toBe('descending');
      // Nobody has chosen yet: a narrow window leaves the space to the titles.
      const first = videoRows.first().locator('[data-column]:visible');
      for (const [width, columns] of [
        [1440, 4],
        [800, 2],
        [390, 1],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await expect.poll(() => first.count(), { message: `at ${width}` }).toBe(columns);
      }
      await takeTurn(page, DESKTOP);
      await header('Video').getByRole('button').click();
      await page.waitForURL(/sort=TITLE$/);
      await expect.poll(() => header('Video').getAttribute('aria-sort')).toBe('ascending');
      await header('Video').getByRole('button').click();
      await row('Video 10000').waitFor();
      await page.getByRole('button', { name: 'Columns' }).click();
      for (const name of ['Length', 'Plays, 30 days', 'Cost']) await page.getByRole('checkbox', { name }).check();
      await page.keyboard.press('Escape');
      await header('Length').getByRole('button').click();
      await lengthOf('Video 00501').getByText('2:00:00').waitFor();
      await page.reload();
      await lengthOf('Video 00500').getByText('2:00:00').waitFor();
      for (const name of ['Plays, 30 days', 'Cost']) {
        // By keyboard, as the other headers.
        await header(name).getByRole('button').focus();
        await page.keyboard.press('Enter');
        await expect.poll(() => header(name).getAttribute('aria-sort')).toBe('descending');
        expect(await header('Length').getAttribute('aria-sort')).toBeNull();
      }
      // Only the demo's own video was paid for.
      await page.waitForURL(/sort=HIGHEST_COST/);
      await expect.poll(() => rows().nth(1).innerText()).toContain('Twenty seconds of colour');
      await page.keyboard.press('Enter');
      await page.waitForURL(/sort=LOWEST_COST/);
      await expect.poll(() => header('Cost').getAttribute('aria-sort')).toBe('ascending');
      await page.reload();
      await expect.poll(() => header('Cost').getAttribute('aria-sort')).toBe('ascending');
      await expect.poll(() => rows().nth(1).innerText()).toContain('Video ');

      await page.getByRole('button', { name: 'Filters', exact: true }).click();
      await page.getByLabel('Metadata').fill('plan:paid');
      await page.getByLabel('Metadata').press('Enter');
      await page.waitForURL(/metadata=plan%3Apaid/);
      await expect.poll(() => videoRows.count()).toBe(2);
      await page.getByLabel('Added until').fill('2001-01-01');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'No matching videos' }).waitFor();
      await page.goto('/videos?metadata=plan&sort=TITLE');
      await row('Video 00500').waitFor();

      await page.getByRole('button', { name: 'Saved' }).click();
      await page.getByLabel('Name').fill('Paid, by title');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.goto('/videos');
      await page.getByRole('button', { name: 'Saved' }).click();
      await page.getByRole('link', { name: 'Paid, by title' }).click();
      await page.waitForURL(/metadata=plan&sort=TITLE/);
      await page.keyboard.press('Escape');
      await expect.poll(() => videoRows.count()).toBe(2);
      await seesAtEachWidth(row('Video 00500'), ['status', 'length', 'size', 'plays', 'cost', 'added']);
      expect(await look(page, 'videos-columns', { axeAtEverySize: true })).toEqual([]);
      // The keyboard scrolls sideways, too.
      await page.setViewportSize({ width: 1024, height: 900 });
      await row('Video 00500').getByRole('link').first().focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => table().evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(0);
      await takeTurn(page, DESKTOP);
      await page.getByRole('button', { name: 'Filters (1)' }).click();
      await page.getByLabel('Metadata').waitFor();
      expect(await look(page, 'videos-filters')).toEqual([]);
      await page.keyboard.press('Escape');
      expect(complaints).toEqual([]);
    });

    it('has a shadow at an edge of the table beyond which it scrolls, and at no other', async () => {
      const { page } = desk();
      await page.goto('/videos?sort=TITLE');
      await takeTurn(page, DESKTOP);
      await row('Video 00001').waitFor();
      await page.getByRole('button', { name: 'Columns' }).click();
      for (const name of ['Length', 'Plays, 30 days', 'Cost']) await page.getByRole('checkbox', { name }).check();
      await page.keyboard.press('Escape');
      await page.mouse.move(0, 0);
      const hasShadow = async (): Promise<boolean[]> => {
        const { x, width } = (await table().boundingBox())!;
        const { y, height } = (await row('Video 00001').boundingBox())!;
        // In the row's padding, where there is only its background.
        const at = (left: number) => colorIn(page, { x: left, y: y + height - 7, width: 2, height: 4 });
        const [left, middle, right] = [await at(x + 2), await at(x + width / 2), await at(x + width - 4)];
        return [left, right].map((edge) => contrastOf(edge, middle) > 1.05);
      };
      for (const colorScheme of ['light', 'dark'] as const) {
        await takeTurn(page, { ...ownWindow(), viewport: SIZES[1], colorScheme });
        const mostPx = await table().evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
        expect(mostPx, colorScheme).toBeGreaterThan(60);
        for (const [scrolledPx, edges] of [
          [0, [false, true]],
          [mostPx / 2, [true, true]],
          [mostPx, [true, false]],
        ] as const) {
          await table().evaluate((element, left) => element.scrollTo({ left }), scrolledPx);
          await expect.poll(hasShadow, { message: `${colorScheme}, scrolled ${scrolledPx} px` }).toEqual(edges);
        }
      }
    });

    it('keeps the row of a list without columns in one line', async () => {
      const { page } = desk();
      await page.goto('/videos?sort=TITLE');
      await row('Video ').first().waitFor();
      const boxes = page.getByRole('dialog', { name: 'Columns' }).getByRole('checkbox');
      await page.getByRole('button', { name: 'Columns' }).click();
      const chosen = await boxes.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).checked));
      const choose = async (wanted: readonly boolean[]) => {
        for (const [n, isWanted] of wanted.entries()) await boxes.nth(n).setChecked(isWanted);
      };
      await choose(chosen.map(() => false));
      const cells = rows().nth(1).getByRole('cell');
      expect(await cells.count()).toBe(2);
      const [box, video] = await Promise.all([cells.nth(0).boundingBox(), cells.nth(1).boundingBox()]);
      expect(video!.x).toBeGreaterThan(box!.x + box!.width - 24);
      expect(box!.y).toBeLessThan(video!.y + video!.height);
      await choose(chosen);
      await page.keyboard.press('Escape');
    });

    it('keeps saved filters until they are removed', async () => {
      const { page } = desk();
      await page.goto('/videos?metadata=plan&sort=LONGEST');
      const open = () => page.getByRole('button', { name: 'Saved' }).click();
      const saved = (name: string) => page.getByRole('link', { name, exact: true });
      await open();
      for (const name of ['To stay', 'To go']) {
        await page.getByLabel('Name').fill(name);
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await saved(name).waitFor();
      }
      await page.getByRole('button', { name: 'Remove To go' }).click();
      await saved('To go').waitFor({ state: 'detached' });
      await page.reload();
      await open();
      await saved('To stay').waitFor();
      expect(await saved('To go').count()).toBe(0);
      await page.keyboard.press('Escape');
    });

    it('finds a video by its ID', async () => {
      const { page, database } = desk();
      const { rows: found } = await database.query<{ id: string }>(`select id from video where title = 'Video 04321'`);
      await page.goto('/videos');
      await page.getByRole('searchbox', { name: 'Search by title or ID' }).fill(videoIdOf(found[0]!.id));
      await page.waitForURL(/q=vid_/);
      await row('Video 04321').waitFor();
      await expect
        .poll(() =>
          rows()
            .filter({ hasText: /Video \d/ })
            .count(),
        )
        .toBe(1);
    });
  });
}
