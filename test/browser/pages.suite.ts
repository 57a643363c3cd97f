import { describe, expect, it } from 'vitest';

import { look } from './look.js';
import type { Scene } from './scene.js';
import { SeededVideo } from './seededVideo.js';

/** Every page of the router. The wallet and the support console are checked where they are used. */
const PUBLIC = ['/sign-in', '/sign-up', '/forgot-password', '/reset-password?token=none', '/docs'];
const PRIVATE = ['/', '/videos', '/upload', '/keys', '/settings', '/nowhere', '/videos/vid_nothing'];

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
        ['two-factor', '/settings', () => press('Turn on')],
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
