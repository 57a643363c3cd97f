import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import '../../src/player/index.js';
import { makeClip, mediaFolder } from '../support/media.js';
import type { Scene } from './scene.js';
import { SeededVideo } from './seededVideo.js';
import { LONG_WAIT_MS } from '../support/deadlines.js';
import { goTo, navigationOf, openPage } from './window.js';

/** More than the number of tab stops of any page. */
const MOST_TABS = 120;

/** The main tasks without a mouse: every control can be reached with Tab, and pressed. */
export function theKeyboard(scene: () => Scene): void {
  describe('a user without a mouse', () => {
    it('keeps the page if code that loads later arrives at the second try', async () => {
      const { page } = await scene().openWindow('about:blank');
      let isAway = true;
      let refused = 0;
      await page.route(/\/assets\/DetailsForm-[^/]*\.js$/, (route) => {
        if (!isAway) return route.continue();
        refused += 1;
        return route.abort();
      });
      await page.goto(`/videos/${scene().demo.videoId}`);
      await expect.poll(() => refused).toBeGreaterThan(0);
      isAway = false;
      await page.getByLabel('Description').waitFor();
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    });

    it('keeps home if what needs the owner arrives at the second try', async () => {
      const failed = await SeededVideo.create(scene());
      await failed.become('failed');
      const { page } = await scene().openWindow('about:blank');
      let refused = 0;
      await page.route(/\/assets\/NeedsYou-[^/]*\.js$/, (route) => {
        refused += 1;
        return refused === 1 ? route.abort() : route.continue();
      });
      await page.goto('/');
      await page.getByRole('region', { name: 'Needs you' }).waitFor();
      expect(refused).toBe(2);
    });

    it('opens a page whose code arrives at the second try', async () => {
      const { page } = await scene().openWindow('/');
      let refused = 0;
      await page.route(/\/assets\/ReferralsPage-[^/]*\.js$/, (route) => {
        refused += 1;
        return refused === 1 ? route.abort() : route.continue();
      });
      await goTo(page, 'Referrals');
      await page.getByRole('heading', { name: 'Referrals', level: 1 }).waitFor();
      expect(refused).toBe(2);
    });

    it('opens a panel whose code is loaded at the first press, and returns to its button by Escape', async () => {
      const { page, complaints } = await scene().openWindow('about:blank');
      const held = Promise.withResolvers<void>();
      let asked = 0;
      await page.route(/\/assets\/floating-[^/]*\.js$/, async (route) => {
        asked += 1;
        await held.promise;
        await route.continue();
      });
      await page.goto('/videos');
      const button = page.getByRole('button', { name: 'Columns' });
      await button.waitFor();
      const before = await button.elementHandle();
      expect(asked).toBe(0);
      await reach(page, button);
      await page.keyboard.press('Enter');
      await expect.poll(() => asked).toBeGreaterThan(0);
      expect(await button.getAttribute('aria-expanded')).toBe('true');
      held.resolve();

      const panel = page.getByRole('dialog', { name: 'Columns' });
      await expect.poll(() => focusIsIn(panel)).toBe(true);
      expect(await panel.getAttribute('id')).toBe(await button.getAttribute('aria-controls'));
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'hidden' });
      // The same element: a press is never lost, and screen readers stay where they are.
      await expect.poll(() => before.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await button.getAttribute('aria-expanded')).toBe('false');
      await page.keyboard.press('Enter');
      await expect.poll(() => focusIsIn(panel)).toBe(true);
      expect(complaints).toEqual([]);
    });

    it('keeps the page if the code of a panel does not arrive, and opens the panel at a later press', async () => {
      const { page } = await scene().openWindow('about:blank');
      let isAway = true;
      await page.route(/\/assets\/floating-[^/]*\.js$/, (route) => (isAway ? route.abort() : route.continue()));
      await page.goto('/videos');
      // Not the button that closes the notice.
      const button = page.getByRole('button', { name: 'Columns', exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
      const notices = page.getByRole('region', { name: 'Notices' });
      await notices.getByText('“Columns” could not be opened').waitFor();
      expect(await button.getAttribute('aria-expanded')).toBe('false');
      await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
      isAway = false;
      await page.keyboard.press('Enter');
      await expect.poll(() => focusIsIn(page.getByRole('dialog', { name: 'Columns' }))).toBe(true);
    });

    it('signs in, uploads, accepts the price, plays, creates a key and moves credits', async () => {
      await using folder = await mediaFolder();
      const clip = await makeClip(folder.path, { name: 'by keys.mp4', durationSeconds: 1 });
      const { page, complaints } = await openPage(scene().browser, scene().demo.url);
      const { email, password } = scene().demo;
      const press = async (target: Locator, key = 'Enter'): Promise<void> => {
        await reach(page, target);
        await page.keyboard.press(key);
      };
      const type = async (target: Locator, text: string): Promise<void> => {
        await reach(page, target);
        await page.keyboard.press('ControlOrMeta+A');
        await page.keyboard.type(text);
      };
      const goByKeys = async (name: string): Promise<void> => {
        const link = navigationOf(page).getByRole('link', { name, exact: true });
        if (!(await link.isVisible())) await press(navigationOf(page).getByRole('button', { name: 'More' }));
        await press(link);
      };

      await page.goto('/sign-in');
      await type(page.getByLabel('Email address'), email);
      await type(page.getByLabel('Password', { exact: true }), password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

      await goByKeys('Upload');
      const chooser = page.waitForEvent('filechooser');
      await press(page.getByLabel('Choose video or audio files, or drop them here'));
      await (await chooser).setFiles(clip);
      await type(page.getByLabel('Title'), 'Without a mouse');
      await press(page.getByLabel('Process automatically'), 'Space');
      expect(await page.getByLabel('Process automatically').isChecked()).toBe(false);
      await press(page.getByRole('button', { name: 'Upload', exact: true }));
      await press(page.getByRole('link', { name: 'Without a mouse', exact: true }));
      await press(page.getByRole('button', { name: 'See price' }));
      const dialog = page.getByRole('dialog');
      await press(dialog.getByRole('button', { name: /^Process for/ }));
      await dialog.waitFor({ state: 'hidden' });

      const play = page.getByRole('button', { name: 'Play Without a mouse' });
      await play.waitFor({ timeout: LONG_WAIT_MS });
      await press(play);
      await page.waitForFunction(() => document.querySelector('dhara-player')!.currentTime > 0.1);

      await goByKeys('API keys');
      await press(page.getByRole('button', { name: 'Create a key' }));
      await type(dialog.getByLabel('Name', { exact: true }), 'By keys');
      await page.keyboard.press('Enter');
      await press(dialog.getByRole('button', { name: 'I’ve copied it' }));
      await page.getByText('By keys', { exact: true }).waitFor();

      await goByKeys('Wallet');
      const edge = page.getByRole('slider', { name: 'Between Master and Creative' });
      await press(edge, 'ArrowLeft');
      await page.getByText(/from Master to Creative/).waitFor();
      await press(page.getByRole('button', { name: 'Move credits' }));
      await page.getByRole('region', { name: 'Notices' }).getByText('Credits moved').waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    it('reads a chart bar by bar, with the numbers beside the bar and for screen readers', async () => {
      const { page, complaints } = await scene().openWindow('/wallet');
      const chart = page.getByRole('img', { name: /^Credits spent per day/ });
      const bar = page.getByRole('slider', { name: 'Credits spent per day: bar' });
      const days = page.getByRole('table', { name: 'Credits spent per day' }).getByRole('rowheader');
      const expectBar = async (day: Locator) => {
        const name = await day.innerText();
        await chart.getByText(name, { exact: true }).waitFor();
        expect(await bar.getAttribute('aria-valuetext')).toMatch(new RegExp(`^${name}: Processing [\\d.]+, Storage `));
      };
      await reach(page, bar);
      await expectBar(days.last());
      await page.keyboard.press('Home');
      await expectBar(days.first());
      await page.keyboard.press('ArrowRight');
      await expectBar(days.nth(1));
      await page.keyboard.press('Tab');
      await chart.locator('b').waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
    });
  });
}

/** Presses Tab, wrapping around, until the target has the focus, also inside shadow trees. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (await target.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`not reached by Tab: ${String(target)}`);
}

function focusIsIn(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element.contains(document.activeElement));
}
