import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { makeClip, mediaFolder } from '../support/media.js';
import { signIn as signInByApi } from '../support/service.js';
import { accessibilityFaults } from '../browser/accessibility.js';
import { keepScreenshot, launchChromium, openPage } from '../support/browser/browser.js';
import { startDashboardService, type DashboardService } from '../browser/dashboardService.js';
import { videoWithCaptions } from '../browser/videoWithCaptions.js';
import { playedTo, wake } from '../browser/playing.js';
import { Person } from '../browser/staff.js';
import { download, readStatement } from '../browser/statement.js';
import { LONG_WAIT_MS } from '../support/deadlines.js';

const EMAIL = `friend-${crypto.randomUUID()}@example.com`;
const PASSWORD = 'four quiet green rivers';
const TITLE = 'A walk along the river';
/** Slow enough that an upload takes several seconds. */
const UPLOAD_BYTES_PER_SECOND = 400_000;

interface Answer<Data> {
  readonly data: Data;
  /** Tokens per day, from the response. */
  readonly limit: string | null;
}

/** The whole way of a new user, each step by hand in a browser. Each step needs what the previous one left. */
describe('from a friend’s link to the month’s statement', () => {
  let running: DashboardService;
  let browser: Browser;
  let folder: Awaited<ReturnType<typeof mediaFolder>>;
  let page: Page;
  let complaints: string[];
  let apiKey: string;
  let friendsCookie: string;
  let before: number;
  let isBroken = false;

  beforeAll(async () => {
    [running, browser, folder] = await Promise.all([startDashboardService(), launchChromium(), mediaFolder()]);
    ({ page, complaints } = await openPage(browser, running.demo.url));
  });

  afterAll(async () => {
    await browser?.close();
    await running?.stop();
    await folder?.[Symbol.asyncDispose]();
  });

  // After a failed step, the following ones have nothing to work with.
  beforeEach(({ skip, onTestFailed }) => {
    if (isBroken) skip();
    onTestFailed(() => void (isBroken = true));
  });

  const goTo = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).first().click();
  const notice = (text: string): Locator => page.getByRole('region', { name: 'Notices' }).getByText(text);

  it('signs up with the code of a friend', async () => {
    friendsCookie = await signInByApi(running.demo);
    const { link, totals } = await friendsReferrals();
    before = totals.invited;
    const refCode = new URL(link).searchParams.get('ref');
    await page.goto(link);
    const code = page.getByLabel('Referral code (optional)');
    expect(await code.inputValue()).toBe(refCode);
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.route('**/api/auth/sign-up/email', (route) => route.abort(), { times: 1 });
    await page.getByLabel('Name').fill('A friend');
    await page.getByLabel('Email address').fill(EMAIL);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('The connection was lost').waitFor();
    expect(await code.inputValue()).toBe(refCode);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();

    await page.goto(await running.linkEmailedTo(EMAIL));
    await page.getByText('First steps').waitFor();
  });

  interface Referrals {
    readonly link: string;
    readonly totals: { readonly invited: number };
    readonly invitees: { readonly edges: readonly { readonly node: { readonly maskedEmail: string } }[] };
  }

  async function friendsReferrals(): Promise<Referrals> {
    const query = '{ referrals { link totals { invited } invitees { edges { node { maskedEmail } } } } }';
    const response = await fetch(`${running.demo.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: running.demo.url, cookie: friendsCookie },
      body: JSON.stringify({ query }),
    });
    return ((await response.json()) as { data: { referrals: Referrals } }).data.referrals;
  }

  it('tops up at the sandbox’s pay page, and moves credits to the bucket for processing', async () => {
    await goTo('Wallet');
    await page.getByRole('button', { name: 'Add credits' }).first().click();
    await page.getByLabel('Amount in rupees').fill('500');
    await page.getByRole('button', { name: 'Pay ₹500' }).click();
    await page.getByRole('button', { name: 'Pay now' }).click();
    await page.getByRole('heading', { name: '500.00 credits arrived' }).waitFor();

    await page.goto('/wallet');
    await page.getByLabel('Creative', { exact: true }).fill('20');
    await page.getByRole('button', { name: 'Move credits' }).click();
    await notice('Credits moved').waitFor();
  });

  it('uploads two files; the service is killed during one of them, and comes back', async () => {
    const small = await makeClip(folder.path, { name: 'pond.mp4', durationSeconds: 1 });
    const large = await videoWithCaptions(folder.path);
    await goTo('Upload');
    await page.locator('input[type=file]').setInputFiles([small, large]);
    await page.getByLabel('Title').nth(1).fill(TITLE);
    await page.getByLabel('Process automatically').uncheck();

    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: UPLOAD_BYTES_PER_SECOND };
    await network.send('Network.emulateNetworkConditions', slow);
    await page.getByRole('button', { name: 'Upload 2 files' }).click();
    await upload('pond')
      .getByText(/· uploaded$/)
      .waitFor();
    await upload(TITLE)
      .getByText(/^([1-9]|[1-8]\d)% of/)
      .waitFor();
    const resumedAt: number[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') resumedAt.push(Number(request.headers()['upload-offset']));
    });
    await running.kill();
    await upload(TITLE)
      .getByText(/offline; resumes automatically$/)
      .waitFor();
    await page.getByText('No connection to the service').waitFor();
    await keepScreenshot(page, 'upload-interrupted');

    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await running.restart();
    await upload(TITLE)
      .getByText(/· uploaded$/)
      .waitFor();
    expect(resumedAt.at(-1)).toBeGreaterThan(0);
    await page.getByText('No connection to the service').waitFor({ state: 'hidden' });
  });

  const upload = (title: string): Locator => page.getByRole('article', { name: `Upload of ${title}` });

  it('sees the binding price, and accepts it', async () => {
    await page.getByRole('link', { name: TITLE, exact: true }).first().click();
    await page.getByRole('button', { name: 'See price' }).click();
    // Ten seconds at 1.5 credits a minute.
    await page.getByRole('button', { name: 'Process for 0.25 credits' }).click();
    await page.getByRole('progressbar', { name: `Processing ${TITLE}` }).waitFor();
    // It plays from its first rendition on; it is ready with the last.
    await page.getByText('Ready', { exact: true }).waitFor({ timeout: LONG_WAIT_MS });
    await page.getByRole('tab', { name: 'Encoding details' }).click();
    const renditions = page.getByRole('table', { name: 'Renditions' });
    for (const rendition of ['720p', '480p']) await renditions.getByText(rendition).waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await keepScreenshot(page, 'video');
  });

  it('plays it, with captions, a chapter, a thumbnail on the timeline, and another quality', async () => {
    await page.getByRole('button', { name: `Play ${TITLE}` }).click();
    await playedTo(page, 0.3);
    // Another quality comes with the next segments, so the video has to keep playing.
    await page.evaluate(() => (document.querySelector('dhara-player')!.loop = true));
    for (const height of [480, 720]) {
      await wake(page);
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('menuitem', { name: /^Quality/ }).click();
      await page.getByRole('menuitemradio', { name: `${height}p`, exact: true }).click();
      await page.waitForFunction(
        (wanted) => document.querySelector('dhara-player')!.video.videoHeight === wanted,
        height,
      );
    }

    await page.evaluate(() => {
      const player = document.querySelector('dhara-player')!;
      player.pause();
      player.currentTime = 1;
    });
    await page.locator('dhara-player').getByRole('button', { name: 'Captions' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await page.locator('dhara-player').getByText('The river is slow here').waitFor();
    await page.getByRole('button', { name: 'Chapter: The spring' }).click();
    await page.getByRole('menuitemradio', { name: 'The mouth' }).click();
    await page.getByRole('button', { name: 'Chapter: The mouth' }).waitFor();
    const box = (await page.locator('dhara-player #seek').boundingBox())!;
    await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
    await page.locator('dhara-player .preview').getByText('The spring').waitFor();
    const picture = page.locator('dhara-player .preview .thumb');
    await expect.poll(() => picture.evaluate((element) => element.style.cssText)).toContain('/storyboard');
    expect(await accessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, 'video-playing');
  });

  it('creates a key, and uses it to open the video to a viewer', async () => {
    await goTo('API keys');
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Website');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    apiKey = await page.getByText(/^dk_live_\w{49}$/).innerText();
    await page.getByRole('button', { name: 'I’ve copied it' }).click();
    await page.getByText('Website', { exact: true }).waitFor();
    expect(await page.getByText(apiKey).count()).toBe(0);

    const { data: list } = await callApi<{ id: string; title: string; status: string }[]>('/v1/video');
    expect(Object.fromEntries(list.map(({ title, status }) => [title, status]))).toEqual({
      [TITLE]: 'ready',
      pond: 'uploaded',
    });
    const { id } = list.find(({ title }) => title === TITLE)!;
    const minted = await callApi<{ token: string }>(`/v1/video/${id}/playback-token`, 'POST');
    expect(minted.limit).toBe('1000');
    const { token } = minted.data;
    const exchanged = await callApi<{ url: string }>(`/v1/video/playback/manifest/${token}`);
    expect(await (await fetch(exchanged.data.url)).text()).toContain('#EXTM3U');

    const viewer = await openPage(browser, running.demo.url);
    await viewer.page.goto(`/watch#${token}`);
    await viewer.page.getByRole('heading', { name: TITLE }).waitFor();
    const video = viewer.page.locator('dhara-player[state=ready] video');
    await video.waitFor();
    // The page plays by itself, unless a browser requires a gesture before it plays sound. The script counts as one, and it
    // does no harm if the video starts meanwhile, as a click would: until then, the large button covers the video.
    await viewer.page.evaluate(() => document.querySelector('dhara-player')!.play());
    await playedTo(viewer.page, 1);
    expect([432, 480, 720]).toContain(await video.evaluate((element: HTMLVideoElement) => element.videoHeight));
    await keepScreenshot(viewer.page, 'watch');
    expect(viewer.complaints).toEqual([]);
    await viewer.page.context().close();
  });

  async function callApi<Data>(path: string, method = 'GET'): Promise<Answer<Data>> {
    const response = await fetch(`${running.demo.url}${path}`, { method, headers: { 'x-service-key': apiKey } });
    const { data } = (await response.json()) as Pick<Answer<Data>, 'data'>;
    return { data, limit: response.headers.get('x-ratelimit-limit') };
  }

  it('has its quota raised by support, which the next request shows', async () => {
    const asha = await Person.staff(running, browser, 'asha@example.com');
    await asha.page.goto('/support');
    await asha.page.getByRole('heading', { name: 'Support', level: 1 }).waitFor();
    await asha.page.keyboard.press('/');
    await asha.page.keyboard.type(apiKey.slice(0, 12));
    await asha.page.getByRole('option').waitFor();
    await asha.page.keyboard.press('Enter');
    await asha.page.getByRole('heading', { name: EMAIL, level: 1 }).waitFor();
    await asha.page.getByRole('button', { name: '× 5' }).click();
    await asha.page.getByLabel('Reason').fill('Launch on Friday');
    await asha.page.keyboard.press('Enter');
    await asha.page.getByText('From 1,000 to 5,000 per day, effective immediately.').first().waitFor();
    asha.expectNoComplaints();
    await asha.page.context().close();

    const [video] = (await callApi<{ id: string }[]>('/v1/video?status=ready')).data;
    expect((await callApi(`/v1/video/${video!.id}/playback-token`, 'POST')).limit).toBe('5000');
    await goTo('Home');
    await goTo('API keys');
    await page.getByText('2 of 5,000 playback tokens today').waitFor();
  });

  it('finds every step in the ledger and in the statement, and each balance adds up', async () => {
    await goTo('Wallet');
    await page.getByRole('link', { name: 'Ledger' }).click();
    const ledger = page.getByRole('table', { name: /^Ledger/ });
    await ledger.getByRole('button', { name: 'Show the entries of: Processing' }).first().click();
    for (const step of ['Top-up', 'Referral bonus', 'Allocation', 'Set aside for processing', 'Processing']) {
      await ledger.getByText(step, { exact: true }).first().waitFor();
    }
    await page.getByRole('link', { name: 'Documents' }).click();
    const statement = readStatement(await download(page, /as CSV$/));
    expect(statement.faults).toEqual([]);
    expect(statement.changes).toMatchObject({
      TOPUP: [['MASTER', '500']],
      REFERRAL_BONUS: [['MASTER', '2']],
      ALLOCATION: [
        ['CREATIVE', '20'],
        ['MASTER', '-20'],
      ],
      ESCROW_LOCK: [
        ['CREATIVE', '-0.25'],
        ['ESCROW', '0.25'],
      ],
      ESCROW_SETTLE: [['ESCROW', '-0.25']],
    });
    expect(statement.closing).toMatchObject({ MASTER: '482', CREATIVE: '19.75', ESCROW: '0' });
    expect((await download(page, /as PDF$/)).subarray(0, 5).toString()).toBe('%PDF-');
    expect(complaints).toEqual([]);
  });

  // Last, because it depends on the per-minute sweep, which has run meanwhile.
  it('has become an invitee of the friend who sent the link', async () => {
    await running.service.until(async () => (await friendsReferrals()).totals.invited > before, 'the friend is told');
    expect((await friendsReferrals()).invitees.edges[0]?.node.maskedEmail).toBe('f•••@example.com');
  });
});
