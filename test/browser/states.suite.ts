import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { makeClip, mediaFolder } from '../support/media.js';
import { withJobsLater } from './jobsLater.js';
import { look } from './look.js';
import { operationOf } from './operationOf.js';
import { failUntilRetried } from './readsAgain.js';
import type { Scene } from './scene.js';
import { SeededVideo } from './seededVideo.js';
import { goTo } from './window.js';

/** What a page says about a problem, what it offers to do, and that no input is lost. */
export function theStates(scene: () => Scene): void {
  describe('if there is a problem', () => {
    const videoPath = (): string => `/videos/${scene().demo.videoId}`;
    const notSaved = (page: Page) => page.getByText('Unsaved changes');
    // Sections that load later have their own alerts.
    const formAlert = (page: Page) => page.getByRole('form', { name: 'Details' }).getByRole('alert');

    it('the service fails: says so in place of the page, and retries', async () => {
      const { page } = await scene().openWindow('/settings');
      const retry = await failUntilRetried(page, 'ApiKeys', (route) =>
        route.fulfill({ status: 503, body: 'upstream is away' }),
      );
      await goTo(page, 'API keys');
      const alert = page.getByRole('alert');
      await alert.getByText('The service is temporarily unavailable').waitFor();
      await alert.getByText('Nothing is lost. Try again in a moment.').waitFor();
      expect(await look(page, 'service-away')).toEqual([]);
      await retry();
      await page.getByRole('button', { name: 'Create a key' }).first().waitFor();
    });

    it('too many visitors: shows the sign-in form, and says so', async () => {
      const { page } = await scene().openWindow('/settings');
      const details = { retryAfterSeconds: '5', askedAs: 'visitor' };
      const refusal = {
        errors: [{ message: 'Too many requests.', extensions: { code: 'RATE_LIMIT_EXCEEDED', details } }],
      };
      await page.route('**/graphql', (route) => route.fulfill({ status: 429, json: refusal }));
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.getByRole('status').getByText('Too many attempts').waitFor();
      await page.getByLabel('Password').first().waitFor();
      await page.unrouteAll();
    });

    it('the service fails at a form: keeps the input, and the next try succeeds', async () => {
      const { page } = await scene().openWindow(videoPath());
      const broken = {
        data: null,
        errors: [{ message: 'Something went wrong.', extensions: { code: 'INTERNAL_ERROR' } }],
      };
      await page.route('**/graphql', (route) =>
        operationOf(route.request()) === 'UpdateVideo' ? route.fulfill({ json: broken }) : route.fallback(),
      );
      const typed = `Typed at ${performance.now()}`;
      await page.getByLabel('Description').fill(typed);
      await page.getByRole('button', { name: 'Save' }).click();
      await formAlert(page).getByText('Something went wrong on our side').waitFor();
      expect(await page.getByLabel('Description').inputValue()).toBe(typed);
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Save' }).click();
      await notSaved(page).waitFor({ state: 'hidden' });
    });

    it('the details of a video: sends only what was changed', async () => {
      const { page } = await scene().openWindow(videoPath());
      const sent: unknown[] = [];
      await page.route('**/graphql', (route) => {
        if (operationOf(route.request()) === 'UpdateVideo') sent.push(inputOf(route));
        return route.fallback();
      });
      const typed = `Typed at ${performance.now()}`;
      await page.getByLabel('Description').fill(typed);
      await page.getByRole('button', { name: 'Save' }).click();
      await notSaved(page).waitFor({ state: 'hidden' });
      expect(sent).toEqual([{ description: typed }]);
    });

    it('the connection is lost: says so on every page, keeps the input, and reconnects by itself', async () => {
      const { page } = await scene().openWindow(videoPath());
      await page.getByLabel('Description').fill('Typed under a bridge');
      await page.context().setOffline(true);
      await page.getByText('No connection to the service').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await formAlert(page).getByText('The connection was lost').waitFor();
      expect(await page.getByLabel('Description').inputValue()).toBe('Typed under a bridge');

      await page.context().setOffline(false);
      await page.getByText('No connection to the service').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Save' }).click();
      await notSaved(page).waitFor({ state: 'hidden' });
    });

    it('an upload resumes after the connection broke and the page was reloaded', async () => {
      await using folder = await mediaFolder();
      const clip = await makeClip(folder.path, { name: 'broken off.mp4', durationSeconds: 1 });
      const { page } = await scene().openWindow('/upload');
      await page.route('**/uploads/**', (route) =>
        route.request().method() === 'PATCH' ? route.abort('connectionreset') : route.fallback(),
      );
      await page.locator('input[type=file]').setInputFiles(clip);
      await page.getByLabel('Process automatically').uncheck();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText(/offline/).waitFor();
      await page.getByRole('button', { name: 'Cancel the upload of broken off' }).click();
      await page.getByRole('dialog', { name: 'Cancel this upload?' }).waitFor();
      expect(await look(page, 'dialog-cancel-upload')).toEqual([]);
      await page.keyboard.press('Escape');

      page.once('dialog', (dialog) => void dialog.accept());
      await page.reload();
      await page.getByText(/interrupted\. Choose the same file/).waitFor();
      // Not before: it would be sent to its end.
      await page.unrouteAll();
      expect(await look(page, 'upload-interrupted')).toEqual([]);
      await page.locator('input[type=file]').first().setInputFiles(clip);
      await page.getByText(/· uploaded$/).waitFor();
    });

    it('the session ends at a form: asks for the password in a dialog, and keeps the input', async () => {
      const { page } = await scene().openWindow(videoPath());
      await page.getByLabel('Description').fill('Typed before the session ended');
      await page.context().clearCookies();
      // Without the pointer: a part of the page that loads when it is scrolled to may find out first, and ask on top.
      await page.getByRole('button', { name: 'Save' }).dispatchEvent('click');
      await signInOnTop(page);
      expect(await page.getByLabel('Description').inputValue()).toBe('Typed before the session ended');

      await page.getByRole('button', { name: 'Save' }).click();
      await notSaved(page).waitFor({ state: 'hidden' });
      await page.reload();
      expect(await page.getByLabel('Description').inputValue()).toBe('Typed before the session ended');
    });

    it('the session ends while files are being described without a connection: nothing is lost', async () => {
      await using folder = await mediaFolder();
      const clip = await makeClip(folder.path, { name: 'draft.mp4', durationSeconds: 1 });
      const { page } = await scene().openWindow('/upload');
      await page.locator('input[type=file]').setInputFiles(clip);
      await page.getByLabel('Title').fill('A title of my own');
      await page.getByLabel('Process automatically').uncheck();
      await page.context().clearCookies();
      // Once it is online again, the page refetches everything: nobody is signed in any more.
      await page.context().setOffline(true);
      await page.getByText('No connection to the service').waitFor();
      await page.context().setOffline(false);
      await signInOnTop(page);
      expect(await page.getByLabel('Title').inputValue()).toBe('A title of my own');
      expect(await page.getByLabel('Process automatically').isChecked()).toBe(false);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page
        .getByRole('article', { name: 'Upload of A title of my own' })
        .getByText(/· uploaded$/)
        .waitFor();
    });

    async function signInOnTop(page: Page): Promise<void> {
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.waitFor();
      expect(await look(page, 'dialog-session-ended')).toEqual([]);
      await dialog.getByLabel('Password', { exact: true }).fill(scene().demo.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.waitFor({ state: 'hidden' });
    }

    it('credits are missing: says how many, and moves them or links to where they are added', async () => {
      const video = await SeededVideo.create(scene());
      await video.measure();
      const { page } = await scene().openWindow(video.path);
      const { wallet } = await scene().ask<{ wallet: { creative: string } }>('{ wallet { creative } }');
      const ration = (enabled: boolean) =>
        scene().ask(
          'mutation ($enabled: Boolean!) { setAutomaticAllocation(bucket: CREATIVE, enabled: $enabled) { master } }',
          { enabled },
        );
      await scene().moveCredits('CREATIVE', 'MASTER', wallet.creative);
      await ration(false);
      await page.reload();
      await page.getByRole('button', { name: 'See price' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('You need 1.50 more credits').waitFor();
      expect(await dialog.getByRole('button', { name: /^Process for/ }).isDisabled()).toBe(true);
      expect(await look(page, 'dialog-quote-credits-missing')).toEqual([]);
      await dialog.getByRole('button', { name: 'Move 1.50 from Master' }).click();
      await dialog.getByText('more credits').waitFor({ state: 'hidden' });
      expect(await dialog.getByRole('button', { name: /^Process for/ }).isEnabled()).toBe(true);
      await scene().moveCredits('CREATIVE', 'MASTER', '1.5');
      await ration(true);
      await page.reload();
      await page.getByRole('button', { name: 'See price' }).click();
      await dialog.getByText('Takes 1.50 from Master.').waitFor();
      expect(await dialog.getByRole('button', { name: /^Process for/ }).isEnabled()).toBe(true);
      const { master } = (await scene().ask<{ wallet: { master: string } }>('{ wallet { master } }')).wallet;
      await scene().moveCredits('MASTER', 'AI', master);
      await page.reload();
      await page.getByRole('button', { name: 'See price' }).click();
      await dialog.getByRole('link', { name: 'Add credits in the wallet' }).click();
      await page.getByRole('button', { name: 'Add credits' }).first().waitFor();
      await scene().moveCredits('AI', 'MASTER', master);
      await scene().moveCredits('MASTER', 'CREATIVE', wallet.creative);
    });

    it('a video waits for credits: says so everywhere, and is processed by itself once they are there', async () => {
      const video = await SeededVideo.create(scene());
      await video.measure();
      const { page, complaints } = await scene().openWindow(video.path);
      // A video that waits has been refused at a price.
      await page.getByRole('button', { name: 'See price' }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Process for/ })
        .waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      const { wallet } = await scene().ask<{ wallet: { master: string; creative: string } }>(
        '{ wallet { master creative } }',
      );
      await scene().moveCredits('CREATIVE', 'MASTER', wallet.creative);
      const all = (Number(wallet.master) + Number(wallet.creative)).toFixed(6);
      await scene().moveCredits('MASTER', 'AI', all);
      await scene().database.query(
        `update video set auto_process = true, quality = '720p', failure_code = 'INSUFFICIENT_CREDITS',
          failure_message = 'Not enough credits.' where title = $1`,
        [video.title],
      );
      await withJobsLater(scene().database, async () => {
        await page.goto('/');
        const need = page
          .getByRole('region', { name: 'Needs you' })
          .getByRole('link', { name: '1 video needs credits' });
        await need.waitFor();
        expect(await look(page, 'home-needs-credits')).toEqual([]);
        await need.click();
        await page.getByRole('dialog', { name: 'Add credits' }).waitFor();
        await page.goto(`/videos?q=${video.title.split(' ').at(-1)}`);
        await page.getByRole('row').filter({ hasText: video.title }).getByText('Needs credits').waitFor();
        await page.goto(video.path);
        await page.getByText('Needs credits').first().waitFor();
        await page.getByText(/Processing continues automatically within a minute of adding credits/).waitFor();
        expect(await look(page, 'video-needs-credits')).toEqual([]);

        await scene().moveCredits('AI', 'MASTER', all);
        await scene().doChores();
        await page.getByText('1.50 credits set aside').waitFor();
        expect(await page.getByText('Needs credits').count()).toBe(0);
        await page.getByRole('button', { name: 'Cancel processing' }).click();
        await page.getByRole('button', { name: 'See price' }).waitFor();
      });
      await scene().moveCredits('MASTER', 'CREATIVE', wallet.creative);
      expect(complaints).toEqual([]);
    });

    it('a quota is used up: says until when, what happens, and who can help', async () => {
      const { page } = await scene().openWindow('/keys');
      const key = page.getByRole('article', { name: /^Key / }).first();
      await key.getByText(/playback tokens today/).waitFor();
      const quota = (limit: number) =>
        scene().database.query('update api_key set daily_limit = $1, used = 40, usage_day = current_date', [limit]);
      try {
        await quota(40);
        await page.reload();
        await key.getByText('40 of 40 playback tokens today').waitFor();
        await key.getByText('used up until 00:00 UTC').waitFor();
        await key.getByText(/fail with status 429 until then\. Contact support to raise the quota\./).waitFor();
        expect(await look(page, 'keys-quota-used-up')).toEqual([]);
        const { url, videoId, apiKey } = scene().demo;
        const refused = await fetch(`${url}/v1/video/${videoId}/playback-token`, {
          method: 'POST',
          headers: { 'x-service-key': apiKey },
        });
        expect(refused.status).toBe(429);
      } finally {
        await quota(1000);
      }
      await page.reload();
      await key.getByText('resets at 00:00 UTC').waitFor();
    });

    it.each(['not-a-token', '%E0%A4%A'])('a link does not play: tells the viewer why (#%s)', async (fragment) => {
      const { page } = await scene().openWindow(`/watch#${fragment}`);
      await page.getByRole('alert').getByText('This link does not work').waitFor();
    });
  });
}

function inputOf(route: Route): unknown {
  return (route.request().postDataJSON() as { variables: { input: unknown } }).variables.input;
}
