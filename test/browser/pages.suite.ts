import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { switchTo } from './accessibility.js';
import { addressOf, visit } from './everyPage.js';
import { look } from './look.js';
import { cutFields, smallTargets } from './measures.js';
import { colorIn, contrastOf } from './pixels.js';
import { ringFaults } from './rings.js';
import { routesOfDashboard } from './routes.js';
import type { Scene } from './scene.js';
import { SeededVideo } from './seededVideo.js';

/** What an owner opens without signing in. */
const PUBLIC = ['/sign-in', '/sign-up', '/forgot-password', '/reset-password'];

const LOOKS = [
  ['on a desktop', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['on a phone', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
] as const;

/**
 * Checks that everybody can use every page of the router, at each width, in light and in dark, and every dialog. The
 * support console is checked in `support.test.ts`.
 */
export function thePages(scene: () => Scene): void {
  describe('every page and every dialog', () => {
    it('can be used by everybody, at every width, in light and in dark', async () => {
      // So that Home and the lists show work for the owner.
      await (await SeededVideo.create(scene())).become('failed');
      await (await SeededVideo.create(scene())).measure();
      const { page, complaints } = await scene().openWindow('/');
      const examples = { '/videos/': scene().demo.videoId, '/wallet/top-ups/': await topUp() };
      const faults: string[] = [];
      const routes = routesOfDashboard().filter((route) => !route.startsWith('/support'));
      // Fewer would mean that the router is not read any more.
      expect(routes.length).toBeGreaterThan(35);
      for (const route of routes.filter((one) => !PUBLIC.includes(one))) {
        faults.push(...(await visit(page, addressOf(route, examples))));
      }
      faults.push(...(await visit(page, '/videos/vid_nothing')));
      await page.context().clearCookies();
      for (const path of [...PUBLIC, '/reset-password?token=none', '/docs']) {
        faults.push(...(await visit(page, path)));
      }
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
    });

    /** A top-up that is not paid yet. */
    async function topUp(): Promise<string> {
      const { createTopUp } = await scene().ask<{ createTopUp: { id: string } }>(
        `mutation ($key: String!) { createTopUp(provider: RAZORPAY, amount: "250", idempotencyKey: $key) { id } }`,
        { key: crypto.randomUUID() },
      );
      return createTopUp.id;
    }

    it('names the part of the wallet in the title of the tab', async () => {
      const { page } = await scene().openWindow('/wallet');
      const titles: string[] = [];
      for (const [tab, part] of [
        ['Ledger', 'Ledger · '],
        ['Top-ups', 'Top-ups · '],
        ['Documents', 'Documents · '],
        ['Overview', ''],
      ] as const) {
        await page.getByRole('navigation', { name: 'Wallet' }).getByRole('link', { name: tab }).click();
        await expect.poll(() => page.title()).toBe(`${part}Wallet · Dhara`);
        titles.push(await page.title());
      }
      expect(new Set(titles).size).toBe(4);
    });

    it('shows the current tab on a phone, also if the row is wider than the screen', async () => {
      const { page } = await scene().openWindow('/settings/danger', { viewport: { width: 390, height: 844 } });
      const isInside = async (name: string): Promise<boolean> => {
        const box = await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name }).boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= 390;
      };
      await expect.poll(() => isInside('Danger zone')).toBe(true);
      expect(await isInside('Profile')).toBe(false);
      await page.goto('/settings/profile');
      await expect.poll(() => isInside('Profile')).toBe(true);
      // Also if the window becomes narrow while the page is open.
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto('/settings/danger');
      await expect.poll(() => isInside('Danger zone')).toBe(false);
      await page.setViewportSize({ width: 390, height: 844 });
      await expect.poll(() => isInside('Danger zone')).toBe(true);
    });

    it('opens the other pages on a phone in a sheet over the backdrop, the bar below it', async () => {
      const { page } = await scene().openWindow('/', { viewport: { width: 390, height: 844 } });
      await page.getByRole('button', { name: 'More' }).click();
      const navigation = page.getByRole('navigation', { name: 'Main' });
      const tops = (names: readonly string[]) =>
        Promise.all(
          names.map(async (name) => (await navigation.getByRole('link', { name, exact: true }).boundingBox())!.y),
        );
      const bar = await tops(['Home', 'Videos', 'Upload', 'Wallet']);
      const others = await tops(['Analytics', 'API keys', 'Settings', 'Docs']);
      expect(new Set(bar).size).toBe(1);
      expect(Math.max(...others)).toBeLessThan(bar[0]!);
      // Between the last of the others and the edge of the screen, the sheet shows, not the backdrop.
      const docs = (await navigation.getByRole('link', { name: 'Docs', exact: true }).boundingBox())!;
      const drawn = await page.evaluate(
        ([x, y]) => document.elementFromPoint(x!, y!)?.tagName,
        [370, docs.y + docs.height / 2],
      );
      expect(drawn).not.toBe('DIV');
    });

    it('keeps the sheet open that was opened before a page had loaded and led to another address', async () => {
      const { page } = await scene().openWindow('/', { viewport: { width: 390, height: 844 } });
      const loading = Promise.withResolvers<void>();
      await page.route('**/SettingsPage-*.js', async (route) => {
        await loading.promise;
        await route.continue();
      });
      await page.goto('/settings', { waitUntil: 'commit' });
      await page.getByRole('button', { name: 'More' }).click();
      const sheet = page.locator('nav[data-open]');
      await sheet.waitFor();
      loading.resolve();
      await page.waitForURL('**/settings/profile');
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      await sheet.getByRole('link', { name: 'API keys' }).click();
      await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
      await sheet.waitFor({ state: 'detached' });
    });

    it('draws one ring around a field of tags, and none within it', async () => {
      const { page } = await scene().openWindow('/settings/sites');
      const field = page.getByRole('combobox', { name: 'Sites' });
      await field.focus();
      const rings = await field.evaluate((input) => {
        const drawn: number[] = [];
        for (let box: Element | null = input; box && box.tagName !== 'FORM'; box = box.parentElement) {
          if (getComputedStyle(box).outlineStyle !== 'none') drawn.push(box.getBoundingClientRect().height);
        }
        return drawn;
      });
      expect(rings).toHaveLength(1);
      // As high as other fields.
      expect(rings[0]).toBeGreaterThanOrEqual(36);
    });

    it.for(['light', 'dark'] as const)(
      'shows in %s by its tone what a button without a background does',
      async (colorScheme) => {
        const { page } = await scene().openWindow('/keys', { colorScheme });
        const toneOf = async (element: Locator) => {
          const { x, y, height } = (await element.boundingBox())!;
          const color = await element.evaluate((one) => getComputedStyle(one).color);
          const [red = 0, green = 0, blue = 0] = color.match(/\d+/g)!.map((part) => Number(part) / 255);
          const behind = await colorIn(page, { x: x + 2, y: y + height / 2, width: 1, height: 1 });
          return { isRed: red > Math.max(green, blue) + 0.2, contrast: contrastOf([red, green, blue], behind) };
        };
        const revoke = await toneOf(page.getByRole('button', { name: 'Revoke' }).first());
        expect(revoke.isRed).toBe(true);
        expect(revoke.contrast).toBeGreaterThanOrEqual(4.5);
        await page.goto('/settings/security');
        const signOut = await toneOf(page.getByRole('button', { name: 'Sign out everywhere', exact: true }));
        const text = await toneOf(page.getByRole('heading', { name: 'Settings', level: 1 }));
        expect(signOut.contrast).toBeGreaterThanOrEqual(4.5);
        expect(signOut.contrast).toBeLessThan(text.contrast);
      },
    );

    it('has fields on a phone that the phone does not zoom into', async () => {
      const { page } = await scene().openWindow('/', {
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
      });
      const faults: string[] = [];
      const fields = page.locator('input:not([type=checkbox]):not([type=radio]):not([type=file]), select, textarea');
      for (const path of ['/videos', '/wallet/ledger', '/settings/profile', '/analytics', '/docs']) {
        await page.goto(path);
        await page.locator('main:not(.sketch)').getByRole('heading', { level: 1 }).waitFor();
        await fields.first().waitFor();
        const sizes = await fields.evaluateAll((all) =>
          all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)),
        );
        if (Math.min(...sizes) < 16) faults.push(`${path}: ${Math.min(...sizes)} px`);
        faults.push(...(await cutFields(page)), ...(await smallTargets(page)));
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
          faults.push(`${path} is too wide`);
      }
      expect(faults).toEqual([]);
    });

    it.for(LOOKS)('includes dialogs that everybody can use, %s', async ([, options]) => {
      const video = await SeededVideo.create(scene());
      await video.measure();
      const { page, complaints } = await scene().openWindow('/', options);
      const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
      const select = () => page.getByRole('checkbox', { name: `Select ${video.title}` }).check();
      const dialogs: [name: string, path: string, open: () => Promise<void>][] = [
        ['create-key', '/keys', () => press('Create a key')],
        ['revoke-key', '/keys', () => press('Revoke')],
        ['quote', video.path, () => press('See price')],
        ['tags', '/videos', () => select().then(() => press('Tags'))],
        ['columns', '/videos', () => press('Columns')],
        ['filters', '/videos', () => press(/^Filters/)],
        ['saved', '/videos', () => press('Saved')],
        ['process', '/videos', () => select().then(() => press(/^Process/))],
        ['two-factor', '/settings/security', () => press('Turn on')],
        ['access-token', '/settings/security', () => press('Create a token')],
        ['close-account', '/settings/danger', () => press('Close account')],
        ['endpoint', '/webhook-endpoints', () => press('Add endpoint')],
        ['delete', `/videos/${scene().demo.videoId}`, () => press(/^Delete$/)],
        ['add-credits', '/wallet', () => press('Add credits')],
        ['palette', '/referrals', () => press('Search')],
      ];
      const faults: string[] = [];
      for (const [name, path, open] of dialogs) {
        await page.goto(path);
        await open();
        await page.getByRole('dialog').waitFor();
        faults.push(...(await look(page, `dialog-${name}`)));
        await switchTo(page, options.colorScheme);
        faults.push(...(await ringFaults(page)).map((fault) => `dialog-${name}: ${fault}`));
      }
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });
}
