import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { LONG_WAIT_MS } from '../support/deadlines.js';
import { makeClip, mediaFolder } from '../support/media.js';
import { look } from './look.js';
import { playedTo } from './playing.js';
import { Scene } from './scene.js';
import { sendSignUp } from './sendSignUp.js';
import { openPage } from './window.js';

const EMAIL = 'walker@example.com';
const TITLE = 'first steps';

/** What a person clicked, beside fields to type in. Clicks that a script makes on its own are not counted. */
class Clicks {
  readonly made: string[] = [];

  async count(page: Page): Promise<void> {
    await page.exposeBinding('countClick', (_source, name: string) => this.made.push(name));
    await page.addInitScript(() => {
      const { countClick } = globalThis as unknown as { countClick: (name: string) => void };
      addEventListener(
        'click',
        (event) => {
          const [target] = event.composedPath() as [Element];
          const clicked = target.closest('a, button, [role=button], label') ?? target;
          const isField = target.matches('input:not([type=checkbox]):not([type=file]), textarea');
          if (event.isTrusted && !isField) countClick(clicked.getAttribute('aria-label') ?? clicked.textContent.trim());
        },
        { capture: true },
      );
    });
  }
}

/** From nothing to a playing video and a page that embeds it, as a new owner would go without reading anything. */
export function thePath(scene: () => Scene): void {
  describe('the path of a new owner', () => {
    it('leads from sign-up to a playing video in seven clicks, and to an embed in eight', async () => {
      await using folder = await mediaFolder();
      const clip = await makeClip(folder.path, { name: `${TITLE}.mp4`, durationSeconds: 6 });
      const { page, complaints } = await openPage(scene().browser, scene().demo.url, {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const clicks = new Clicks();
      await clicks.count(page);

      await page.goto('/sign-up');
      await sendSignUp(page, { name: 'A walker', email: EMAIL, password: 'four quiet green rivers' });
      clicks.made.push('the link in the email');
      await page.goto(await scene().running.linkEmailedTo(EMAIL));

      const steps = page.getByRole('region', { name: 'First steps' });
      await steps.getByText('1 of 5 done').waitFor();
      await steps.getByRole('link', { name: 'Add credits' }).click();
      await page.getByLabel('Amount in rupees').fill('500');
      await page.getByRole('button', { name: 'Pay ₹500' }).click();
      await page.getByRole('button', { name: 'Pay now' }).click();
      await page.getByRole('heading', { name: '500.00 credits arrived' }).waitFor();
      expect(await look(page, 'path-credits-arrived')).toEqual([]);
      await page.getByRole('link', { name: 'Upload a video' }).click();

      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByLabel('Choose video or audio files, or drop them here').click(),
      ]);
      await chooser.setFiles(clip);
      // Six seconds of 480p, whatever quality was wished for.
      await page.getByText('About 0.10 credits. Creative and Master cover it.').waitFor();
      expect(await look(page, 'path-before-upload')).toEqual([]);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByRole('link', { name: 'Watch it' }).click({ timeout: LONG_WAIT_MS });
      await page.locator('dhara-player').waitFor();
      await playedTo(page, 0.3);
      const paying = ['Pay ₹500', 'Pay now'];
      expect(clicks.made.filter((name) => !paying.includes(name))).toEqual([
        'Create account',
        'the link in the email',
        'Add credits',
        'Upload a video',
        'Choose video or audio files, or drop them here',
        'Upload',
        'Watch it',
      ]);

      const embed = page.getByRole('region', { name: 'Embed' });
      await embed.getByRole('button', { name: 'Copy preview code' }).click();
      await embed.getByText('You can start this preview until').waitFor();
      expect(clicks.made).toHaveLength(8 + paying.length);
      expect(await look(page, 'path-embed')).toEqual([]);
      const code = await page.evaluate(() => navigator.clipboard.readText());
      expect(code).toContain('<!-- Preview only: plays until');
      await playsIn(code, folder.path);

      // An owner's list of sites does not keep a preview from the owner's own machine.
      await scene().database.query(
        `update account set allowed_domains = '{shop.example}' where id = (select id from auth."user" where email = $1)`,
        [EMAIL],
      );
      await embed.getByRole('button', { name: 'Copy fresh preview code' }).click();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe(code);
      await playsIn(await page.evaluate(() => navigator.clipboard.readText()), folder.path);
      expect(complaints).toEqual([]);
    });

    it('names the next step until a viewer has watched a video', async () => {
      // Other tests watch the videos of the shared one.
      await using fresh = await Scene.startAnother();
      const { page } = await fresh.openWindow('/');
      const steps = page.getByRole('region', { name: 'First steps' });
      await steps.getByText('4 of 5 done').waitFor();
      await steps.getByRole('link', { name: 'Get the code' }).click();
      const embed = page.getByRole('region', { name: 'Embed' });
      for (const [language, text] of [
        ['Node', 'createServer'],
        ['PHP', 'stream_context_create'],
        ['Python', 'def playback_token'],
        ['Ruby', 'Net::HTTP.post'],
        ['Go', 'func playbackToken'],
      ] as const) {
        await embed.getByRole('tab', { name: language }).click();
        await embed.getByRole('tabpanel').getByText(text).waitFor();
      }
      expect(await look(page, 'embed')).toEqual([]);

      const { apiKey, videoId, url } = fresh.demo;
      const headers = { 'x-service-key': apiKey };
      const minted = await fetch(`${url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers });
      const { data } = (await minted.json()) as { data: { token: string } };
      const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
      expect((await fetch(`${url}/v1/video/playback/manifest/${data.token}`, { headers: agent })).status).toBe(200);
      const isWatched = async () =>
        (await fresh.ask<{ recentViews: { ever: boolean } }>('{ recentViews { ever } }')).recentViews.ever;
      await expect.poll(isWatched).toBe(true);
      await page.goto('/');
      await page.getByRole('region', { name: 'Newest videos' }).waitFor();
      expect(await steps.count()).toBe(0);
    });

    /** In a file, and on a server of the owner's own machine. */
    async function playsIn(code: string, folder: string): Promise<void> {
      const html = `<!doctype html><title>Mine</title>${code}`;
      const file = join(folder, 'mine.html');
      await writeFile(file, html);
      const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html));
      await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready));
      try {
        const local = `http://localhost:${(server.address() as AddressInfo).port}/`;
        for (const address of [pathToFileURL(file).href, local]) await plays(address);
      } finally {
        server.close();
        server.closeAllConnections();
      }
    }

    async function plays(address: string): Promise<void> {
      const { page, complaints } = await openPage(scene().browser, scene().demo.url);
      await page.goto(address);
      const frame = page.frameLocator('iframe');
      await frame.getByRole('button', { name: `Play ${TITLE}` }).click();
      const position = () =>
        frame.locator('dhara-player').evaluate((player) => (player as unknown as HTMLVideoElement).currentTime);
      await expect.poll(position, { message: address }).toBeGreaterThan(0.3);
      expect(complaints).toEqual([]);
      await page.context().close();
    }
  });
}
