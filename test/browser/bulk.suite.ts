import type { Client } from 'pg';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { withJobsLater } from './jobsLater.js';
import { expectApart } from './apart.js';
import { look } from './look.js';
import { readNotice } from './notices.js';
import { operationOf } from './operationOf.js';

/** A service with thousands of videos, and the page that shows them. */
interface Desk {
  readonly page: Page;
  readonly database: Client;
  readonly complaints: readonly string[];
}

/** The service's maximum per request. */
const BATCH = 100;
const REFUSED = { data: null, errors: [{ message: 'Video not found.', extensions: { code: 'VIDEO_NOT_FOUND' } }] };

/** Actions on more videos than one request takes. */
export function theBulkActions(desk: () => Desk): void {
  describe('actions on many videos', () => {
    const page = () => desk().page;
    const rows = () => page().getByRole('table', { name: 'Videos' }).getByRole('row');
    const row = (title: string) => rows().filter({ hasText: title });

    /** How many `selectMany` has selected: more than one request takes. */
    let many = 0;

    /** As somebody who scrolls does. */
    async function selectMany(words: string): Promise<void> {
      await page().goto(`/videos?q=${words}&sort=TITLE`);
      const all = page().getByRole('checkbox', { name: 'Select all shown videos' });
      const bar = page().getByRole('region', { name: 'Selected videos' });
      await rows().nth(3).waitFor();
      await expect
        .poll(async () => {
          await page().evaluate(() => scrollTo(0, document.body.scrollHeight));
          return page().evaluate(() =>
            Math.max(...[...document.querySelectorAll('[aria-rowindex]')].map((one) => Number(one.ariaRowIndex))),
          );
        })
        .toBeGreaterThan(110);
      // Not `check`: rows that load after the click leave the box half checked.
      await all.click();
      many = Number.parseInt(await bar.getByRole('status').innerText(), 10);
      expect(many).toBeGreaterThan(BATCH);
    }

    /** Holds the first request of this operation until it is released. */
    async function hold(operation: string): Promise<{ held: () => Promise<void>; release: () => void }> {
      const released = Promise.withResolvers<void>();
      let count = 0;
      await page().route('**/graphql', async (route) => {
        if (operationOf(route.request()) !== operation || count > 0) return route.fallback();
        count += 1;
        await released.promise;
        return route.fallback();
      });
      return { held: () => expect.poll(() => count).toBe(1), release: released.resolve };
    }

    async function countOf(where: string): Promise<number> {
      const { rows: found } = await desk().database.query<{ n: number }>(
        `select count(*)::int as n from video where ${where}`,
      );
      return found[0]!.n;
    }

    it('deletes more than a hundred with progress, stops between batches, names what is left, and undoes it', async () => {
      await selectMany('video+05');
      const notices = page().getByRole('region', { name: 'Notices' });
      const deleted = () => countOf(`title like 'Video 05%' and deleted_at is not null`);
      const first = await hold('DeleteVideos');
      await page().getByRole('button', { name: 'Delete' }).click();
      await notices.getByText(`Deleting: 0 of ${many}`).waitFor();
      await first.held();
      expect(await look(page(), 'videos-deleting')).toEqual([]);
      await notices.getByRole('button', { name: 'Stop' }).click();
      first.release();
      // The list is sorted by title: the first hundred were in the first batch.
      const left = /Not deleted: “Video 05100”, “Video 05101”, “Video 05102” and \d+ more\./;
      const stopped = await readNotice(page(), `${BATCH} of ${many} videos deleted`, left);
      expect(await deleted()).toBe(BATCH);
      await page().unrouteAll();
      await stopped.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(deleted).toBe(0);

      // The second batch fails: what was done can be undone, and the rest is tried again.
      await selectMany('video+05');
      let requests = 0;
      await page().route('**/graphql', (route) => {
        if (operationOf(route.request()) !== 'DeleteVideos') return route.fallback();
        requests += 1;
        return requests === 2 ? route.abort('connectionreset') : route.fallback();
      });
      await page().getByRole('button', { name: 'Delete' }).click();
      const unconfirmed = /Not confirmed: “Video 05100”.* The connection was lost/;
      const halfDone = await readNotice(page(), 'Could not delete all of them', unconfirmed);
      expect(await deleted()).toBe(BATCH);
      await halfDone.getByRole('button', { name: 'Try again' }).click();
      await expect.poll(deleted).toBe(many);
      await page().unrouteAll();
      await page().goto('/videos/bin');
      await page().getByRole('button', { name: 'Empty bin' }).click();
      const emptying = await hold('EmptyBin');
      await page().getByRole('dialog').getByRole('button', { name: 'Empty bin' }).click();
      await notices.getByText(`Emptying the bin: 0 of ${many}`).waitFor();
      await emptying.held();
      await notices.getByRole('button', { name: 'Stop' }).click();
      emptying.release();
      await notices.getByText(`${BATCH} of ${many} videos deleted for good`).waitFor();
      expect(await countOf('purge_after is not null')).toBe(many - BATCH);
      await page().unrouteAll();
      await page().getByRole('button', { name: 'Empty bin' }).click();
      await page().getByRole('dialog').getByRole('button', { name: 'Empty bin' }).click();
      await page().getByRole('heading', { name: 'The bin is empty' }).waitFor();
      expect(desk().complaints).toEqual([]);
    });

    it('loads further videos while all that were loaded are being deleted', async () => {
      await page().goto('/videos?q=video+084&sort=TITLE');
      await row('Video 08400').waitFor();
      await page().getByRole('checkbox', { name: 'Select all shown videos' }).click();
      const bar = page().getByRole('region', { name: 'Selected videos' });
      // Nobody has scrolled: the list has a second page.
      await bar.getByText('50 videos').waitFor();
      const deleting = await hold('DeleteVideos');
      await bar.getByRole('button', { name: 'Delete' }).click();
      await deleting.held();
      await row('Video 08450').waitFor();
      expect(await page().getByRole('heading', { name: 'No matching videos' }).count()).toBe(0);
      deleting.release();
      const notices = page().getByRole('region', { name: 'Notices' });
      await notices.getByRole('button', { name: 'Undo' }).click();
      await row('Video 08400').waitFor();
      await page().unrouteAll();
      expect(desk().complaints).toEqual([]);
    });

    it('tags more than a hundred with progress, stops between batches, and undoes what it did', async () => {
      await selectMany('video+06');
      const tagged = () => countOf(`title like 'Video 06%' and 'convoy' = any (tags)`);
      // Too many tags already: named, and left as it is.
      await desk().database.query(
        `update video set tags = (select array_agg('t' || n) from generate_series(1, 20) n) where title = 'Video 06007'`,
      );
      await page().getByRole('button', { name: 'Tags' }).click();
      const dialog = page().getByRole('dialog', { name: `Tags of ${many} videos` });
      await dialog.getByLabel('Add', { exact: true }).fill('convoy');
      await dialog.getByLabel('Add', { exact: true }).press('Enter');
      // The list of known tags covers the button until the field is left.
      await dialog.getByText(`Tags of ${many} videos`, { exact: true }).click();
      const first = await hold('ChangeVideoTags');
      await dialog.getByRole('button', { name: 'Change tags' }).click();
      await dialog.getByRole('status').getByText(`Changing tags: 0 of ${many}`).waitFor();
      await first.held();
      expect(await look(page(), 'videos-tagging')).toEqual([]);
      expect(await dialog.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
      await dialog.getByRole('button', { name: 'Stop' }).click();
      first.release();
      const changed = await readNotice(
        page(),
        `Tags of ${BATCH - 1} of ${many} videos changed`,
        /exceed 20 tags: “Video 06007”\. Not changed: “Video 06100”, .* and \d+ more\./,
      );
      expect(await tagged()).toBe(BATCH - 1);
      await page().unrouteAll();
      await changed.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(tagged).toBe(0);
      await desk().database.query(`update video set tags = '{}' where title = 'Video 06007'`);
      expect(desk().complaints).toEqual([]);
    });

    it('processes more than a hundred one by one, says how far it is, names what failed, and can be stopped', async () => {
      await selectMany('video+07');
      await page()
        .getByRole('button', { name: /^Process/ })
        .click();
      const dialog = page().getByRole('dialog', { name: `Process ${many} videos` });
      await dialog
        .getByRole('status')
        .getByText(new RegExp(`^Price \\d+ of ${many}$`))
        .waitFor();
      await dialog.getByLabel('Quality of all').selectOption('AUDIO');
      const accept = dialog.getByRole('button', { name: /^Process for / });
      await accept.waitFor();
      await expect.poll(() => accept.isEnabled()).toBe(true);
      const started: string[] = [];
      const released = Promise.withResolvers<void>();
      await page().route('**/graphql', async (route) => {
        const request = route.request();
        if (operationOf(request) !== 'ProcessVideo') return route.fallback();
        started.push(request.postData() ?? '');
        // The second was deleted in another window; the fourth is still being started when somebody stops.
        if (started.length === 2) return route.fulfill({ json: REFUSED });
        if (started.length === 4) await released.promise;
        return route.fallback();
      });
      await accept.click();
      await dialog.getByRole('status').getByText(`Starting: 3 of ${many}`).waitFor();
      expect(await look(page(), 'videos-starting')).toEqual([]);
      expect(await dialog.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
      await dialog.getByRole('button', { name: 'Stop' }).click();
      released.resolve();
      const left = /Not started: “Video 07001”, “Video 07004”, “Video 07005” and \d+ more\./;
      await readNotice(page(), `3 of ${many} started`, left);
      expect(started.length).toBe(4);
      expect(await countOf(`title like 'Video 07%' and attempt > 0`)).toBe(3);
      // The others stay in the dialog.
      await page()
        .getByRole('dialog', { name: `Process ${many - 3} videos` })
        .waitFor();
      await page().unrouteAll();
      await page().getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      expect(desk().complaints).toEqual([]);
    });

    /** The ten videos whose number begins with these four digits. */
    async function selectTen(digits: string): Promise<void> {
      await page().goto(`/videos?q=video+${digits}&sort=TITLE`);
      await rows()
        .filter({ hasText: /Video \d/ })
        .nth(9)
        .waitFor();
      await page().getByRole('checkbox', { name: 'Select all shown videos' }).click();
      await page().getByRole('region', { name: 'Selected videos' }).getByText('10 videos').waitFor();
    }

    it('undoes processing of what no worker has begun with, and names what continues', async () => {
      const { database } = desk();
      const notices = page().getByRole('region', { name: 'Notices' });
      const locked = async (): Promise<number> => {
        const { rows: found } = await database.query<{ n: number }>(
          `select count(*)::int as n from escrow e join video v on v.account_id = e.account_id and v.id = e.video_id
            where v.title like 'Video 0812%' and e.status = 'locked'`,
        );
        return found[0]!.n;
      };
      await withJobsLater(database, async () => {
        await selectTen('0812');
        await page()
          .getByRole('button', { name: /^Process/ })
          .click();
        const dialog = page().getByRole('dialog', { name: 'Process 10 videos' });
        await dialog.getByLabel('Quality of all').selectOption('AUDIO');
        await dialog.getByRole('button', { name: /^Process for / }).click();
        const undoNote = 'Undo cancels only videos whose processing has not begun.';
        const started = await readNotice(page(), 'Processing 10 videos', undoNote);
        expect(await locked()).toBe(10);
        await database.query(`update video set status = 'processing' where title = 'Video 08124'`);
        await started.getByRole('button', { name: 'Undo' }).click();
        const begun = 'Not cancelled: “Video 08124”. Processing that has begun continues.';
        await readNotice(page(), '9 of 10 cancelled', begun);
        expect(await locked()).toBe(1);
        expect(await countOf(`title like 'Video 0812%' and status = 'uploaded' and attempt = 1`)).toBe(9);

        // On its own page, until a worker begins.
        await database.query(`update video set status = 'queued' where title = 'Video 08124'`);
        await row('Video 08124').getByRole('link').first().click();
        const count = `(select account_id from video where title = 'Video 08124')`;
        await database.query(`update video_count set failed = failed + 100000 where account_id = ${count}`);
        await page().getByRole('button', { name: 'Cancel processing' }).click();
        await notices.getByText(/^Not cancelled: “Video 08124”\. Too many unprocessed videos\./).waitFor();
        await database.query(`update video_count set failed = failed - 100000 where account_id = ${count}`);

        // The service did it, but its response is lost: nobody knows until it is asked again.
        await page().route('**/graphql', async (route) => {
          if (operationOf(route.request()) !== 'CancelProcessing') return route.fallback();
          await route.fetch();
          return route.abort('connectionreset');
        });
        await page().getByRole('button', { name: 'Cancel processing' }).click();
        const unconfirmed = /Not confirmed: “Video 08124”\. The connection was lost/;
        const failed = await readNotice(page(), 'Could not cancel processing', unconfirmed);
        expect(await locked()).toBe(0);
        await page().unrouteAll();
        await failed.getByRole('button', { name: 'Try again' }).click();
        await notices.getByText('Processing cancelled').waitFor();
        await page().getByRole('button', { name: 'See price' }).waitFor();
      });
      expect(desk().complaints).toEqual([]);
    });

    it('continues with tags after the dialog was closed, and leaves the one open that was opened since', async () => {
      await selectTen('0813');
      const notices = page().getByRole('region', { name: 'Notices' });
      await page().getByRole('button', { name: 'Tags' }).click();
      const dialog = page().getByRole('dialog', { name: 'Tags of 10 videos' });
      await dialog.getByLabel('Add', { exact: true }).fill('later');
      await dialog.getByLabel('Add', { exact: true }).press('Enter');
      const request = await hold('ChangeVideoTags');
      await dialog.getByRole('button', { name: 'Change tags' }).click();
      await request.held();
      // One request cannot be stopped.
      await dialog.getByText('Close', { exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
      await page()
        .getByRole('button', { name: /^Process/ })
        .click();
      const other = page().getByRole('dialog', { name: 'Process 10 videos' });
      await other.waitFor();
      request.release();
      await readNotice(page(), 'Tags of 10 videos changed');
      expect(await countOf(`title like 'Video 0813%' and 'later' = any (tags)`)).toBe(10);
      await other.getByRole('button', { name: 'Cancel' }).click();
      await other.waitFor({ state: 'hidden' });
      // Both are at the bottom of the window. A notice with the focus stays.
      await notices.getByRole('button', { name: 'Undo' }).focus();
      await expectApart(page(), notices, page().getByRole('region', { name: 'Selected videos' }));
      await page().unrouteAll();
      expect(desk().complaints).toEqual([]);
    });
  });
}
