import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { totpCode } from '../support/identity/service.js';
import { makeClip, mediaFolder } from '../support/media.js';
import { accessibilityFaults } from './accessibility.js';
import { look } from './look.js';
import type { Scene } from './scene.js';
import { sendSignUp } from './sendSignUp.js';
import { goTo, openPage } from './window.js';

const PASSWORD = 'four quiet green rivers';

/** Tests of people who come for the first time. */
export function theAccounts(scene: () => Scene): void {
  describe('an account', () => {
    /** Signs up and follows the link in the email, to the empty account. */
    async function signUp(page: Page, email: string): Promise<void> {
      await page.goto('/sign-up');
      expect(await accessibilityFaults(page)).toEqual([]);
      await sendSignUp(page, { name: 'A newcomer', email, password: PASSWORD });

      await page.goto(await scene().running.linkEmailedTo(email));
      await page.getByText('First steps').waitFor();
    }

    it('lets a new user in by the link in the email, and says what is missing', async () => {
      const { page, complaints } = await openPage(scene().browser, scene().demo.url);
      await signUp(page, 'newcomer@example.com');

      await using folder = await mediaFolder();
      const clip = await makeClip(folder.path, { name: 'first steps.mp4', durationSeconds: 6 });
      await page.goto('/upload');
      await page.locator('input[type=file]').setInputFiles(clip);
      // Before the first byte is sent.
      const funding = page.getByRole('status').filter({ hasText: '0.10 credits short' });
      expect(await funding.getByRole('link', { name: 'Add credits' }).getAttribute('href')).toBe('/wallet');
      expect(await page.getByRole('button', { name: 'Upload', exact: true }).isEnabled()).toBe(true);
      await page.getByLabel('Process automatically').uncheck();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByRole('link', { name: 'first steps' }).click();
      await page.getByRole('button', { name: 'See price' }).click();
      await page.getByText('You need 0.10 more credits').waitFor();
      expect(await page.getByRole('button', { name: /^Process/ }).isDisabled()).toBe(true);
      expect(complaints).toEqual([]);
    });

    it.for([
      ['on a desktop', 'desktop@example.com', { width: 1280, height: 800 }],
      ['on a phone', 'phone@example.com', { width: 390, height: 844 }],
    ] as const)('creates an access token that is shown once, and revokes it, %s', async ([, email, viewport]) => {
      const { page, complaints } = await openPage(scene().browser, scene().demo.url, { viewport });
      await signUp(page, email);
      await page.goto('/settings/security');
      await page.getByText('No access tokens yet').waitFor();
      await page.getByRole('button', { name: 'Create a token' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Nightly report');
      await page.getByLabel('Money').check();
      expect(await look(page, 'tokens-create')).toEqual([]);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const token = await page
        .getByRole('dialog')
        .getByText(/^dpat_\w{49}$/)
        .innerText();
      expect(await look(page, 'tokens-secret')).toEqual([]);
      const ask = async (): Promise<string> => {
        const response = await fetch(`${scene().demo.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: '{"query":"{ viewer { email } wallet { master } }"}',
        });
        return response.text();
      };
      expect(await ask()).toContain(email);

      await page.getByRole('button', { name: 'I’ve copied it' }).click();
      await page.getByText(`${token.slice(0, 12)}…${token.slice(-4)}`).waitFor();
      expect(await page.getByText(token).count()).toBe(0);
      expect(await look(page, 'tokens')).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      await page.getByRole('button', { name: 'Revoke Nightly report' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('No access tokens yet').waitFor();
      expect(await ask()).toContain('UNAUTHENTICATED');
      expect(complaints).toEqual([]);
    });

    it('enables two-factor sign-in, and accepts a backup code from then on', async () => {
      const { page } = await openPage(scene().browser, scene().demo.url);
      await signUp(page, 'careful@example.com');
      await goTo(page, 'Settings');
      await page.getByRole('link', { name: 'Security' }).click();
      await page.getByRole('button', { name: 'Turn on' }).click();
      await page.getByLabel('Your password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Continue' }).click();
      const uri = await page.getByRole('link', { name: 'open the app on this device' }).getAttribute('href');
      const [backupCode, another] = await page.getByText(/^\w{5}-\w{5}$/).allInnerTexts();
      await page.getByLabel('The current code in your app').fill(totpCode(uri!));
      await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
      await page.getByRole('button', { name: 'Turn off' }).waitFor();

      await page.getByRole('button', { name: /^Account of / }).click();
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByLabel('Email address').fill('careful@example.com');
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Code').fill('000000');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('The code is wrong').waitFor();
      await page.getByRole('button', { name: 'Use a backup code' }).click();
      await page.getByLabel('Backup code').fill(backupCode!);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

      // A session that has not passed the second factor must do so before it can change how the user signs in.
      await scene().database.query(
        `update auth.session set "twoFactorPassed" = null where "userId" = (select id from auth."user" where email = $1)`,
        ['careful@example.com'],
      );
      await page.goto('/settings/security');
      await page.getByText('Confirm with a code from your authenticator app first.').waitFor();
      expect(await page.getByLabel('Current password').count()).toBe(0);
      expect(await look(page, 'settings-second-factor')).toEqual([]);
      await page.getByRole('button', { name: 'Use a backup code' }).click();
      await page.getByLabel('Backup code').fill(another!);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByLabel('Current password').waitFor();
    });

    it.for([
      ['on a desktop', 'leaving@example.com', { width: 1280, height: 800 }],
      ['on a phone', 'leaving-by-phone@example.com', { width: 390, height: 844 }],
    ] as const)('is closed by its owner, who can sign in and take it back, %s', async ([, email, viewport]) => {
      const { page, complaints } = await openPage(scene().browser, scene().demo.url, { viewport });
      await signUp(page, email);
      await page.goto('/settings/danger');
      await page.getByRole('button', { name: 'Close account' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('There is nothing to refund.').waitFor();
      expect(await look(page, 'closing')).toEqual([]);
      const close = dialog.getByRole('button', { name: 'Close account' });
      await dialog.getByLabel(`Type ${email} to confirm`).fill('somebody@example.com');
      await dialog.getByLabel('Your password').fill('wrong');
      expect(await close.isDisabled()).toBe(true);
      await dialog.getByLabel(`Type ${email} to confirm`).fill(email);
      await close.click();
      await dialog.getByRole('alert').getByText('This password is wrong').waitFor();
      await dialog.getByLabel('Your password').fill(PASSWORD);
      await close.click();
      await page.getByRole('dialog', { name: 'Your account is closed' }).waitFor();
      await page.getByRole('button', { name: 'Go to sign-in' }).click();

      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Your account is closed' }).waitFor();
      expect(await look(page, 'closed')).toEqual([]);
      await page.goto('/wallet');
      await page.getByRole('button', { name: 'Reopen account' }).click();
      await page.getByText('First steps').waitFor();
      expect(complaints).toEqual([]);
    });
  });
}
