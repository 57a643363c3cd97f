import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { KINDS, writeSample } from '../support/emails/samples.js';
import { look } from './look.js';
import type { Scene } from './scene.js';
import { sendSignUp } from './sendSignUp.js';
import { openPage } from './window.js';

const PASSWORD = 'four quiet green rivers';
/** An email is shown inside the page of a mail program. The landmarks are that page's, and a second `main` would be a fault. */
const OF_THE_EMAIL_PROGRAM = ['landmark-one-main', 'region'];
const WIDTHS = [1000, 390] as const;

/** The emails as a mail program shows them, and where their buttons lead. */
export function theEmails(scene: () => Scene): void {
  describe('an email', () => {
    const button = (page: Page) => page.locator('a.button');

    /** Shows the HTML of the newest email to an address that has a subject. */
    async function open(page: Page, to: string, subject: string): Promise<void> {
      const folder = join(scene().running.service.dataDir, 'mail');
      let html = '';
      await scene().running.service.until(async () => {
        const names = (await readdir(folder)).filter((name) => name.endsWith('.txt')).toSorted();
        for (const name of names) {
          const text = await readFile(join(folder, name), 'utf8');
          if (!text.includes(`\nTo: ${to}\nSubject: ${subject}\n`)) continue;
          html = await readFile(join(folder, name.replace(/\.txt$/, '.html')), 'utf8');
        }
        // Some emails are sent by the chores of the next minute.
        if (html === '') await scene().doChores();
        return html !== '';
      }, `there is an email to ${to}: ${subject}`);
      await page.setContent(html);
    }

    it('lets a new user in by its button, and resets a forgotten password by another', async () => {
      const email = 'by-button@example.com';
      const { page, complaints } = await openPage(scene().browser, scene().demo.url);
      await page.goto('/sign-up');
      await sendSignUp(page, { name: 'Asha <b>Rao</b>', email, password: PASSWORD });
      await open(page, email, 'Verify your email address');
      await button(page).click();
      await page.getByText('First steps').waitFor();

      await page.context().clearCookies();
      await page.goto('/forgot-password');
      await page.getByLabel('Email address').fill(email);
      await page.getByRole('button', { name: /link/i }).click();
      await open(page, email, 'Choose a new password');
      await button(page).click();
      await page.waitForURL('**/reset-password?token=*');
      await page.getByLabel('New password').first().fill('another quiet river');
      await page
        .getByRole('button', { name: /password/i })
        .last()
        .click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(complaints).toEqual([]);
    });

    it('changes the address by its button, after a sign-in, and tells the old one', async () => {
      const [before, after] = ['moves@example.com', 'moved@example.com'];
      const { page, complaints } = await openPage(scene().browser, scene().demo.url);
      await page.goto('/sign-up');
      await sendSignUp(page, { name: 'Asha Rao', email: before, password: PASSWORD });
      await page.goto(await scene().running.linkEmailedTo(before));
      await page.getByText('First steps').waitFor();

      await page.goto('/settings/profile');
      await page.getByRole('button', { name: 'Change email address' }).click();
      const form = page.getByRole('form', { name: 'Change email address' });
      await form.getByLabel('New email address').fill(after);
      await form.getByLabel('Current password').fill('wrong wrong wrong');
      await form.getByRole('button', { name: 'Send link' }).click();
      await form.getByRole('alert').getByText('The password is wrong').waitFor();
      await form.getByLabel('Current password').fill(PASSWORD);
      expect(await look(page, 'settings-email')).toEqual([]);
      await form.getByRole('button', { name: 'Send link' }).click();
      await page.getByText(`We sent a link to ${after}`).waitFor();

      await page.context().clearCookies();
      await open(page, after, 'Confirm your new email address');
      await button(page).click();
      await page.getByLabel('Email address').fill(before);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Use the new address' }).waitFor();
      expect(await look(page, 'settings-confirm-address')).toEqual([]);
      await page.getByRole('button', { name: 'Use the new address' }).click();
      await page.getByRole('region', { name: 'Account' }).getByText(after).waitFor();
      await open(page, before, 'Your email address was changed');
      expect(await button(page).getAttribute('href')).toBe(`${scene().demo.url}/settings/security`);
      expect(complaints.filter((line) => !line.includes('400'))).toEqual([]);
    });

    it('fits every width, and everybody can read it in light and in dark', async () => {
      const { page } = await openPage(scene().browser, scene().demo.url);
      const faults: string[] = [];
      for (const kind of KINDS) {
        await page.setContent(writeSample(kind).html);
        expect(await button(page).count(), kind).toBe(1);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 760 });
          expect(
            await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
            kind,
          ).toBeLessThanOrEqual(0);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            const colors = await button(page).evaluate((link) => {
              const { color, backgroundColor } = getComputedStyle(link);
              return [color, backgroundColor];
            });
            expect(colors).toEqual(['rgb(255, 255, 255)', 'rgb(11, 116, 133)']);
          }
        }
        await page.setViewportSize({ width: 1000, height: 760 });
        faults.push(
          ...(await look(page, `email-${kind}`, { schemes: ['light', 'dark'], without: OF_THE_EMAIL_PROGRAM })),
        );
      }
      expect(faults).toEqual([]);
    });
  });
}
