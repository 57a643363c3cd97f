import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { launchChromium } from '../support/browser/browser.js';
import { startDashboardService, type DashboardService } from './dashboardService.js';
import { theBulkActions } from './bulk.suite.js';
import { holdList } from './heldList.js';
import { theListViews } from './listViews.suite.js';
import { look } from './look.js';
import { countMadeRows } from './madeRows.js';
import { colorIn, contrastOf } from './pixels.js';
import { seedVideos } from './manyVideos.js';
import { readNotice } from './notices.js';
import { signIn } from './signIn.js';
import { openPage, takeTurn } from './window.js';

const COUNT = 10_000;

describe('the list of ten thousand videos', () => {
  let running: DashboardService;
  let browser: Browser;
  let database: pg.Client;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    [running, browser] = await Promise.all([startDashboardService(), launchChromium()]);
    const addresses = await readFile(join(running.service.dataDir, 'run/database.json'), 'utf8');
    database = new pg.Client((JSON.parse(addresses) as { migrationUrl: string }).migrationUrl);
    await database.connect();
    await seedVideos(database, running.demo.email, COUNT);
    ({ page, complaints } = await openPage(browser, running.demo.url));
    await signIn(page, running.demo);
  });

  beforeEach(() => takeTurn(page));

  afterAll(async () => {
    await browser?.close();
    await database?.end();
    await running?.stop();
  });

  const rows = () => page.getByRole('table', { name: 'Videos' }).getByRole('row');
  const row = (title: string) => rows().filter({ hasText: title });
  /** The notice that one video is missing, which shows once the list is read to its end. */
  async function missedAtTheEnd(): Promise<Locator> {
    const missed = page.getByRole('status').filter({ hasText: '1 video is missing here' });
    await expect
      .poll(async () => {
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
        return missed.count();
      })
      .toBe(1);
    return missed;
  }
  const tick = (title: string) => page.getByRole('checkbox', { name: `Select ${title}` }).check();

  async function isDeleted(title: string): Promise<boolean> {
    const { rows: found } = await database.query<{ gone: boolean }>(
      'select deleted_at is not null as gone from video where title = $1',
      [title],
    );
    return found[0]!.gone;
  }

  it('loads more on scrolling, keeps few rows in the page, and requests at most a hundred at once', async () => {
    const sizes: number[] = [];
    page.on('request', (request) => {
      const asked = request.postDataJSON() as { operationName?: string; variables?: { first?: number } } | null;
      if (asked?.operationName === 'Videos') sizes.push(asked.variables?.first ?? 0);
    });
    // Other tests delete some of them for good.
    const { rows: counted } = await database.query<{ videos: number }>(
      'select count(*)::int as videos from video where deleted_at is null',
    );
    const { videos } = counted[0]!;
    await page.goto('/videos');
    await page.getByText(`${videos.toLocaleString('en')} videos`).waitFor();
    await row('Video 00001').waitFor();

    const deepest = () =>
      page.evaluate(() =>
        Math.max(...[...document.querySelectorAll('[aria-rowindex]')].map((one) => Number(one.ariaRowIndex))),
      );
    let most = 0;
    await running.service.until(async () => {
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      most = Math.max(most, await rows().count());
      return (await deepest()) >= videos + 1;
    }, 'the last video is in sight');
    await row(`Video ${COUNT}`).waitFor();
    expect(most).toBeLessThan(80);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(sizes.length).toBeGreaterThanOrEqual((videos - 1) / 100);

    // All rows are loaded. On the way back, a frame makes the rows that come into sight, once, and no others.
    const madeRows = await countMadeRows(page);
    const seenNear = await page.evaluate(async () => {
      const first = (): number =>
        Math.min(...[...document.querySelectorAll('[aria-rowindex]')].slice(1).map((row) => Number(row.ariaRowIndex)));
      const before = first();
      for (let step = 0; step < 100; step += 1) {
        scrollBy(0, -260);
        await new Promise(requestAnimationFrame);
      }
      return before - first();
    });
    const madeNear = await madeRows();
    const seenFar = await page.evaluate(async () => {
      let seen = 0;
      const topPx = scrollY;
      for (let step = 100; step >= 0; step -= 1) {
        scrollTo(0, (topPx * step) / 100);
        await new Promise(requestAnimationFrame);
        seen += document.querySelectorAll('[aria-rowindex]').length;
      }
      return seen;
    });
    const madeFar = (await madeRows()) - madeNear;
    expect(madeNear).toBeGreaterThan(100);
    expect(madeNear).toBeLessThanOrEqual(seenNear);
    expect(madeFar).toBeGreaterThan(COUNT / 10);
    expect(madeFar).toBeLessThanOrEqual(seenFar);
    expect(complaints).toEqual([]);
  });

  it('is searched by words, filtered by tag, and remembers the view of the list', async () => {
    await page.goto('/videos');
    await page.getByLabel('Search by title').fill('video 0421');
    await row('Video 04210').waitFor();
    await page.getByLabel('Tag', { exact: true }).selectOption('even');
    await row('Video 04211').waitFor({ state: 'hidden' });
    await expect.poll(() => row('Video 0421').count()).toBe(5);

    await page.getByRole('button', { name: 'As pictures' }).click();
    await page.reload();
    await page.getByRole('list', { name: 'Videos' }).getByText('Video 04212').waitFor();
    expect(await look(page, 'videos-grid')).toEqual([]);
    await page.getByRole('button', { name: 'As a table' }).click();
    await row('Video 04212').waitFor();
  });

  theListViews(() => ({ page, database, complaints }));

  it('says which videos it missed in an order that changed while it was read, and shows them', async () => {
    const failed = `title like 'Video 090%' or title like 'Video 091%'`;
    await database.query(`update video set status = 'failed' where ${failed}`);
    const list = await holdList(page);
    try {
      await page.goto('/videos?status=FAILED&sort=MOST_PLAYED');
      await page.getByText('200 videos').waitFor();
      await rows().nth(3).waitFor();
      // Nobody has played any of them, so the last one has the lowest id. Now it is the first.
      const { rows: last } = await database.query<{ title: string }>(
        `insert into playback_day (account_id, dimension, video_id, starts_at, value, views, plays)
          select account_id, 'all', id, date_trunc('day', now(), 'UTC'), '', 5, 5
          from video where ${failed} order by id limit 1
          returning (select title from video where id = video_id)`,
      );
      list.releaseNextPages();
      const missed = await missedAtTheEnd();
      await missed.getByRole('button', { name: 'Load the list again' }).press('Enter');
      await row(last[0]!.title).waitFor();
      await expect.poll(() => missed.count()).toBe(0);
      // The button is gone: the focus moves to the title.
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      await expect.poll(focused).toBe('Videos');
    } finally {
      list.end();
      await database.query(`update video set status = 'uploaded' where ${failed}`);
    }
    expect(complaints).toEqual([]);
  });

  it('says which videos it missed in a list whose length is not known before it is read', async () => {
    const rename = (title: string, to: string) =>
      database.query('update video set title = $2 where title = $1', [title, to]);
    const list = await holdList(page);
    try {
      await page.goto('/videos?q=video+091&sort=TITLE');
      await row('Video 09103').waitFor();
      await rename('Video 09199', 'Video 091');
      list.releaseNextPages();
      const missed = await missedAtTheEnd();
      await missed.getByRole('button', { name: 'Load the list again' }).click();
      await rows()
        .filter({ hasText: /Video 091(?!\d)/ })
        .waitFor();
      await expect.poll(() => missed.count()).toBe(0);
    } finally {
      list.end();
      await rename('Video 091', 'Video 09199');
    }
    expect(complaints).toEqual([]);
  });

  it('is moved through by keyboard, where X selects and Enter opens', async () => {
    await page.goto('/videos?q=video+0300&sort=TITLE');
    await row('Video 03001').waitFor();
    const focused = () => page.locator('*:focus').innerText();
    await page.keyboard.press('j');
    await expect.poll(focused).toBe('Video 03000');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    await expect.poll(focused).toBe('Video 03001');
    await page.keyboard.press('x');
    await page.getByRole('region', { name: 'Selected videos' }).getByText('1 video').waitFor();
    // Where people type, these keys are letters.
    await page.getByLabel('Search by title').fill('video 0300');
    await page.getByLabel('Search by title').press('j');
    expect(await page.getByLabel('Search by title').inputValue()).toBe('video 0300j');
    await page.goto('/videos?q=video+0300&sort=TITLE');
    await row('Video 03001').getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Video 03001' }).waitFor();
  });

  it('deletes into the bin at once, and can undo it', async () => {
    await page.goto('/videos?q=video+0100');
    await tick('Video 01001');
    await tick('Video 01002');
    await page.getByRole('button', { name: 'Delete' }).click();
    const notice = await readNotice(page, '2 videos deleted');
    await row('Video 01001').waitFor({ state: 'hidden' });
    await running.service.until(() => isDeleted('Video 01001'), 'the service has deleted it');
    await notice.getByRole('button', { name: 'Undo' }).click();
    await row('Video 01001').waitFor();
    expect([await isDeleted('Video 01001'), await isDeleted('Video 01002')]).toEqual([false, false]);
  });

  it('asks before it deletes what was paid for, and lists, restores and empties the bin', async () => {
    await database.query(`update video set status = 'ready' where title = 'Video 01005'`);
    const bin = page.getByRole('list', { name: 'Deleted videos' });
    await page.goto('/videos/bin');
    await page.getByRole('heading', { name: 'The bin is empty' }).waitFor();
    expect(await look(page, 'bin-empty')).toEqual([]);

    await page.goto('/videos?q=video+0100');
    for (const title of ['Video 01005', 'Video 01006', 'Video 01007']) await tick(title);
    const selected = page.getByRole('region', { name: 'Selected videos' });
    await selected.getByRole('button', { name: 'Delete' }).click();
    const ask = page.getByRole('dialog', { name: 'Delete 3 videos?' });
    await ask.getByText('You can restore them from the bin for 7 days.').waitFor();
    expect(await look(page, 'bin-ask')).toEqual([]);
    await ask.getByRole('button', { name: 'Cancel' }).click();
    expect(await isDeleted('Video 01005')).toBe(false);
    await selected.getByRole('button', { name: 'Delete' }).click();
    await ask.getByRole('button', { name: 'Delete' }).click();
    await row('Video 01005').waitFor({ state: 'hidden' });

    await page.getByRole('link', { name: 'Bin', exact: true }).click();
    await bin.getByText('Video 01007').waitFor();
    expect(await bin.getByText('7 days left').count()).toBe(3);
    expect(await look(page, 'bin', { axeAtEverySize: true })).toEqual([]);

    await page.getByRole('button', { name: 'Restore Video 01005' }).click();
    await bin.getByText('Video 01005').waitFor({ state: 'hidden' });
    await running.service.until(async () => !(await isDeleted('Video 01005')), 'it is restored');
    await page.getByRole('button', { name: 'Delete now: Video 01006' }).click();
    const one = page.getByRole('dialog', { name: 'Delete “Video 01006” for good?' });
    await one.getByRole('button', { name: 'Delete now' }).click();
    await bin.getByText('Video 01006').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Empty bin' }).click();
    const all = page.getByRole('dialog', { name: 'Empty the bin?' });
    await all.getByText('1 video will be deleted for good').waitFor();
    await all.getByRole('button', { name: 'Empty bin' }).click();
    await page.getByRole('heading', { name: 'The bin is empty' }).waitFor();
    const { rows: left } = await database.query<{ videos: string }>(
      'select count(*) as videos from video where purge_after is not null',
    );
    expect(left[0]!.videos).toBe('0');

    await page.goto('/videos?q=video+01005');
    // A video that failed later keeps what was paid for.
    await database.query(
      `update video set status = 'failed', playable_rungs = '{480p}', failure_code = 'PROCESSING_FAILED' where title = 'Video 01005'`,
    );
    await page.reload();
    await tick('Video 01005');
    await selected.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete “Video 01005”?' }).getByRole('button', { name: 'Cancel' }).click();
    await selected.getByRole('button', { name: 'Clear selection' }).click();
    await row('Video 01005').getByRole('link', { name: 'Video 01005' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Video 01005' }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/videos');
    const notice = await readNotice(page, '“Video 01005” deleted');
    expect(await isDeleted('Video 01005')).toBe(true);
    await notice.getByRole('button', { name: 'Undo' }).click();
    await running.service.until(async () => !(await isDeleted('Video 01005')), 'it is restored');
    expect(complaints).toEqual([]);
  });

  theBulkActions(() => ({ page, database, complaints }));

  it('shows tags as pills that stand out from their field, in light and in dark', async () => {
    await page.goto('/videos?q=video+0210');
    await tick('Video 02101');
    await page.getByRole('button', { name: 'Tags' }).click();
    const dialog = page.getByRole('dialog', { name: 'Tags of 1 video' });
    await dialog.getByLabel('Add', { exact: true }).fill('harbour');
    await dialog.getByLabel('Add', { exact: true }).press('Enter');
    // The list of known tags covers nothing once the field is left.
    await dialog.getByText('Tags of 1 video', { exact: true }).click();
    const pill = dialog.getByText('harbour', { exact: true }).locator('..');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const contrast = async (): Promise<number> => {
        const { x, y, height } = (await pill.boundingBox())!;
        const at = (left: number) => colorIn(page, { x: left, y: y + height / 2 - 1, width: 2, height: 2 });
        return contrastOf(await at(x + 4), await at(x - 4));
      };
      await expect.poll(contrast, { message: colorScheme }).toBeGreaterThan(1.2);
    }
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(complaints).toEqual([]);
  });

  it('tags several videos, and shows one total for processing them', async () => {
    await page.goto('/videos?q=video+0200');
    for (const title of ['Video 02001', 'Video 02002', 'Video 02003']) await tick(title);
    await page.getByRole('button', { name: 'Tags' }).click();
    const tags = page.getByRole('dialog', { name: 'Tags of 3 videos' });
    await tags.getByLabel('Add', { exact: true }).fill('harbour');
    await tags.getByLabel('Add', { exact: true }).press('Enter');
    await tags.getByRole('button', { name: 'Change tags' }).click();
    const notice = await readNotice(page, 'Tags of 3 videos changed');
    await row('Video 02001').getByText('harbour').waitFor();
    await notice.getByRole('button', { name: 'Undo' }).click();
    await row('Video 02001').getByText('harbour').waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Process', exact: true }).click();
    const process = page.getByRole('dialog', { name: 'Process 3 videos' });
    // Three minutes at 1.5 credits each: the file supports 720p, though 1080p is requested.
    await process.getByRole('button', { name: 'Process for 4.50 credits' }).waitFor();
    expect(await look(page, 'videos-process')).toEqual([]);
    await process.getByLabel('Quality of all').selectOption('P480');
    await process.getByRole('button', { name: 'Process for 3.00 credits' }).waitFor();
    await process.getByRole('button', { name: 'Cancel' }).click();
    expect(complaints).toEqual([]);
  });
});
