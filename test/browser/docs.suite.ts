import { describe, expect, it } from 'vitest';

import { look } from './look.js';
import type { Scene } from './scene.js';
import { DESKTOP, goTo } from './window.js';

/** The documentation in the dashboard. */
export function theDocs(scene: () => Scene): void {
  describe('the documentation', () => {
    it('has a page for each topic, with its parts and its neighbors', async () => {
      // Where it is narrower, the topics are in a part that opens and closes again.
      const { page, complaints } = await scene().openWindow('/docs', DESKTOP);
      const topics = page.getByRole('navigation', { name: 'Topics' });
      await page.getByRole('heading', { name: /^Getting started/, level: 2 }).waitFor();
      expect(await page.locator('main section[id]').count()).toBe(1);
      const names = await topics.locator('ul:not(ul ul) > li > a').allInnerTexts();
      expect(names.at(-1)).toBe('Payment webhooks');
      // Owners read the first list, and the second one has only what they do not need.
      const forOperators = topics.getByText('For operators').locator('xpath=following-sibling::ul/li/a');
      expect(await forOperators.allInnerTexts()).toEqual(['Payment webhooks']);
      for (const name of names) {
        await topics.getByRole('link', { name, exact: true }).first().click();
        await page.getByRole('heading', { name: new RegExp(`^${name}`), level: 2 }).waitFor();
        expect(await topics.locator('[aria-current=page]').innerText()).toBe(name);
        await expect.poll(() => page.title()).toContain(name);
      }
      await topics.getByRole('link', { name: 'Money', exact: true }).click();
      await topics.getByRole('link', { name: 'Refunds, disputes and debt' }).click();
      await expect.poll(() => new URL(page.url()).hash).toBe('#money-refunds');
      await page
        .getByRole('navigation', { name: 'Previous and next topic' })
        .getByRole('link', { name: /Events/ })
        .click();
      await page.getByRole('heading', { name: /^Events/, level: 2 }).waitFor();
      expect(complaints).toEqual([]);
    });

    it('leads from the anchors that were all on one page to the pages of today', async () => {
      const { page } = await scene().openWindow('/docs#money-storage');
      const heading = page.getByRole('heading', { name: /^Storage/, level: 3 });
      await heading.waitFor();
      expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/docs/money#money-storage');
      await expect
        .poll(() => heading.evaluate((part) => part.getBoundingClientRect().top))
        .toBeLessThan(page.viewportSize()!.height);
      await page.goto('/docs#%E0%A4%A');
      await page.getByRole('heading', { name: /^Getting started/, level: 2 }).waitFor();
      await page.goto('/docs/none');
      await page.getByText('There is no such topic').waitFor();
    });

    it('leads there before its code has loaded, and never back from what was clicked meanwhile', async () => {
      const { page } = await scene().openWindow('/keys');
      await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
      const released = Promise.withResolvers<void>();
      const held: string[] = [];
      await page.route(/\/assets\/DocsPage-.*\.js$/, async (route) => {
        held.push(route.request().url());
        await released.promise;
        await route.continue();
      });
      // As a link to the old address does.
      await page.evaluate(() => {
        history.pushState(null, '', '/docs#money-storage');
        dispatchEvent(new PopStateEvent('popstate'));
      });
      await page.waitForURL('**/docs/money#money-storage');
      await expect.poll(() => held.length).toBe(1);
      await goTo(page, 'Events');
      await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
      const loaded = page.waitForResponse(/\/assets\/DocsPage-.*\.js$/);
      released.resolve();
      await loaded;
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
      expect(new URL(page.url()).pathname).toBe('/events');
    });

    it('is searched as it is read, also by those who have not signed in', async () => {
      const { page, complaints } = await scene().openWindow('/docs/player');
      await page.getByRole('searchbox', { name: 'Search the docs' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('suspense');
      // More is typed while the page of the new address is rendered.
      await page.waitForURL(/q=suspense$/);
      await page.keyboard.type(' amount');
      const results = page.getByRole('region', { name: 'Results' });
      await results.getByText('1 result for “suspense amount”').waitFor();
      const hit = results.getByRole('link', { name: 'Payment webhooks: Late, repeated and reordered events' });
      await hit.waitFor();
      expect(await results.locator('mark').allInnerTexts()).toEqual(['amount']);
      expect(await look(page, 'docs-search')).toEqual([]);
      await page.context().clearCookies();
      await page.reload();
      await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
      await hit.click();
      await page.getByRole('heading', { name: /^Late, repeated/, level: 3 }).waitFor();
      expect(new URL(page.url()).search).toBe('');

      // From the API's own document, which is loaded.
      const search = page.getByRole('searchbox', { name: 'Search the docs' });
      await search.fill('PLAYBACK_TOKEN_EXPIRED');
      await results.getByRole('link', { name: 'Error codes', exact: true }).waitFor();
      await search.fill('<img src=x onerror=alert(1)>');
      await results.getByText('Nothing matches “<img src=x onerror=alert(1)>”.').last().waitFor();
      await page.getByRole('button', { name: 'Clear search' }).click();
      await page.getByRole('heading', { name: /^Payment webhooks/, level: 2 }).waitFor();
      expect(complaints).toEqual([]);
    });

    it('shows what each endpoint returns', async () => {
      const permissions = ['clipboard-read', 'clipboard-write'];
      const { page } = await scene().openWindow('/docs/rest-api', { permissions });
      const samples = page.getByText('Sample response');
      await expect.poll(() => samples.count()).toBe(4);
      await samples.first().click();
      await page.getByText('"title": "Product tour"').first().waitFor();
      const sample = page.locator('details[open]');
      await sample.getByRole('button', { name: /^Copy: 200/ }).click();
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      const shown = await sample.locator('pre').innerText();
      expect(shown).toContain('"title": "Product tour"');
      await expect.poll(copied).toBe(shown);
    });
  });
}
