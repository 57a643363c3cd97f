import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { look } from './look.js';
import { playedTo, wake } from './playing.js';
import { failUntilRetried } from './readsAgain.js';
import type { Scene } from './scene.js';
import { SeededVideo } from './seededVideo.js';
import { DESKTOP } from './window.js';

const CAPTIONS = 'query ($id: ID!) { video(id: $id) { captions { label language isSdh } chapters { title } } }';

const srt = (words: string): Buffer => Buffer.from(`1\n00:00:00,000 --> 00:00:19,000\n${words}\n`);
const broken = Buffer.concat([srt('Gut'), Buffer.from('\n2\n00:00:99,000 --> 00:00:02,000\nSchlecht\n')]);

interface CaptionsAndChapters {
  readonly captions: readonly { label: string; language: string; isSdh: boolean }[];
  readonly chapters: readonly { title: string }[];
}

export function theCaptions(scene: () => Scene): void {
  const captionsOf = async (id: string): Promise<CaptionsAndChapters> =>
    (await scene().ask<{ video: CaptionsAndChapters }>(CAPTIONS, { id })).video;

  describe('captions and chapters', () => {
    it('are uploaded, shown in the player, changed and removed, by keyboard alone', async () => {
      const { videoId } = scene().demo;
      const { page, complaints } = await scene().openWindow(`/videos/${videoId}/captions`);
      const captions = page.getByRole('region', { name: 'Captions', exact: true });
      await captions.getByText(/^No captions yet\./).waitFor();
      await page.getByRole('button', { name: /^Play / }).click();
      await playedTo(page, 0.2);

      await captions.getByRole('button', { name: 'Add captions' }).press('Enter');
      await chooseByKey(page, focused(page), { name: 'video.txt', buffer: srt('Hallo') });
      await captions.getByRole('alert').getByText('Choose an SRT or WebVTT file').waitFor();
      await chooseByKey(page, focused(page), { name: 'video.de.srt', buffer: Buffer.alloc(1_000_001, 'a') });
      await captions.getByRole('alert').getByText('This file is 1.0 MB. Captions can be up to 1 MB.').waitFor();

      await chooseByKey(page, focused(page), { name: 'video.de.srt', buffer: broken });
      // The page has the new file, not the one before.
      await captions.getByRole('alert').waitFor({ state: 'hidden' });
      expect(await captions.getByRole('combobox', { name: 'Language' }).inputValue()).toBe('German');
      expect(await captions.getByLabel('Label in menus').inputValue()).toBe('Deutsch');
      await captions.getByRole('button', { name: 'Add', exact: true }).press('Enter');
      await captions.getByRole('alert').getByText('Line 6: The times are not readable.').waitFor();
      expect((await captionsOf(videoId)).captions).toEqual([]);
      expect(await look(page, 'captions-refused')).toEqual([]);

      await chooseByKey(page, captions.getByRole('button', { name: 'Choose another file' }), {
        name: 'video.de.srt',
        buffer: srt('Der Fluss ist langsam'),
      });
      await captions.getByRole('alert').waitFor({ state: 'hidden' });
      await captions.getByRole('button', { name: 'Add', exact: true }).press('Enter');
      await captions.getByText('German · uploaded').waitFor();
      await said(page, '“Deutsch” was added.');
      expect(await focused(page).textContent()).toBe('Captions');
      await labelsInPlayer(page, ['Deutsch']);
      expect(await look(page, 'captions')).toEqual([]);

      await page.locator('dhara-player').press('c');
      await page.locator('dhara-player').getByText('Der Fluss ist langsam').waitFor();

      await captions.getByRole('button', { name: 'Edit Deutsch' }).press('Enter');
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type('Für alle');
      await captions.getByLabel('For the deaf and hard of hearing').press('Space');
      await page.keyboard.press('Enter');
      await captions.getByText('German · for the deaf and hard of hearing · uploaded').waitFor();
      expect((await captionsOf(videoId)).captions).toEqual([{ label: 'Für alle', language: 'de', isSdh: true }]);

      await chooseByKey(page, captions.getByRole('button', { name: 'Replace Für alle' }), {
        name: 'wrong.vtt',
        buffer: Buffer.from('WEBVTT\n\nnot a time\n'),
      });
      await captions.getByRole('alert').getByText('Line 3: A line with the times of a caption is missing').waitFor();
      await labelsInPlayer(page, ['Für alle']);

      await captions.getByRole('button', { name: 'Remove Für alle' }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await captions.getByRole('button', { name: 'Remove Für alle' }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
      await captions.getByText(/^No captions yet\./).waitFor();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      expect(await focused(page).textContent()).toBe('Captions');
      await labelsInPlayer(page, []);
      expect((await captionsOf(videoId)).captions).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('include chapters that the owner types, which the player shows', async () => {
      const { videoId } = scene().demo;
      // Narrower players do not name the chapter.
      const { page, complaints } = await scene().openWindow(`/videos/${videoId}/captions`, DESKTOP);
      const chapters = page.getByRole('region', { name: 'Chapters', exact: true });
      await page.getByRole('button', { name: /^Play / }).click();
      await playedTo(page, 0.2);
      await page.evaluate(() => {
        const player = document.querySelector('dhara-player')!;
        player.pause();
        player.currentTime = 12.4;
      });

      await chapters.getByRole('button', { name: 'Add chapters' }).press('Enter');
      await page.keyboard.type('The spring');
      await chapters.getByRole('button', { name: 'Add a chapter' }).press('Enter');
      const second = chapters.getByRole('group', { name: 'Chapter 2' });
      expect(await second.getByLabel('Start').inputValue()).toBe('0:12');
      await second.getByLabel('Start').fill('0:30');
      await chapters.getByRole('button', { name: 'Save' }).press('Enter');
      await second.getByText('The video ends at 0:20.').waitFor();
      await second.getByText('Enter a title.').waitFor();
      expect((await captionsOf(videoId)).chapters).toEqual([]);
      expect(await look(page, 'chapters-refused')).toEqual([]);
      await second.getByLabel('Start').fill('12.5');
      await second.getByLabel('Title').fill('The mouth');
      await page.keyboard.press('Enter');
      await chapters.getByRole('listitem').filter({ hasText: '0:12The mouth' }).waitFor();

      // The video resumes where it was, with the changes.
      await page.getByRole('button', { name: /^Play / }).click();
      await playedTo(page, 12.4);
      await wake(page);
      await page.getByRole('button', { name: /^Chapter: The/ }).waitFor();

      await chapters.getByRole('button', { name: 'Remove all' }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
      await chapters.getByText(/^No chapters yet\./).waitFor();
      expect((await captionsOf(videoId)).chapters).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('from the file are marked as such, and survive a lost connection', async () => {
      const video = await SeededVideo.create(scene());
      await video.measure();
      await video.takeCaptions();
      const { page } = await scene().openWindow('/');
      const retry = await failUntilRetried(page, 'VideoCaptions', (route) => route.abort());
      await page.goto(`${video.path}/captions`);
      const failed = page.getByRole('region', { name: 'Captions and chapters' });
      await failed.getByText('The connection was lost').waitFor();
      await retry();

      const captions = page.getByRole('region', { name: 'Captions', exact: true });
      await captions.getByText('Hindi · forced · from the file · 2.4 KB').waitFor();
      const chapters = page.getByRole('region', { name: 'Chapters', exact: true });
      expect(await chapters.getByText('from the file').count()).toBe(2);
      expect(await look(page, 'captions-of-the-file')).toEqual([]);

      let answer = (): void => undefined;
      const held = new Promise<void>((resolve) => (answer = resolve));
      await page.route('**/graphql', async (route) => {
        if (route.request().postData()?.includes('"operationName":"UploadCaptions"')) await held;
        await route.fallback();
      });
      await captions.getByRole('button', { name: 'Add captions' }).click();
      await captions.locator('form input[type=file]').setInputFiles({
        name: 'english.srt',
        mimeType: 'application/x-subrip',
        buffer: srt('Slow'),
      });
      await captions.getByRole('button', { name: 'Add', exact: true }).click();
      await captions.getByText('Choose the language.').waitFor();
      await captions.getByRole('combobox', { name: 'Language' }).pressSequentially('gsw');
      await page.getByRole('option', { name: /^(?:Swiss German|gsw)$/ }).click();
      await captions.getByRole('button', { name: 'Add', exact: true }).click();
      await captions.getByRole('status').getByText('Uploading file…').waitFor();
      answer();
      await captions.getByText(/^(?:Swiss German|gsw) · uploaded/).waitFor();
    });
  });

  function focused(page: Page): Locator {
    return page.locator('*:focus');
  }

  /** Like somebody without a mouse: opens the browser's own dialog, which returns a file. */
  async function chooseByKey(page: Page, from: Locator, file: { name: string; buffer: Buffer }): Promise<void> {
    const dialog = page.waitForEvent('filechooser');
    await from.press('Enter');
    await (await dialog).setFiles({ ...file, mimeType: 'application/octet-stream' });
  }

  async function said(page: Page, words: string): Promise<void> {
    await page.getByRole('status').getByText(words).waitFor({ state: 'attached' });
  }

  /** The tracks of the `<video>`, which come with its stream. */
  async function labelsInPlayer(page: Page, labels: readonly string[]): Promise<void> {
    await page.waitForFunction((wanted) => {
      const player = document.querySelector('dhara-player')!;
      const found = [...player.textTracks].filter(({ kind }) => /captions|subtitles/.test(kind));
      return player.state === 'ready' && found.map(({ label }) => label).join() === wanted;
    }, labels.join());
  }
}
