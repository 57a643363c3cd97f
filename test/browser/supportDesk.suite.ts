import { readFile } from 'node:fs/promises';

import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { connectToEmbedded } from '../support/browser/ledgerSeed.js';
import type { DashboardService } from './dashboardService.js';
import { addressOf } from './everyPage.js';
import { look } from './look.js';
import { offersAt } from './offers.js';
import { operationOf } from './operationOf.js';
import { ringFaults } from './rings.js';
import { routesOfDashboard } from './routes.js';
import { goTo } from './window.js';
import { SIZES } from './sizes.js';
import type { Person } from './staff.js';

interface Desk {
  readonly running: DashboardService;
  readonly asha: Person;
  readonly accountId: string;
}

const BUSY = { data: null, errors: [{ message: 'Busy.', extensions: { code: 'SERVICE_UNAVAILABLE' } }] };

/** Totals, queues, notes, and an account as its owner sees it. */
export function theSupportDesk(desk: () => Desk): void {
  describe('the support desk', () => {
    it('shows the queues, and totals of the platform by day as a chart, a table and a file', async () => {
      const { running, asha } = desk();
      const { page } = asha;
      await page.goto('/support');
      const queues = page.getByRole('table', { name: 'Queues' });
      await queues.getByRole('row', { name: /^Process videos/ }).waitFor();
      await page.getByText('In time', { exact: true }).waitFor();
      await fitsEverywhere(page, 'support-queues');

      await running.service.until(
        async () => (await asha.ask('{ platformTotals { day } }')).data.platformTotals.length > 0,
        'the totals are counted',
      );
      await page.getByRole('link', { name: 'Totals' }).click();
      await page.getByRole('heading', { name: 'Sign-ups per day' }).waitFor();
      await page.getByLabel('Number', { exact: true }).selectOption('videosReady');
      await page.getByRole('heading', { name: 'Videos ready per day' }).waitFor();
      await page.getByText('90 days', { exact: true }).click();
      await page.waitForURL(/days=90.*number=videosReady/);
      const table = page.getByRole('table', { name: 'By day' });
      await table.getByRole('columnheader', { name: 'Minutes encoded' }).waitFor();
      await fitsEverywhere(page, 'support-totals');

      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download CSV' }).click();
      const text = await readFile(await (await download).path(), 'utf8');
      const lines = text.trimEnd().split('\r\n');
      expect(lines[0]).toBe(
        'day,accounts,signUps,creditsToppedUp,creditsSpent,creditsRefunded,videosUploaded,videosReady,videosFailed,minutesEncoded,tokens,views,storedBytes',
      );
      expect(lines).toHaveLength(1 + (await table.getByRole('rowheader').count()));
      expect(lines.at(-1)).toMatch(/^\d{4}-\d{2}-\d{2},\d+,/);
      asha.expectNoComplaints();
    });

    it('draws a day on which more was returned than spent below the line of zero', async () => {
      const { running, asha } = desk();
      const { page } = asha;
      const database = await connectToEmbedded(running.service.dataDir);
      const DAY = `(service_now() at time zone 'UTC')::date - 2`;
      await database.query(
        `insert into platform_day (day, accounts, sign_ups, topped_up_micros, spent_micros, refunded_micros, videos_uploaded,
           videos_ready, videos_failed, encoded_ms, tokens, views, is_final, measured_at)
         values (${DAY}, 1, 0, 0, -3000000, 0, 0, 0, 0, 0, 0, 0, true, now())`,
      );
      await page.goto('/support/totals?number=creditsSpent');
      await page.getByRole('heading', { name: 'Credits spent per day' }).waitFor();
      const drawn = () =>
        page.evaluate(() => {
          const chart = document.querySelector('main [role=img]')!;
          const bars = [...chart.querySelectorAll('path[data-tone]')].map((bar) => bar.getBoundingClientRect());
          const highest = bars.reduce((most, bar) => (bar.height > most.height ? bar : most), new DOMRect());
          const zero = [...chart.querySelectorAll('span')].find(({ textContent }) => textContent === '0');
          const label = zero?.getBoundingClientRect();
          return { height: highest.height, below: label ? highest.top - (label.top + label.height / 2) : null };
        });
      await expect.poll(async () => (await drawn()).height).toBeGreaterThan(20);
      expect(Math.abs((await drawn()).below ?? 99)).toBeLessThan(3);
      await fitsEverywhere(page, 'support-totals-negative');
      await database.query(`delete from platform_day where day = ${DAY}`);
      await database.end();
      asha.expectNoComplaints();
    });

    it('keeps notes on an account', async () => {
      const { asha, accountId } = desk();
      const { page } = asha;
      await page.goto(`/support/accounts/${accountId}`);
      const notes = page.getByRole('region', { name: 'Notes' });
      await notes.getByText('No notes yet.').waitFor();
      await notes.getByLabel('New note').fill('Prefers calls after six.\nAsks for Ravi.');
      await notes.getByRole('button', { name: 'Add note' }).click();
      await notes.getByText('Asks for Ravi.').waitFor();
      await expect.poll(() => notes.getByLabel('New note').inputValue()).toBe('');
      await fitsEverywhere(page, 'support-notes');

      // With the keyboard alone, the focus goes to the form and back.
      const edit = notes.getByRole('button', { name: /^Edit the note of/ });
      const isFocused = (element: Locator) => element.evaluate((node) => node === document.activeElement);
      await edit.press('Enter');
      await expect.poll(() => isFocused(notes.getByLabel('Edit note'))).toBe(true);
      await notes.getByRole('button', { name: 'Cancel' }).press('Enter');
      await expect.poll(() => isFocused(edit)).toBe(true);
      await edit.press('Enter');
      await notes.getByLabel('Edit note').fill('Prefers calls after seven.');
      await notes.getByRole('button', { name: 'Save' }).press('Enter');
      await notes.getByText('Prefers calls after seven.').waitFor();
      await expect.poll(() => isFocused(edit)).toBe(true);
      asha.expectNoComplaints();
    });

    it('views an account as its owner sees it, with a banner on every page', async () => {
      const { running, asha, accountId } = desk();
      const { page } = asha;
      const { email } = running.demo;
      await page.goto(`/support/accounts/${accountId}`);
      await page.getByRole('button', { name: 'View as owner' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason').fill('Cannot find the invoice');
      expect(await look(page, 'support-view-dialog')).toEqual([]);
      expect(await ringFaults(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'View as owner' }).click();
      const banner = page.getByRole('region', { name: 'View as owner' });
      await banner.getByText(`Viewing ${email}`).waitFor();
      const timeLeft = banner.getByText(/^\d+ min left$/);
      expect(await timeLeft.innerText()).toMatch(/^(?:30|29) /);
      const readOnly = banner.getByText('Read-only', { exact: true });
      const wide = page.viewportSize()!;
      for (const { width } of SIZES) {
        await page.setViewportSize({ width, height: 900 });
        await expect.poll(() => readOnly.isVisible()).toBe(true);
        // Whole, and not cut off by a long address or the button.
        const [mode, left, end, whole] = [
          (await readOnly.boundingBox())!,
          (await timeLeft.boundingBox())!,
          (await banner.getByRole('button', { name: 'End view' }).boundingBox())!,
          (await banner.boundingBox())!,
        ];
        expect(mode.x).toBeGreaterThanOrEqual(0);
        expect(mode.x + mode.width).toBeLessThan(left.x);
        expect(left.x + left.width).toBeLessThan(end.x);
        expect(left.y).toBeGreaterThanOrEqual(whole.y);
        expect(left.y + left.height).toBeLessThanOrEqual(whole.y + whole.height);
        expect(end.x + end.width).toBeLessThanOrEqual(width);
      }
      await page.setViewportSize(wide);
      expect(await page.getByRole('link', { name: 'Support' }).count()).toBe(0);

      for (const path of ['/', '/videos', '/wallet', '/settings/security', `/videos/${running.demo.videoId}`]) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await banner.getByText(`Viewing ${email}`).waitFor();
      }
      await page.getByText('Videos don’t play while you view another account.').waitFor();
      await fitsEverywhere(page, 'view-video');

      const { origin } = new URL(page.url());
      const { videoId } = running.demo;

      // Nothing is offered that the service refuses here. What is harmless is listed, so that a new button is noticed.
      const examples = { '/videos/': videoId, '/wallet/top-ups/': 'top_nothing' };
      const pages = routesOfDashboard().filter((route) => !/^\/(support|docs|sign-|forgot|reset|watch)/.test(route));
      const offered: string[] = [];
      for (const route of pages) {
        for (const name of await offersAt(page, addressOf(route, examples))) offered.push(`${route}: ${name}`);
      }
      expect(offered).toEqual([]);
      for (const [method, path] of [
        ['POST', '/api/auth/update-user'],
        ['POST', '/api/auth/change-password'],
        ['POST', '/api/auth/change-address'],
        ['POST', '/api/auth/revoke-sessions'],
        ['POST', '/api/auth/two-factor/disable'],
        ['GET', '/documents/my-data.ndjson'],
        ['GET', '/documents/ledger.csv'],
        ['GET', `/documents/videos/${videoId}/original`],
        ['PUT', `/uploads/posters/${videoId}`],
        ['DELETE', '/uploads/any'],
        ['PUT', '/branding/logo'],
      ] as const) {
        const data = method === 'GET' ? {} : { data: { name: 'Asha' } };
        const answer = await page.request.fetch(path, { method, headers: { origin }, ...data });
        expect(`${method} ${path} ${answer.status()} ${await answer.text()}`).toContain('VIEW_READ_ONLY');
        expect(answer.status()).toBe(403);
      }

      // If the session ends meanwhile, the member of staff is asked for the password, and not the owner.
      const late = await page.context().newPage();
      await late.goto('/videos');
      await late.getByText(`Viewing ${email}`).waitFor();
      const cookies = await page.context().cookies();
      await page.context().clearCookies();
      await goTo(late, 'Analytics');
      const asked = late.getByRole('dialog', { name: 'Your session has ended' }).getByLabel('Email address');
      expect(await asked.inputValue()).toBe(asha.email);
      await page.context().addCookies(cookies);
      await late.close();

      await page.route('**/graphql', (route) =>
        operationOf(route.request()) === 'EndOwnerView' ? route.fulfill({ json: BUSY }) : route.fallback(),
      );
      await banner.getByRole('button', { name: 'End view' }).click();
      await page.getByText('The view could not be ended', { exact: true }).waitFor();
      await page.unrouteAll();
      await banner.getByRole('button', { name: 'End view' }).click();
      await page.waitForURL(`**/support/accounts/${accountId}`);
      await page.getByRole('button', { name: 'View as owner' }).waitFor();
    });
  });
}

/** At every size, in light and in dark. */
export async function fitsEverywhere(page: Page, name: string): Promise<void> {
  expect(await look(page, name, { schemes: ['dark', 'light'], axeAtEverySize: true })).toEqual([]);
}
