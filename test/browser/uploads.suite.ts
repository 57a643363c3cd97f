import { readFile } from 'node:fs/promises';

import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { makeClip, mediaFolder } from '../support/media.js';
import { withJobsLater } from './jobsLater.js';
import { expectApart } from './apart.js';
import { look } from './look.js';
import { readNotice } from './notices.js';
import { operationOf } from './operationOf.js';
import type { Scene } from './scene.js';
import { goTo } from './window.js';

interface Wished {
  title: string;
  quality: string;
  autoProcess: boolean;
  normalizeLoudness: boolean;
  addons: { encryption: boolean };
}

/** Several files at once: shared options, different ones for a single file, and a binding price for each. */
export function theUploads(scene: () => Scene): void {
  describe('a batch of uploads', () => {
    const titles = ['ganga', 'yamuna', 'saraswati'].map((river) => `${river} ${crypto.randomUUID().slice(0, 6)}`);
    const [first, second, third] = titles as [string, string, string];
    const ownChoice = (page: Page, title: string): Locator => page.getByRole('group', { name: `Options for ${title}` });

    it('takes one choice, differs where one file is changed, and shows each price and the total', async () => {
      await using folder = await mediaFolder();
      // Six seconds of 480p: a tenth of a credit, and half as much for each add-on.
      const clip = await makeClip(folder.path, { name: 'six seconds.mp4', durationSeconds: 6 });
      const buffer = await readFile(clip);
      const { page, complaints } = await scene().openWindow('/upload');
      const files = titles.map((title) => ({ name: `${title}.mp4`, mimeType: 'video/mp4', buffer }));
      await page.locator('input[type=file]').setInputFiles(files);
      const row = (title: string): Locator => page.getByRole('listitem').filter({ hasText: `${title}.mp4` });

      await page.getByLabel('Process automatically').uncheck();
      await page.getByText('Applies to all 3 files.').waitFor();
      await row(second).getByRole('button', { name: 'Change options' }).press('Enter');
      const own = ownChoice(page, `${second}.mp4`);
      await own.getByLabel('Quality').selectOption('P480');
      await own.getByRole('checkbox', { name: 'Encryption' }).press('Space');
      await row(second).getByText('480p · encryption · about 0.15 credits').waitFor();
      await row(second).getByText('0:06').waitFor();
      await page.getByText('About 0.35 credits. Creative and Master cover it.').waitFor();
      await page.getByText('Applies to 2 of 3 files; one has its own options.').waitFor();
      expect(await look(page, 'upload-batch')).toEqual([]);

      // Shared options leave the options that were changed by hand for one file, and only those.
      await page.getByLabel('Quality of all').selectOption('P720');
      await page.getByRole('checkbox', { name: 'Normalize loudness' }).first().check();
      await row(first).getByText('720p · normalized loudness').waitFor();
      await row(second).getByText('480p · encryption · normalized loudness').waitFor();
      await row(third).getByRole('button', { name: 'Change options' }).click();
      await ownChoice(page, `${third}.mp4`).getByLabel('Quality').selectOption('AUDIO');
      await row(third).getByText('Audio only').first().waitFor();
      await row(third).getByRole('button', { name: 'Same as the others' }).click();
      await row(third).getByText('720p · normalized loudness').waitFor();

      // Visiting another page loses none of it.
      await goTo(page, 'Settings');
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      await goTo(page, 'Upload');
      await row(second).getByText('480p · encryption · normalized loudness').waitFor();

      await page.getByRole('button', { name: 'Upload 3 files' }).click();
      const card = (title: string): Locator => page.getByRole('article', { name: `Upload of ${title}` });
      await card(first).getByText('480p · normalized loudness: 0.10 credits').waitFor();
      await card(second).getByText('480p · encryption · normalized loudness: 0.15 credits').waitFor();
      await page.getByText('3 files need approval: 0.35 credits in total').waitFor();
      expect(await look(page, 'upload-priced')).toEqual([]);
      const shared = { autoProcess: false, normalizeLoudness: true };
      expect(await wishes()).toEqual([
        { title: first, ...shared, quality: 'P720', addons: { encryption: false } },
        { title: second, ...shared, quality: 'P480', addons: { encryption: true } },
        { title: third, ...shared, quality: 'P720', addons: { encryption: false } },
      ]);

      await page.getByRole('button', { name: 'Process all 3' }).click();
      const dialog = page.getByRole('dialog', { name: 'Process 3 videos' });
      await dialog.getByRole('button', { name: 'Process for 0.35 credits' }).waitFor();
      await dialog.getByRole('button', { name: `Change options for ${first}` }).click();
      await ownChoice(page, first).getByRole('checkbox', { name: 'Encryption' }).check();
      await dialog.getByRole('button', { name: 'Process for 0.40 credits' }).waitFor();
      expect(await look(page, 'dialog-process-batch')).toEqual([]);
      await dialog.getByRole('button', { name: `Same as the others: ${second}` }).click();
      const accept = dialog.getByRole('button', { name: 'Process for 0.35 credits' });
      await accept.waitFor();

      // An undo uses up the old quotes, so this page has to show the prices of new ones.
      const notices = page.getByRole('region', { name: 'Notices' });
      await withJobsLater(scene().database, async () => {
        await accept.click();
        const notice = await readNotice(page, 'Processing 3 videos');
        await card(third).getByText('0.10 credits set aside').waitFor();
        await notice.getByRole('button', { name: 'Undo' }).click();
        await notices.getByText('Processing of 3 videos cancelled').waitFor();
        await page.getByText('3 files need approval: 0.35 credits in total').waitFor();
        await card(third).getByRole('button', { name: 'Process', exact: true }).click();
        await card(third).getByText('0.10 credits set aside').waitFor();
        // Those that were cancelled before say so again.
        expect(await cancelAll()).toBe(3);
      });
      expect(complaints).toEqual([]);
    });

    it('requests a refused price again, and forgets a refusal, once the reason may be over', async () => {
      await using folder = await mediaFolder();
      const clip = await makeClip(folder.path, { name: 'refused at first.mp4', durationSeconds: 6 });
      const { page, complaints } = await scene().openWindow('/upload');
      const refuseOnce = async (operation: string, code: string) => {
        let isRefused = false;
        await page.route('**/graphql', (route) => {
          if (isRefused || operationOf(route.request()) !== operation) return route.fallback();
          isRefused = true;
          return route.fulfill({ json: { data: null, errors: [{ message: 'Refused.', extensions: { code } }] } });
        });
      };
      await refuseOnce('CreateQuote', 'VIDEO_NOT_FOUND');
      await page.locator('input[type=file]').setInputFiles(clip);
      await page.getByLabel('Process automatically').uncheck();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      const card = page.getByRole('article', { name: 'Upload of refused at first' });
      const again = card.getByRole('button', { name: 'Get a new price' });
      await again.waitFor();
      // Deleted, as in another window, and restored.
      const { videos } = await scene().ask<{ videos: { edges: { node: { id: string } }[] } }>(
        '{ videos(first: 1, q: "refused at first") { edges { node { id } } } }',
      );
      const ids = videos.edges.map(({ node }) => node.id);
      await scene().ask('mutation ($ids: [ID!]!) { deleteVideos(ids: $ids) }', { ids });
      await again.waitFor({ state: 'hidden' });
      await scene().ask('mutation ($ids: [ID!]!) { restoreVideos(ids: $ids) }', { ids });
      const process = card.getByRole('button', { name: 'Process', exact: true });
      await process.waitFor();

      await scene().moveCredits('MASTER', 'CLOUD', '1');
      await refuseOnce('ProcessVideo', 'INSUFFICIENT_CREDITS');
      await process.click();
      await again.waitFor();
      await scene().moveCredits('CLOUD', 'MASTER', '1');
      await again.waitFor({ state: 'hidden' });
      await process.waitFor();
      await page.unrouteAll();
      expect(complaints).toEqual([]);
    });

    it('shows a file that is no video as refused, not as done', async () => {
      const { page } = await scene().openWindow('/upload');
      const buffer = Buffer.from('This is a letter, not a video. '.repeat(40));
      await page.locator('input[type=file]').setInputFiles({ name: 'letter.mp4', mimeType: 'video/mp4', buffer });
      // The browser cannot open it either, so there is no price before the upload, only a rate.
      await page.getByText(/pay for [\d,]+ minutes of video at 2.00 credits a minute/).waitFor();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      const card = page.getByRole('article', { name: 'Upload of letter' });
      await card.getByText('1.2 KB · can’t be used').waitFor();
      const barColor = () => card.getByRole('progressbar').evaluate((bar) => getComputedStyle(bar).backgroundColor);
      const [red, green, blue] = (await barColor()).match(/\d+/g)!.map(Number) as [number, number, number];
      expect(red).toBeGreaterThan(Math.max(green, blue));
      expect(await look(page, 'upload-refused')).toEqual([]);
    });

    it('shows how far it is on other pages, and leaves the actions on selected videos in sight', async () => {
      await using folder = await mediaFolder();
      const clip = await makeClip(folder.path, { name: 'on its way.mp4', durationSeconds: 1 });
      const { page, complaints } = await scene().openWindow('/upload');
      await page.route('**/uploads/**', (route) =>
        route.request().method() === 'PATCH' ? route.abort('connectionreset') : route.fallback(),
      );
      await page.locator('input[type=file]').setInputFiles(clip);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText(/offline/).waitFor();
      await goTo(page, 'Videos');
      await page.getByRole('checkbox', { name: 'Select Twenty seconds of colour' }).check();
      const selected = page.getByRole('region', { name: 'Selected videos' });
      const dock = page.getByRole('link', { name: /^Uploading/ });
      await expectApart(page, dock, selected);
      expect(await look(page, 'upload-elsewhere')).toEqual([]);
      await selected.getByRole('button', { name: 'Clear selection' }).click();

      await dock.click();
      await page.getByRole('button', { name: 'Cancel the upload of on its way' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel upload' }).click();
      await page.getByRole('article', { name: 'Upload of on its way' }).waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
    });

    /** Returns how many of ours are cancelled. */
    async function cancelAll(): Promise<number> {
      const { videos } = await scene().ask<{ videos: { edges: { node: { id: string; title: string } }[] } }>(
        '{ videos(first: 100) { edges { node { id title } } } }',
      );
      const ids = videos.edges.filter(({ node }) => titles.includes(node.title)).map(({ node }) => node.id);
      const { cancelProcessing } = await scene().ask<{ cancelProcessing: { result: string }[] }>(
        'mutation ($ids: [ID!]!) { cancelProcessing(ids: $ids) { result } }',
        { ids },
      );
      return cancelProcessing.filter(({ result }) => result === 'CANCELLED').length;
    }

    async function wishes(): Promise<Wished[]> {
      const { videos } = await scene().ask<{ videos: { edges: { node: Wished }[] } }>(
        '{ videos(first: 100) { edges { node { title quality autoProcess normalizeLoudness addons { encryption } } } } }',
      );
      const ours = videos.edges.map(({ node }) => node).filter(({ title }) => titles.includes(title));
      return ours.toSorted((a, b) => titles.indexOf(a.title) - titles.indexOf(b.title));
    }
  });
}
