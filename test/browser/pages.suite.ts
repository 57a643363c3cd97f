import { describe, expect, it } from 'vitest';

import { look } from './look.js';
import { smallTargets, textSizes } from './measures.js';
import type { Scene } from './scene.js';
import { SeededVideo } from './seededVideo.js';

/** Every page of the router. The wallet and the support console are checked where they are used. */
const PUBLIC = ['/sign-in', '/sign-up', '/forgot-password', '/reset-password?token=none', '/docs'];
const PRIVATE = ['/', '/videos', '/upload', '/keys', '/settings/profile', '/nowhere', '/videos/vid_nothing'];

const MOST_TEXT_SIZES = 7;

const LOOKS = [
  ['on a desktop', { width: 1280, height: 800 }],
  ['on a phone', { width: 390, height: 844 }],
] as const;

/**
 * Checks that everybody can use every page and every dialog: on a desktop in light and on a phone in dark, or in both
 * on both.
 */
export function thePages(scene: () => Scene): void {
  describe('every page and every dialog', () => {
    const nameOf = (path: string): string => path.replace(/\?.*/, '').replaceAll('/', '-').slice(1) || 'home';

    it.for(LOOKS)('can be used by everybody, %s', async ([, viewport]) => {
      const faults: string[] = [];
      const signedIn = await scene().openWindow('/', { viewport });
      const videoPath = `/videos/${scene().demo.videoId}`;
      for (const path of [...PRIVATE, videoPath]) {
        await signedIn.page.goto(path);
        faults.push(...(await look(signedIn.page, path === videoPath ? 'video' : nameOf(path))));
      }
      await signedIn.page.context().clearCookies();
      for (const path of PUBLIC) {
        await signedIn.page.goto(path);
        faults.push(...(await look(signedIn.page, nameOf(path))));
      }
      expect(faults).toEqual([]);
      expect(signedIn.complaints).toEqual([]);
    });

    it.for(LOOKS)('has few sizes of text and nothing too small to press, %s', async ([, viewport]) => {
      const { page } = await scene().openWindow('/', { viewport });
      const faults: string[] = [];
      for (const path of [...PRIVATE, '/wallet', '/wallet/ledger', '/referrals', `/videos/${scene().demo.videoId}`]) {
        await page.goto(path);
        await page.locator('main:not(.sketch)').getByRole('heading', { level: 1 }).waitFor();
        await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
        const sizes = await textSizes(page);
        if (sizes.length > MOST_TEXT_SIZES) faults.push(`${path}: ${sizes.length} sizes of text: ${sizes.join(', ')}`);
        faults.push(...(await smallTargets(page)).map((target) => `${path}: ${target}`));
      }
      expect(faults).toEqual([]);
    });

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

    it.for(LOOKS)('includes dialogs that everybody can use, %s', async ([, viewport]) => {
      const video = await SeededVideo.create(scene());
      await video.measure();
      const { page, complaints } = await scene().openWindow('/', { viewport });
      const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
      const select = () => page.getByRole('checkbox', { name: `Select ${video.title}` }).check();
      const dialogs: [name: string, path: string, open: () => Promise<void>][] = [
        ['create-key', '/keys', () => press('Create a key')],
        ['revoke-key', '/keys', () => press('Revoke')],
        ['quote', video.path, () => press('See price')],
        ['tags', '/videos', () => select().then(() => press('Tags'))],
        ['process', '/videos', () => select().then(() => press(/^Process/))],
        ['two-factor', '/settings/security', () => press('Turn on')],
        ['add-credits', '/wallet', () => press('Add credits')],
      ];
      const faults: string[] = [];
      for (const [name, path, open] of dialogs) {
        await page.goto(path);
        await open();
        await page.getByRole('dialog').waitFor();
        faults.push(...(await look(page, `dialog-${name}`)));
      }
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });
}
