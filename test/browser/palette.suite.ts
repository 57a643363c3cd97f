import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { look } from './look.js';
import { operationOf } from './operationOf.js';
import type { Scene } from './scene.js';
import { SeededVideo } from './seededVideo.js';

const PHONE = { width: 390, height: 844 };

/** Everything that is found and done from the keyboard, on every page. */
export function thePalette(scene: () => Scene): void {
  describe('the palette with its keyboard shortcuts', () => {
    const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search' });
    const field = (page: Page) => dialog(page).getByRole('combobox');
    const option = (page: Page, name: RegExp | string) => dialog(page).getByRole('option', { name });
    /** What a screen reader calls the option that Enter opens. */
    const active = (page: Page) => dialog(page).locator('[role=option][aria-selected=true]');

    const trigger = (page: Page) => page.getByRole('button', { name: 'Search', exact: true });

    /** Dialogs fade out, and shortcuts do nothing until they are gone. One is kept hidden for the next time. */
    const closed = (page: Page) =>
      page.waitForFunction(() =>
        [...document.querySelectorAll('[role=dialog]')].every((one) => !one.checkVisibility()),
      );

    async function opened(page: Page): Promise<void> {
      await trigger(page).waitFor();
      await page.keyboard.press('ControlOrMeta+k');
      await expect.poll(() => field(page).evaluate((input) => input.matches(':focus'))).toBe(true);
    }

    it('opens pages, actions, videos, keys, ledger entries and docs, and remembers what was opened', async () => {
      const video = await SeededVideo.create(scene());
      const { page, complaints } = await scene().openWindow('/analytics');
      await opened(page);
      expect(await look(page, 'palette')).toEqual([]);
      await field(page).fill('refer');
      await expect.poll(() => active(page).innerText()).toContain('Referrals');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Referrals', level: 1 }).waitFor();
      expect(await dialog(page).count()).toBe(0);

      await opened(page);
      await dialog(page).getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Referrals' }).waitFor();
      await field(page).fill(video.title.toUpperCase());
      await option(page, video.title).first().waitFor();
      await option(page, `Ledger of “${video.title}”`).waitFor();
      expect(await look(page, 'palette-found')).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: video.title, level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe(video.path);

      await opened(page);
      await field(page).fill('alloc');
      await option(page, /^Allocation\s+Ledger$/).click();
      await page.getByRole('heading', { name: /Wallet/, level: 1 }).waitFor();
      expect(new URL(page.url()).search).toBe('?type=ALLOCATION');

      // An entry, by its kind, its amount and its video.
      await opened(page);
      await field(page).fill('processing 0.50 twenty');
      const entry = option(page, /^Processing: 0\.50 for “Twenty seconds of colour”/);
      await entry.waitFor();
      expect(await look(page, 'palette-ledger')).toEqual([]);
      await entry.click();
      await page
        .getByRole('table', { name: /^Ledger/ })
        .getByText('Twenty seconds of colour')
        .first()
        .waitFor();
      expect(new URL(page.url()).search).toContain('type=ESCROW_SETTLE');
      await opened(page);
      await field(page).fill('processing 0.51');
      await option(page, /^Search the docs/).waitFor();
      expect(await option(page, /^Processing: /).count()).toBe(0);
      await page.keyboard.press('Escape');
      await closed(page);

      await opened(page);
      await field(page).fill('add credits');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Add credits' }).waitFor();
      await page.keyboard.press('Escape');
      await closed(page);
      expect(new URL(page.url()).search).toBe('');

      await opened(page);
      await field(page).fill('notif');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/settings/notifications');

      await opened(page);
      await field(page).fill('webhooks pay');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/docs/webhooks');
      expect(complaints).toEqual([]);
    });

    it('finds a key by its name, and opens the page at it', async () => {
      const name = `Palette ${crypto.randomUUID().slice(0, 8)}`;
      await scene().ask('mutation ($name: String!) { createApiKey(name: $name) { key } }', { name });
      const { page } = await scene().openWindow('/videos');
      await opened(page);
      await field(page).fill(name.slice(8));
      await option(page, new RegExp(name)).click();
      const card = page.getByRole('article', { name: `Key ${name}` });
      await card.waitFor();
      expect(new URL(page.url()).hash).toBe(`#${await card.getAttribute('id')}`);
    });

    it('leads to all videos and to all keys that match if there are more than it shows', async () => {
      for (let n = 0; n < 7; n += 1) await SeededVideo.create(scene());
      const { page } = await scene().openWindow('/wallet');
      // As in an account with seven keys more.
      await page.route('**/graphql', async (route) => {
        if (operationOf(route.request()) !== 'ApiKeys') return route.fallback();
        const response = await route.fetch();
        const json = (await response.json()) as { data: { apiKeys: { id: string; name: string }[] } };
        const [key] = json.data.apiKeys;
        for (let n = 0; n < 7; n += 1)
          json.data.apiKeys.push({ ...key!, id: `${key!.id}${n}`, name: `Spare key ${n}` });
        return route.fulfill({ response, json });
      });
      await opened(page);
      const shown = (group: string) => dialog(page).getByRole('group', { name: group }).getByRole('option');
      await field(page).fill('spare key');
      await expect.poll(() => shown('API keys').count()).toBe(7);
      await option(page, /^Show all API keys\s+newest 6 shown$/).waitFor();
      await field(page).fill('spare key 3');
      await expect.poll(() => shown('API keys').count()).toBe(1);
      await field(page).fill('just uploaded');
      await expect.poll(() => shown('Videos').count()).toBe(7);
      await option(page, /^Show all videos that match “just uploaded”\s+newest 6 shown$/).click();
      await page.waitForURL('**/videos?q=just+uploaded');
      await expect.poll(() => page.getByRole('link', { name: /^Just uploaded/ }).count()).toBeGreaterThan(6);
    });

    it('moves around at both ends, and offers the docs if nothing else matches', async () => {
      const { page } = await scene().openWindow('/keys');
      await opened(page);
      const names = await dialog(page).getByRole('option').allInnerTexts();
      await page.keyboard.press('ArrowUp');
      await expect.poll(() => active(page).innerText()).toBe(names.at(-1));
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => active(page).innerText()).toBe(names[0]);
      const activeId = await active(page).getAttribute('id');
      expect(await field(page).getAttribute('aria-activedescendant')).toBe(activeId);
      await field(page).fill('<b>no such thing</b>');
      await expect
        .poll(() => dialog(page).getByRole('option').allInnerTexts())
        .toEqual(['Search the docs for “<b>no such thing</b>”']);
      await field(page).fill('');
      await expect.poll(() => dialog(page).getByRole('option').count()).toBe(names.length);
      await page.keyboard.press('Escape');
      await closed(page);
    });

    it('searches the kind of ledger entries that is named, says how far, and leads to the others', async () => {
      const { page } = await scene().openWindow('/keys');
      const filters: unknown[] = [];
      const amountIsHeld = Promise.withResolvers<void>();
      // As in an account with more entries than the palette reads. What has the amount is answered last.
      await page.route('**/graphql', async (route) => {
        if (operationOf(route.request()) !== 'PaletteLedger') return route.fallback();
        const { filter } = (route.request().postDataJSON() as { variables: { filter: { amount?: string } } }).variables;
        filters.push(filter);
        const response = await route.fetch();
        const json = (await response.json()) as {
          data: { wallet: { entries: { pageInfo: { hasNextPage: boolean } } } };
        };
        json.data.wallet.entries.pageInfo.hasNextPage = true;
        if (filter.amount) await amountIsHeld.promise;
        return route.fulfill({ response, json });
      });
      const older = option(page, /^Find older ledger entries\s+newest 100 searched$/);
      await opened(page);
      await field(page).fill('alloc 50');
      await option(page, /^Allocation: 50\.00/)
        .first()
        .waitFor();
      await expect.poll(() => filters).toContainEqual({ amount: '50' });
      // The link is not there until it is known where it leads.
      expect(await older.count()).toBe(0);
      expect(await dialog(page).getByRole('listbox').getAttribute('aria-busy')).toBe('true');
      amountIsHeld.resolve();
      await older.click();
      await page.waitForURL('**/wallet/ledger?type=ALLOCATION&amount=50');
      expect(filters).toContainEqual({ types: ['ALLOCATION'] });
    });

    it('finds an amount in the whole ledger, however it is written, and leads to all entries of it', async () => {
      const { page } = await scene().openWindow('/keys');
      const filters: { amount?: string }[] = [];
      // As in an account whose newest entries do not have the amount.
      await page.route('**/graphql', async (route) => {
        if (operationOf(route.request()) !== 'PaletteLedger') return route.fallback();
        const { filter } = (route.request().postDataJSON() as { variables: { filter: { amount?: string } } }).variables;
        filters.push(filter);
        const response = await route.fetch();
        const json = (await response.json()) as {
          data: { wallet: { entries: { edges: unknown[]; pageInfo: { hasNextPage: boolean } } } };
        };
        if (!filter.amount) json.data.wallet.entries.edges = [];
        json.data.wallet.entries.pageInfo.hasNextPage = true;
        return route.fulfill({ response, json });
      });
      await opened(page);
      await field(page).fill('500.000');
      await option(page, /^Adjustment: 500\.00/).waitFor();
      await field(page).fill('-50.0 alloc');
      await option(page, /^Allocation: 50\.00/)
        .first()
        .waitFor();
      expect(filters).toContainEqual({ amount: '50' });
      await option(page, /^Find older ledger entries\s+newest 100 searched$/).click();
      await page.waitForURL('**/wallet/ledger?type=ALLOCATION&amount=50');
      const amount = page.getByLabel('Amount', { exact: true });
      expect(await amount.inputValue()).toBe('50');
      const changes = page.getByRole('table', { name: /^Ledger/ }).getByText(/^[+−]50\.00$/);
      await changes.first().waitFor();
      await amount.fill('fifty');
      await page.getByText('Enter an amount such as 12.50').waitFor();
      expect(await look(page, 'ledger-amount')).toEqual([]);
      await amount.fill('50.01');
      await page.getByRole('heading', { name: 'No matching entries' }).waitFor();
    });

    it('shows the newest entries of an amount, and leads to all of them if there are more', async () => {
      for (let times = 0; times < 3; times += 1) {
        await scene().moveCredits('MASTER', 'CLOUD', '0.37');
        await scene().moveCredits('CLOUD', 'MASTER', '0.37');
      }
      const all = /^Show all ledger entries of 0\.37\s+newest 6 shown$/;
      const { page } = await scene().openWindow('/keys');
      await opened(page);
      await field(page).fill('0.37');
      const shown = option(page, /^Allocation: 0\.37/);
      await expect.poll(() => shown.count()).toBe(6);
      expect(await option(page, all).count()).toBe(0);
      await page.keyboard.press('Escape');
      await closed(page);

      await scene().moveCredits('MASTER', 'CLOUD', '0.37');
      await scene().moveCredits('CLOUD', 'MASTER', '0.37');
      await page.reload();
      await opened(page);
      await field(page).fill('0.37');
      await option(page, all).click();
      await page.waitForURL('**/wallet/ledger?amount=0.37');
      const changes = page.getByRole('table', { name: /^Ledger/ }).getByText(/^[+−]0\.37$/);
      await expect.poll(() => changes.count()).toBeGreaterThanOrEqual(8);
    });

    it('says when the service does not answer, and still finds pages', async () => {
      const { page } = await scene().openWindow('/keys');
      await page.route('**/graphql', (route) => {
        const { operationName } = route.request().postDataJSON() as { operationName?: string };
        return operationName === 'PaletteVideos' ? route.abort() : route.continue();
      });
      await opened(page);
      await field(page).fill('wallet');
      await dialog(page).getByRole('alert').waitFor();
      await option(page, /^Wallet/).waitFor();
    });

    it('obeys / U and ?, but not while somebody types or a dialog is open', async () => {
      const { page, complaints } = await scene().openWindow('/videos');
      await trigger(page).waitFor();
      const search = page.getByRole('main').getByRole('searchbox');
      await search.waitFor();
      await page.keyboard.press('/');
      await expect.poll(() => search.evaluate((input) => input.matches(':focus'))).toBe(true);
      await page.keyboard.type('u?/');
      expect(await search.inputValue()).toBe('u?/');
      await search.fill('');
      await search.blur();

      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await help.getByText('Search everything').waitFor();
      expect(await look(page, 'shortcuts')).toEqual([]);
      await page.keyboard.press('u');
      await page.keyboard.press('ControlOrMeta+k');
      expect(await help.count()).toBe(1);
      expect(new URL(page.url()).pathname).toBe('/videos');
      await page.keyboard.press('Escape');
      await closed(page);

      await page.keyboard.press('u');
      await page.getByRole('heading', { name: 'Upload', level: 1 }).waitFor();
      // This page has no search field of its own.
      await page.keyboard.press('/');
      await field(page).waitFor();
      expect(complaints).toEqual([]);
    });

    it('opens from the head of a phone, without a keyboard', async () => {
      const { page } = await scene().openWindow('/keys', { viewport: PHONE });
      await trigger(page).waitFor();
      const box = (await trigger(page).boundingBox())!;
      expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(36);
      await trigger(page).click();
      await field(page).fill('settings');
      expect(await look(page, 'palette-phone')).toEqual([]);
      await option(page, 'Settings').first().click();
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    });
  });
}
