import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { readNotice } from './notices.js';
import { operationOf } from './operationOf.js';
import type { Scene } from './scene.js';
import { SeededVideo } from './seededVideo.js';
import { DESKTOP } from './window.js';

/** A page never shows older data than the last live update, whichever arrives first. */
export function theLiveUpdates(scene: () => Scene): void {
  const arrives = (what: string, holds: () => boolean): Promise<void> => scene().running.service.until(holds, what);

  describe('a page with live updates', () => {
    it('does not replace an update by an earlier response', async () => {
      const video = await SeededVideo.create(scene());
      const { page } = await scene().openWindow('/videos');
      const answered = Promise.withResolvers<void>();
      const told = Promise.withResolvers<void>();
      await page.route('**/graphql', async (route) => {
        if (operationOf(route.request()) !== 'Video') return route.fallback();
        await page.unroute('**/graphql');
        const answer = await route.fetch();
        answered.resolve();
        await told.promise;
        // If the request was aborted, there is nothing to respond to.
        await route.fulfill({ response: answer }).catch(() => undefined);
      });
      await page.getByRole('link', { name: video.title }).first().click();
      await answered.promise;

      // A change makes every list refetch, which shows that the page knows of it.
      const noticed = page.waitForRequest((request) => operationOf(request) === 'RunningJobs');
      await video.measure();
      await noticed;
      told.resolve();
      await page.getByRole('button', { name: 'See price' }).waitFor();
    });

    it('refetches once it listens', async () => {
      const video = await SeededVideo.create(scene());
      const { page } = await scene().openWindow('/keys');
      const measured = Promise.withResolvers<void>();
      await page.route('**/graphql/stream', async (route) => {
        if (operationOf(route.request()) === 'VideosChanged') await measured.promise;
        return route.fallback();
      });
      await page.goto(video.path);
      await page.getByText('Measuring length and size').waitFor();
      await video.measure();
      measured.resolve();
      await page.getByRole('button', { name: 'See price' }).waitFor();
    });

    it('says how long ago a video was added, as time passes', async () => {
      const video = await SeededVideo.create(scene());
      await video.measure();
      for (const path of ['/videos', '/']) {
        // A phone's list does not say when.
        const { page } = await scene().openWindow('about:blank', DESKTOP);
        await page.clock.install();
        await page.goto(path);
        const ages = page.getByRole('main').getByText(/just now$|minutes? ago$/);
        await ages.first().waitFor();
        // What the page reads again stays the same.
        await page.clock.fastForward('02:00:00');
        await page
          .getByText(/2 hours ago$/)
          .first()
          .waitFor();
        expect(await ages.count()).toBe(0);
      }
    });

    it('says that a video is ready, with a way to it from every page but its own', async () => {
      const video = await SeededVideo.create(scene());
      await video.measure();
      for (const [path, links] of [
        ['/keys', 1],
        [video.path, 0],
      ] as const) {
        const { page } = await scene().openWindow(path);
        const known = page.waitForRequest((request) => operationOf(request) === 'RunningJobs');
        await page.getByRole('heading', { level: 1 }).waitFor();
        await known;
        // The page has to know the status before, as it does while a job runs.
        const noticed = page.waitForRequest((request) => operationOf(request) === 'RunningJobs');
        await video.become('processing');
        await noticed;
        await video.become('ready');
        const notice = await readNotice(page, `“${video.title}” is ready`);
        expect(await notice.getByRole('button', { name: 'Open' }).count()).toBe(links);
        await page.context().close();
      }
    });

    it('shows no message of a kind that its owner switched off, and the list still changes', async () => {
      const choose = (dashboard: boolean) =>
        scene().ask('mutation ($on: Boolean) { setNotification(kind: VIDEO_READY, dashboard: $on) { kind } }', {
          on: dashboard,
        });
      await choose(false);
      try {
        const { page } = await scene().openWindow('about:blank');
        // It has no message of a change that it did not see.
        const isLive = page.waitForResponse((response) => operationOf(response.request()) === 'VideosChanged');
        await page.goto('/videos');
        await isLive;
        const listed = (video: SeededVideo) =>
          page.getByRole('table', { name: 'Videos' }).getByRole('row').filter({ hasText: video.title });
        const videos = await Promise.all([SeededVideo.create(scene()), SeededVideo.create(scene())]);
        const [ready, failed] = videos;
        for (const video of videos) {
          await video.measure();
          await listed(video).waitFor();
          const noticed = page.waitForRequest((request) => operationOf(request) === 'RunningJobs');
          await video.become('processing');
          await noticed;
        }
        await ready.become('ready');
        await listed(ready).getByText('Ready', { exact: true }).waitFor();
        // A message of the other kind: the one before it would have come earlier.
        await failed.become('failed');
        const notices = page.getByRole('region', { name: 'Notices' });
        await notices.getByText(failed.title).waitFor();
        expect(await notices.getByText(ready.title).count()).toBe(0);
        await page.context().close();
      } finally {
        await choose(true);
      }
    });

    it('leaves its connections to other tabs while it is hidden, and catches up afterwards', async () => {
      const video = await SeededVideo.create(scene());
      const { page } = await scene().openWindow('/keys');
      const open = new Set<Request>();
      const isStream = (request: Request): boolean => request.url().endsWith('/graphql/stream');
      page.on('response', (response) => {
        if (isStream(response.request())) open.add(response.request());
      });
      const forget = (request: Request): boolean => open.delete(request);
      page.on('requestfailed', forget).on('requestfinished', forget);
      await page.goto(video.path);
      await arrives('both streams are open', () => open.size === 2);

      await look(page, false);
      await arrives('no stream is open', () => open.size === 0);
      await video.measure();
      await look(page, true);
      await page.getByRole('button', { name: 'See price' }).waitFor();
      await arrives('both streams are open again', () => open.size === 2);

      // A tab that is opened behind others paints nothing, and its streams begin when it is looked at.
      await page.addInitScript(() => Object.defineProperty(document, 'hidden', { value: true, configurable: true }));
      await page.reload();
      await page.getByRole('heading', { name: 'Activity' }).waitFor();
      expect(open.size).toBe(0);
      await look(page, true);
      await arrives('both streams of the new page are open', () => open.size === 2);
    });
  });
}

/** Hides or shows the tab by overriding its visibility, which a headless browser cannot change. */
async function look(page: Page, isSeen: boolean): Promise<void> {
  await page.evaluate((seen) => {
    Object.defineProperty(document, 'hidden', { value: !seen, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isSeen);
}
