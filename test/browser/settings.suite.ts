import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { look } from './look.js';
import type { Scene } from './scene.js';
import { ownWindow } from './window.js';

const TABS = [
  ['Profile', 'profile'],
  ['Security', 'security'],
  ['Notifications', 'notifications'],
  ['Branding', 'branding'],
  ['Sites', 'sites'],
  ['Billing', 'billing'],
  ['Danger zone', 'danger'],
] as const;
const LOOKS = [
  ['on a desktop', { width: 1440, height: 900 }],
  ['on a phone', { width: 390, height: 844 }],
] as const;

/** The settings in tabs, and the menu of the account. `thePages` checks that everybody can use each tab. */
export function theSettings(scene: () => Scene): void {
  describe('the settings', () => {
    const tabs = (page: Page) => page.getByRole('navigation', { name: 'Settings' });
    const account = (page: Page) => page.getByRole('button', { name: /^Account of / });

    it.for(LOOKS)('have an address per tab, %s', async ([, viewport]) => {
      const { page, complaints } = await scene().openWindow('/settings', { viewport });
      for (const [tab, path] of TABS) {
        await tabs(page).getByRole('link', { name: tab }).click();
        await page.waitForURL(`**/settings/${path}`);
        // The tab before stays until this one has loaded.
        await expect.poll(() => page.title()).toBe(`${tab} · Settings · Dhara`);
        await page.getByRole('heading', { level: 2 }).first().waitFor();
        await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      }
      await page.goBack();
      await page.waitForURL('**/settings/billing');
      expect(complaints).toEqual([]);
    });

    it('change the name, which the menu shows at once, and refuse an unreadable one', async () => {
      const { page, complaints } = await scene().openWindow('/settings/profile');
      const name = page.getByLabel('Name', { exact: true });
      const before = await name.inputValue();
      await name.fill('आशा Rao');
      await page.getByRole('button', { name: 'Save name' }).click();
      await page.getByRole('region', { name: 'Notices' }).getByText('Name saved').waitFor();
      await page.getByRole('button', { name: 'Account of आशा Rao' }).waitFor();
      await page.reload();
      expect(await name.inputValue()).toBe('आशा Rao');
      await name.fill('   ');
      expect(await page.getByRole('button', { name: 'Save name' }).isDisabled()).toBe(true);
      await name.fill(before);
      await page.getByRole('button', { name: 'Save name' }).click();
      await page.getByRole('button', { name: `Account of ${before}` }).waitFor();
      expect(complaints).toEqual([]);
    });

    it('switch notifications off and on, by kind and channel', async () => {
      const { page, complaints } = await scene().openWindow('/settings/notifications');
      const line = (name: string) => page.getByRole('listitem').filter({ hasText: name });
      const email = line('Low balance').getByLabel('Email');
      const toast = line('Video ready').getByLabel('Dashboard');
      await email.waitFor();
      expect(await line('Low balance').locator('input').count()).toBe(1);
      await line('Security').getByText('Always sent by email').waitFor();
      expect(await line('Security').locator('input').count()).toBe(0);
      const stored = async (kind: string) => {
        const { notifications } = await scene().ask<{ notifications: { kind: string }[] }>(
          '{ notifications { kind email dashboard } }',
        );
        return notifications.find((one) => one.kind === kind);
      };
      for (const on of [false, true]) {
        await email.click();
        await toast.click();
        await expect.poll(() => stored('WALLET_LOW')).toMatchObject({ email: on });
        await expect.poll(() => stored('VIDEO_READY')).toMatchObject({ email: true, dashboard: on });
        await page.reload();
        await expect.poll(() => toast.isChecked()).toBe(on);
        await expect.poll(() => email.isChecked()).toBe(on);
      }
      expect(complaints).toEqual([]);
    });

    it.for(LOOKS)('have a menu with appearance, dates and sign-out, %s', async ([, viewport]) => {
      const { page, complaints } = await scene().openWindow('/settings/profile', { viewport, locale: 'en-IN' });
      await account(page).click();
      // Not what the window asks for already.
      const other = ownWindow().colorScheme === 'dark' ? 'light' : 'dark';
      const choice = page.getByText(other === 'dark' ? 'Dark' : 'Light', { exact: true });
      await choice.waitFor();
      expect(await coveredPoints(account(page))).toEqual([]);
      expect(await look(page, 'account-menu')).toEqual([]);
      await choice.click();
      const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
      await expect.poll(scheme).toBe(other);
      await page.reload();
      await expect.poll(scheme).toBe(other);

      await account(page).click();
      const loaded = page.waitForEvent('load');
      await page.getByLabel('Dates').selectOption('de-DE');
      await loaded;
      await page.goto(`/videos/${scene().demo.videoId}`);
      await page
        .getByText(/\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}/)
        .first()
        .waitFor();
      await account(page).click();
      expect(await page.getByLabel('Dates').inputValue()).toBe('de-DE');

      await page.keyboard.press('Escape');
      await expect.poll(() => account(page).getAttribute('aria-expanded')).toBe('false');
      expect(await account(page).evaluate((button) => button === document.activeElement)).toBe(true);
      await account(page).click();
      await page.getByRole('link', { name: 'Settings' }).last().click();
      await page.waitForURL('**/settings/profile');
      await expect.poll(() => account(page).getAttribute('aria-expanded')).toBe('false');
      expect(complaints).toEqual([]);
    });
  });
}

/** What is drawn over the panel that a button controls: the page that it opens over must not be. */
function coveredPoints(button: Locator): Promise<string[]> {
  return button.evaluate((element) => {
    const panel = document.getElementById(element.getAttribute('aria-controls')!)!;
    const { left, top, width, height } = panel.getBoundingClientRect();
    const STEPS = 12;
    const found = new Set<string>();
    for (let nth = 0; nth < STEPS * STEPS; nth += 1) {
      const x = left + (((nth % STEPS) + 0.5) * width) / STEPS;
      const y = top + ((Math.floor(nth / STEPS) + 0.5) * height) / STEPS;
      const drawn = document.elementFromPoint(x, y);
      if (drawn && !panel.contains(drawn)) found.add(`${drawn.tagName} ${drawn.textContent.trim().slice(0, 40)}`);
    }
    return [...found];
  });
}
