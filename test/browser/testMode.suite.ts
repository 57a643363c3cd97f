import { readFile } from 'node:fs/promises';

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { makeClip, mediaFolder } from '../support/media.js';
import { look } from './look.js';
import type { Scene } from './scene.js';
import { goTo, navigationOf } from './window.js';

const PHONE = { width: 390, height: 844 };

/** The dashboard in test mode, in one tab. */
export function theTestMode(scene: () => Scene): void {
  describe('test mode in the dashboard', () => {
    const banner = (page: Page) => page.getByRole('region', { name: 'Test mode' });
    const link = (page: Page, name: string) =>
      navigationOf(page).getByRole('link', { name, exact: true, includeHidden: true });

    async function openTestMode(page: Page): Promise<void> {
      await page.getByRole('button', { name: 'Open test mode' }).click();
      await banner(page).waitFor();
      await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    }

    /** Opens test mode and its page of uploads, and chooses a short clip there. */
    async function chooseClip(page: Page, title: string): Promise<void> {
      await using folder = await mediaFolder();
      const clip = await makeClip(folder.path, { durationSeconds: 2, width: 160, height: 120 });
      await openTestMode(page);
      await goTo(page, 'Upload');
      const file = { name: `${title}.mp4`, mimeType: 'video/mp4', buffer: await readFile(clip) };
      await page.locator('input[type=file]').setInputFiles(file);
    }

    it('creates test keys, says so on every page, and leaves live mode unchanged', async () => {
      const { page, complaints } = await scene().openWindow('/keys');
      await openTestMode(page);
      await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
      await page.getByRole('button', { name: 'Create a key' }).first().click();
      await page.getByLabel('Name', { exact: true }).fill('From a test');
      await page.getByLabel('Fault on purpose').selectOption('Only one token is left today');
      expect(await look(page, 'test-mode-fault')).toEqual([]);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText(/^dk_test_\w{49}$/).waitFor();
      await page.getByRole('button', { name: 'I’ve copied it' }).click();
      const card = page.getByRole('article', { name: 'Key From a test' });
      await card.getByText('999 of 1,000').first().waitFor();
      expect(await look(page, 'test-mode-keys')).toEqual([]);

      expect(await link(page, 'Wallet').count()).toBe(0);
      for (const name of ['Videos', 'Upload', 'Analytics', 'Events', 'Webhooks', 'Docs']) {
        await goTo(page, name);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        await expect.poll(() => isInView(page)).toBe(true);
        expect(await page.getByText('This exists in live mode only').count()).toBe(0);
      }
      await goTo(page, 'Webhooks');
      await page.getByRole('button', { name: 'Add endpoint' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('URL').fill('http://127.0.0.1:9/hooks');
      await dialog.getByLabel('Fault on purpose').selectOption('Each event comes twice');
      await dialog.getByRole('button', { name: 'Add endpoint' }).click();
      await dialog.getByRole('button', { name: 'I’ve copied it' }).click();
      const endpoint = page.getByRole('article', { name: 'Endpoint http://127.0.0.1:9/hooks' });
      await endpoint.getByText('Each event comes twice').waitFor();
      await goTo(page, 'Events');
      const tools = page.getByRole('region', { name: 'Simulated time and payments' });
      await tools.getByRole('button', { name: 'Simulate a dispute' }).click();
      const rows = page.getByRole('list', { name: 'Events' }).getByRole('button');
      await rows.filter({ hasText: 'dispute.opened' }).waitFor();
      await tools.getByText('on hold: 500').waitFor();
      await tools.getByRole('button', { name: 'Lose the dispute' }).click();
      await tools.getByText('on hold: 0').waitFor();
      await tools.getByLabel('Let time pass').selectOption('An hour');
      await tools.getByRole('button', { name: 'Move the clock' }).click();
      await page.getByRole('region', { name: 'Notices' }).getByText('The clock was moved').waitFor();
      expect(await look(page, 'test-mode-time')).toEqual([]);

      // What exists in live mode only says so, at whatever address it is opened.
      await page.goto('/wallet');
      await page.getByText('This exists in live mode only').first().waitFor();

      await banner(page).getByRole('button', { name: 'Leave test mode' }).click();
      await link(page, 'Wallet').waitFor({ state: 'attached' });
      await goTo(page, 'API keys');
      await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
      expect(await page.getByRole('article', { name: 'Key From a test' }).count()).toBe(0);
      expect(await banner(page).count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    it('uploads a test video, which becomes ready and is in the list of test mode alone', async () => {
      const title = `trial ${crypto.randomUUID().slice(0, 6)}`;
      const { page, complaints } = await scene().openWindow('/keys');
      await chooseClip(page, title);
      await page.getByText('A test video has at most 60 seconds and 200 MB.').waitFor();
      expect(await page.getByLabel('Process automatically').count()).toBe(0);
      expect(await look(page, 'test-mode-upload')).toEqual([]);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      const card = page.getByRole('article', { name: `Upload of ${title}` });
      await card.getByRole('link', { name: 'Watch it' }).waitFor();

      await goTo(page, 'Videos');
      await page.getByText(title).first().waitFor();
      await banner(page).getByRole('button', { name: 'Leave test mode' }).click();
      await link(page, 'Wallet').waitFor({ state: 'attached' });
      const { videos } = await scene().ask<{ videos: { edges: { node: { title: string } }[] } }>(
        '{ videos(first: 100) { edges { node { title } } } }',
      );
      expect(videos.edges.map(({ node }) => node.title)).not.toContain(title);
      expect(complaints).toEqual([]);
    });

    it('uploads a test video that fails on purpose', async () => {
      const title = `fault ${crypto.randomUUID().slice(0, 6)}`;
      const { page, complaints } = await scene().openWindow('/keys');
      await chooseClip(page, title);
      await page.getByLabel('Fault on purpose').selectOption('Processing begins later');
      expect(await page.getByLabel('Seconds until processing begins').inputValue()).toBe('60');
      await page.getByLabel('Fault on purpose').selectOption('Processing fails at 50%');
      expect(await page.getByLabel('Seconds until processing begins').count()).toBe(0);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      const card = page.getByRole('article', { name: `Upload of ${title}` });
      await card.getByText('Processing failed at 50%, as this test video asked for.').waitFor();
      expect(complaints).toEqual([]);
    });

    it('fits on a phone', async () => {
      const { page, complaints } = await scene().openWindow('/keys', { viewport: PHONE });
      await openTestMode(page);
      expect(await look(page, 'test-mode-phone')).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      expect(await isInView(page)).toBe(true);
      await page.getByRole('button', { name: 'Create a key' }).first().click();
      await page.getByLabel('Fault on purpose').selectOption('Only one token is left today');
      const faults = await look(page, 'test-mode-fault-phone');
      await page.goto('/webhook-endpoints');
      await page.getByRole('button', { name: 'Add endpoint' }).first().click();
      await page.getByLabel('Fault on purpose').selectOption('Each event comes twice');
      expect([...faults, ...(await look(page, 'test-mode-webhook-phone'))]).toEqual([]);
      expect(complaints).toEqual([]);
    });

    /** Whether nothing covers the banner. */
    async function isInView(page: Page): Promise<boolean> {
      return banner(page).evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const front = document.elementFromPoint(left + width / 2, top + height / 2);
        return top >= 0 && height > 0 && front !== null && element.contains(front);
      });
    }
  });
}
