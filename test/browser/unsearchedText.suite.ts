import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import type { Scene } from './scene.js';

/** Longer than any search field waits for the next letter. */
const PAUSE_MS = 2_000;

/** Search fields wait until nothing was typed for a moment. In the meantime, something else may replace the search. */
export function theUnsearchedText(scene: () => Scene): void {
  describe('text that was typed and is not searched yet', () => {
    /** A page whose clock stands still: what is typed waits for `elapse`. */
    async function opened(path: string): Promise<Page> {
      const { page } = await scene().openWindow(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
      await stopClock(page);
      return page;
    }

    async function stopClock(page: Page): Promise<void> {
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + PAUSE_MS);
    }

    /** The parameters of the address once all that waited has happened. */
    async function elapse(page: Page): Promise<string> {
      await page.clock.runFor(PAUSE_MS);
      return page.evaluate(() => location.search);
    }

    it('is cleared with the filters of the ledger', async () => {
      const page = await opened('/wallet/ledger?type=TOPUP');
      const amount = page.getByLabel('Amount', { exact: true });
      await amount.fill('50');
      await page.getByRole('button', { name: 'Clear' }).click();
      expect(await elapse(page)).toBe('');
      expect(await amount.inputValue()).toBe('');

      await amount.fill('50');
      expect(await elapse(page)).toBe('?amount=50');
      await amount.fill('51');
      await page.getByRole('button', { name: 'Clear' }).click();
      expect(await elapse(page)).toBe('');
      expect(await amount.inputValue()).toBe('');
    });

    it('is gone once all ledger entries are shown', async () => {
      const page = await opened('/wallet/ledger?from=2001-01-01&to=2001-01-02');
      const amount = page.getByLabel('Amount', { exact: true });
      await amount.fill('50');
      await page.getByRole('button', { name: 'Show all entries' }).click();
      expect(await elapse(page)).toBe('');
      expect(await amount.inputValue()).toBe('');
    });

    it('is gone once all videos are shown', async () => {
      const page = await opened('/videos?status=FAILED&tag=none-has-it');
      const search = page.getByLabel('Search by title');
      await search.fill('typed');
      await page.getByRole('button', { name: 'Show all videos' }).click();
      expect(await elapse(page)).toBe('');
      expect(await search.inputValue()).toBe('');
    });

    it('gives way to a saved filter', async () => {
      const { page } = await scene().openWindow('/videos?status=READY');
      const search = page.getByLabel('Search by title');
      await page.getByRole('button', { name: 'Saved' }).click();
      await page.getByLabel('Name').fill('Ready');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.goto('/videos');
      await page.getByRole('button', { name: 'Saved' }).click();
      const saved = page.getByRole('link', { name: 'Ready', exact: true });
      await saved.waitFor();
      await stopClock(page);
      // Not by a click into the field, which would close the list of filters.
      await search.evaluate((field: HTMLInputElement) => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, 'typed');
        field.dispatchEvent(new Event('input', { bubbles: true }));
      });
      await saved.click();
      expect(await elapse(page)).toBe('?status=READY');
      expect(await search.inputValue()).toBe('');
    });

    it('is not searched in a chapter of the docs that was opened since', async () => {
      const page = await opened('/docs');
      await page.getByRole('searchbox').fill('webhook');
      const link = page.getByRole('main').getByRole('link', { name: 'The player', exact: true });
      // Where they do not fit beside the text, the topics are collapsed above it.
      if (!(await link.first().isVisible())) await page.getByText('Topics', { exact: true }).first().click();
      await link.filter({ visible: true }).first().click();
      await page.waitForURL('**/docs/player');
      expect(await elapse(page)).toBe('');
    });
  });
}
