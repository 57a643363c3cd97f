import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { totpCode } from '../identity/service.js';
import { makeClip, mediaFolder } from '../setup/media.js';
import { accessibilityFaults } from './accessibility.js';
import { keepScreenshot, launchChromium, openPage } from './browser.js';
import { startDashboardService, type DashboardService } from './dashboardService.js';
import { signIn as signInAs } from './signIn.js';

const RUNGS = [480, 720];
const TITLE = 'A walk along the river';
const PASSWORD = 'four quiet green rivers';

interface Answer<Data> {
  readonly success: boolean;
  readonly data: Data;
}

describe('the main job, by hand in a browser', { timeout: 180_000 }, () => {
  let running: DashboardService;
  let browser: Browser;
  let folder: Awaited<ReturnType<typeof mediaFolder>>;

  beforeAll(async () => {
    [running, browser, folder] = await Promise.all([startDashboardService(), launchChromium(), mediaFolder()]);
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    await running?.stop();
    await folder?.[Symbol.asyncDispose]();
  });

  const signIn = (page: Page): Promise<void> => signInAs(page, running.demo);

  async function callApi<Data>(path: string, apiKey: string, method = 'GET'): Promise<Answer<Data>> {
    const response = await fetch(`${running.demo.url}${path}`, { method, headers: { 'x-service-key': apiKey } });
    return (await response.json()) as Answer<Data>;
  }

  it('takes a file from the upload to playing through an API key', async () => {
    const { page, complaints } = await openPage(browser, running.demo.url);
    await signIn(page);

    const clip = await makeClip(folder.path, { name: 'river.mp4', durationSeconds: 10, width: 1280, height: 720 });
    await page.getByRole('link', { name: 'Upload' }).first().click();
    await page.locator('input[type=file]').setInputFiles(clip);
    await page.getByLabel('Title').fill(TITLE);
    await page.getByLabel('Process automatically').uncheck();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('link', { name: TITLE }).click();

    await page.getByRole('button', { name: 'See the price' }).click();
    // Ten seconds at 1.5 credits a minute.
    await page.getByRole('button', { name: 'Process for 0.25 credits' }).click();
    await page.getByRole('progressbar', { name: `Processing ${TITLE}` }).waitFor();
    await page.getByRole('button', { name: `Play ${TITLE}` }).waitFor({ timeout: 90_000 });
    await page.getByRole('table', { name: 'Renditions' }).getByText('720p').waitFor();
    await keepScreenshot(page, 'video');

    await page.getByRole('link', { name: 'API keys' }).first().click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Website');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const apiKey = await page.getByText(/^dk_test_\w{49}$/).innerText();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('Website', { exact: true }).waitFor();
    expect(await page.getByText(apiKey).count()).toBe(0);

    const list = await callApi<{ id: string; title: string; status: string }[]>('/v1/video', apiKey);
    const listed = list.data.find(({ title }) => title === TITLE);
    expect(listed).toMatchObject({ status: 'ready' });
    const minted = await callApi<{ token: string }>(`/v1/video/${listed!.id}/playback-token`, apiKey, 'POST');
    const exchanged = await callApi<{ url: string }>(`/v1/video/playback/manifest/${minted.data.token}`, '');
    expect(await (await fetch(exchanged.data.url)).text()).toContain('#EXTM3U');

    await expectToPlay(await watch(minted.data.token), RUNGS);
    expect(complaints).toEqual([]);
  });

  async function watch(token: string): Promise<Page> {
    const { page } = await openPage(browser, running.demo.url);
    await page.goto(`/watch#${token}`);
    return page;
  }

  async function expectToPlay(page: Page, heights: readonly number[]): Promise<void> {
    await page.getByRole('heading', { name: TITLE }).waitFor();
    const video = page.locator('dhara-player[state=ready] video');
    await video.waitFor();
    // A browser may want a click before there is sound; this is one.
    if (await video.evaluate((element: HTMLVideoElement) => element.paused)) await video.click();
    await page.waitForFunction(
      () => (document.querySelector('dhara-player')?.shadowRoot?.querySelector('video')?.currentTime ?? 0) > 1,
    );
    const { height, seconds } = await video.evaluate((element: HTMLVideoElement) => ({
      height: element.videoHeight,
      seconds: element.currentTime,
    }));
    expect(heights).toContain(height);
    expect(seconds).toBeGreaterThan(0);
    await keepScreenshot(page, 'watch');
  }

  /** In front of an empty account, by the link in the mail. */
  async function signUp(page: Page, email: string): Promise<void> {
    await page.goto('/sign-up');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByLabel('Name').fill('A newcomer');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();

    const link = /^https?:\/\/\S+$/m.exec(await running.mailTo(email))?.[0];
    await page.goto(link ?? '');
    await page.getByText('First steps').waitFor();
  }

  it('lets a newcomer in by the link in the mail, and says what is missing', async () => {
    const { page, complaints } = await openPage(browser, running.demo.url);
    await signUp(page, 'newcomer@example.com');

    const clip = await makeClip(folder.path, { name: 'first steps.mp4', durationSeconds: 6 });
    await page.goto('/upload');
    await page.locator('input[type=file]').setInputFiles(clip);
    await page.getByLabel('Process automatically').uncheck();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('link', { name: 'first steps' }).click();
    await page.getByRole('button', { name: 'See the price' }).click();
    await page.getByText('0.10 credits are missing').waitFor();
    expect(await page.getByRole('button', { name: /^Process/ }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('switches two-factor sign-in on, and takes a backup code from then on', async () => {
    const { page } = await openPage(browser, running.demo.url);
    await signUp(page, 'careful@example.com');
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Go on' }).click();
    const uri = await page.getByRole('link', { name: 'open the app on this device' }).getAttribute('href');
    const backupCode = await page
      .getByText(/^\w{5}-\w{5}$/)
      .first()
      .innerText();
    await page.getByLabel('The code your app shows now').fill(totpCode(uri!));
    await page.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();

    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('E-mail address').fill('careful@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('The code is wrong').waitFor();
    await page.getByRole('button', { name: 'Use a backup code' }).click();
    await page.getByLabel('Backup code').fill(backupCode);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  });

  it('goes on with an upload after the connection broke and the page was loaded again', async () => {
    const { page } = await openPage(browser, running.demo.url);
    await signIn(page);
    const clip = await makeClip(folder.path, { name: 'broken off.mp4', durationSeconds: 3 });
    await page.goto('/upload');
    await page.route('**/uploads/**', (route) =>
      route.request().method() === 'PATCH' ? route.abort('connectionreset') : route.fallback(),
    );
    await page.locator('input[type=file]').setInputFiles(clip);
    await page.getByLabel('Process automatically').uncheck();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText(/waiting for the connection/).waitFor();

    await page.unrouteAll();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText(/interrupted\. Choose the same file/).waitFor();
    await page.locator('input[type=file]').first().setInputFiles(clip);
    await page.getByText(/· uploaded$/).waitFor();
  });

  it('asks for the password on top of the page when the session has ended, and keeps what was typed', async () => {
    const { page } = await openPage(browser, running.demo.url);
    await signIn(page);
    await page.getByRole('link', { name: 'Twenty seconds of colour' }).click();
    await page.getByLabel('Description').fill('Typed before the session ended');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();

    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password', { exact: true }).fill(running.demo.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Description').inputValue()).toBe('Typed before the session ended');

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not saved yet').waitFor({ state: 'hidden' });
    await page.reload();
    expect(await page.getByLabel('Description').inputValue()).toBe('Typed before the session ended');
  });

  it('tells a viewer in words why a link does not play', async () => {
    const page = await watch('not-a-token');
    await page.getByRole('alert').getByText('This link does not work').waitFor();
  });

  it.for([
    ['on a desk', { width: 1280, height: 800 }],
    ['on a phone', { width: 390, height: 844 }],
  ] as const)('has a name for everything one can operate, in every room, %s', async ([, viewport]) => {
    const { page } = await openPage(browser, running.demo.url, { viewport });
    await page.goto('/');
    expect(await accessibilityFaults(page)).toEqual([]);
    await signIn(page);
    const rooms = [
      '/',
      '/videos',
      `/videos/${running.demo.videoId}`,
      '/upload',
      '/keys',
      '/wallet',
      '/referrals',
      '/settings',
    ];
    const faults: string[] = [];
    for (const room of rooms) {
      await page.goto(room);
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${room}: ${fault}`));
      await keepScreenshot(page, `${viewport.width}${room.replaceAll('/', '-')}`);
    }
    expect(faults).toEqual([]);
  });
});
