import { gzipSync } from 'node:zlib';

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { parseVideoId } from '../../src/domain/shared/ids.js';
import { WAIT_MS } from '../support/deadlines.js';
import { look } from './look.js';
import { operationOf } from './operationOf.js';
import type { Scene } from './scene.js';
import { SeededVideo } from './seededVideo.js';
import { sendSignUp } from './sendSignUp.js';
import { signIn } from './signIn.js';
import { openPage } from './window.js';

type Opened = Awaited<ReturnType<typeof openPage>>;

/** Limits of compressed JavaScript before the page is visible: on the sign-in page, and when signed in. */
const FIRST_VIEW_BYTES = { signIn: 130_000, home: 200_000 };

/** The queries that the first request answers. */
const IN_FIRST_REQUEST = new Set([
  'FirstPage',
  'Viewer',
  'Wallet',
  'PaymentSandbox',
  'RunningJobs',
  'Home',
  'NewestVideos',
  'Videos',
  'VideoTags',
  'WalletUse',
]);

export function theHome(scene: () => Scene): void {
  describe('home and the pages around it', () => {
    /** Compressed bytes of all JavaScript that a first visit to `path` fetches, until its data is shown. */
    async function scriptBytes(path: string, first: Opened): Promise<number> {
      const bodies: Promise<Buffer>[] = [];
      first.page.on('response', (response) => {
        if (new URL(response.url()).pathname.endsWith('.js')) bodies.push(response.body());
      });
      await first.page.goto(path);
      // The static content before the scripts has a heading too.
      await first.page.locator('main:not(.sketch)').getByRole('heading', { level: 1 }).waitFor();
      await first.page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
      const bytes = (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0);
      await first.page.context().close();
      return bytes;
    }

    it('shows the first view after at most 200 KB of compressed JavaScript', async () => {
      const signInBytes = await scriptBytes('/sign-in', await openPage(scene().browser, scene().demo.url));
      const homeBytes = await scriptBytes('/', await scene().openWindow('/favicon.svg'));
      // Less than half of that would be the wrong page.
      expect(signInBytes).toBeGreaterThan(FIRST_VIEW_BYTES.signIn / 2);
      expect(signInBytes).toBeLessThan(FIRST_VIEW_BYTES.signIn);
      expect(homeBytes).toBeGreaterThan(FIRST_VIEW_BYTES.home / 2);
      expect(homeBytes).toBeLessThan(FIRST_VIEW_BYTES.home);
    });

    it.each([
      ['/', 'Home'],
      ['/videos', 'Videos'],
      ['/wallet', 'Wallet'],
    ])(
      'shows %s after one request, which is sent before the scripts of the page have loaded',
      async (path, heading) => {
        const first = await scene().openWindow('/favicon.svg');
        const sent: string[] = [];
        first.page.on('request', (request) => {
          if (new URL(request.url()).pathname === '/graphql') sent.push(operationOf(request) ?? '');
        });
        // Without its streams, the page does not read its lists again.
        await first.page.route('**/graphql/stream', () => undefined);
        const held = await holdScripts(first.page, () => sent.length > 0);
        await first.page.goto(path);
        await first.page.locator('main:not(.sketch)').getByRole('heading', { name: heading, level: 1 }).waitFor();
        expect(held.count).toBeGreaterThan(0);
        // Home's figures would move what is below them if they came later. The wallet's chart is no part of its first view.
        const isFirst = (name: string): boolean => IN_FIRST_REQUEST.has(name) || (path === '/' && name === 'Spending');
        expect(sent.filter(isFirst)).toEqual(['FirstPage']);
        expect(sent[0]).toBe('FirstPage');
        await first.page.context().close();
      },
    );

    it('requests its data again when it is opened again on the same page', async () => {
      const { page } = await scene().openWindow('/');
      await page.getByRole('region', { name: 'Credits' }).getByText('Creative').waitFor();
      await page.evaluate(() => {
        history.pushState(null, '', '/sign-up');
        dispatchEvent(new PopStateEvent('popstate'));
      });
      await page.getByRole('heading', { name: 'Create an account' }).waitFor();
      const asked = page.waitForRequest(
        (request) => new URL(request.url()).pathname === '/graphql' && operationOf(request) === 'Viewer',
      );
      await page.goBack();
      await asked;
      await page.getByRole('region', { name: 'Credits' }).getByText('Creative').waitFor();
    });

    it('shows its parts by their own requests if the first one fails', async () => {
      const first = await scene().openWindow('/favicon.svg');
      await first.page.route('**/graphql', (route) =>
        operationOf(route.request()) === 'FirstPage' ? route.fulfill({ status: 503 }) : route.fallback(),
      );
      await first.page.goto('/');
      await first.page.getByRole('region', { name: 'Credits' }).getByText('Creative').waitFor();
      await first.page.getByRole('region', { name: 'Newest videos' }).getByText('Twenty seconds of colour').waitFor();
      await first.page.context().close();
    });

    it('shows spendable credits, how long storage is funded, and the newest videos', async () => {
      const { page, complaints } = await scene().openWindow('/');
      await page.getByRole('region', { name: 'Credits' }).getByText('Creative').waitFor();
      await page.getByText(/^Storage is funded for /).waitFor();
      await page.getByRole('region', { name: 'Newest videos' }).getByText('Twenty seconds of colour').waitFor();
      // The demo account has done all but the last: no viewer has watched its video.
      const steps = page.getByRole('region', { name: 'First steps' });
      await steps.getByText('4 of 5 done').waitFor();
      expect(await steps.getByRole('link').allInnerTexts()).toEqual(['Get the code']);
      await page.getByText(/^Sandbox/).waitFor();
      expect(complaints).toEqual([]);
    });

    it('says what is watched and spent, and what needs the owner', async () => {
      const [failed, open] = [await SeededVideo.create(scene()), await SeededVideo.create(scene())];
      await failed.become('failed');
      await open.measure();
      const { page, complaints } = await scene().openWindow('/');
      for (const figure of ['Plays today', 'Plays in 30 days', 'Spent this month'])
        await page.getByText(figure).waitFor();
      await page
        .getByText(/^\d+\.\d\d\d* credits$/)
        .first()
        .waitFor();
      const needs = page.getByRole('region', { name: 'Needs you' });
      await needs.getByRole('link', { name: `“${failed.title}” failed` }).waitFor();
      await needs.getByRole('link', { name: /waits? for your approval$/ }).waitFor();
      const state = page.getByRole('main').getByRole('status').filter({ hasText: /need/ });
      await state.getByText(/^\d+ things need your attention\.$/).waitFor();
      // Nothing runs, so there is no panel for it.
      expect(await page.getByRole('region', { name: 'Processing' }).count()).toBe(0);
      expect(await look(page, 'home-needs-you')).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('says how many jobs run and how many wait, and leads to each', async () => {
      await scene().database.query(
        `insert into video (account_id, id, title, status, source_key, size_bytes)
          select account_id, gen_random_uuid(), 'In line ' || n, case n when 0 then 'processing' else 'queued' end,
            'sources/none', 1000
          from video, generate_series(0, 6) n where id = $1`,
        [parseVideoId(scene().demo.videoId)],
      );
      try {
        const { page } = await scene().openWindow('/');
        const panel = page.getByRole('region', { name: 'Processing' });
        await panel.getByRole('link', { name: 'In line 0' }).waitFor();
        expect(await panel.getByRole('listitem').count()).toBe(5);
        expect(await look(page, 'home-running')).toEqual([]);
        await panel.getByRole('link', { name: '6 queued' }).click();
        await page.getByRole('row').filter({ hasText: 'In line 6' }).waitFor();
        expect(await page.getByRole('row').filter({ hasText: 'In line' }).count()).toBe(6);
        await page.goBack();
        await panel.getByRole('link', { name: '1 running' }).click();
        await page.getByRole('row').filter({ hasText: 'In line 0' }).waitFor();
      } finally {
        // Deleted as the service does it, so that they are no longer counted.
        await scene().database.query(
          `update video set status = 'uploaded', deleted_at = now() where title like 'In line %'`,
        );
      }
    });

    it('finds what waits for the owner behind many uploads that move on by themselves', async () => {
      const open = await SeededVideo.create(scene());
      await open.measure();
      const uploads = `title like 'Moves on %' and status = 'uploaded'`;
      try {
        await scene().database.query(
          `insert into video (account_id, id, title, status, source_key, size_bytes, auto_process)
            select account_id, gen_random_uuid(), 'Moves on ' || n, 'uploaded', 'sources/none', 1000, true
            from video, generate_series(1, 21) n where title = $1`,
          [open.title],
        );
        const { page } = await scene().openWindow('/');
        const needs = page.getByRole('region', { name: 'Needs you' });
        await needs.getByRole('link', { name: /waits? for your approval$/ }).waitFor();
      } finally {
        await scene().database.query(`delete from video where ${uploads}`);
      }
    });

    it('explains a valid token, a changed one, a key and other text', async () => {
      const { page, complaints } = await scene().openWindow('/docs#explain');
      const panel = page.getByRole('region', { name: 'Explain a token, a view or a key' });
      await panel.getByRole('button', { name: 'Generate sample' }).click();
      await panel.getByText('The token can be exchanged, and the video plays.').waitFor();
      const rules = panel.getByRole('list', { name: 'Rules' }).getByRole('listitem');
      expect(await rules.count()).toBe(9);
      expect(await rules.filter({ hasText: 'Passed' }).count()).toBe(9);
      await rules.filter({ hasText: 'Twenty seconds of colour' }).waitFor();
      await panel.getByText('Header and claims').click();
      await panel.getByText('"alg": "EdDSA"').waitFor();
      const story = panel.getByRole('list', { name: 'What happened' }).getByRole('listitem');
      await story.filter({ hasText: 'No exchange of this token is known.' }).waitFor();
      expect(await look(page, 'explain-playback')).toEqual([]);

      const field = panel.getByLabel('Playback token, view or API key');
      const explain = panel.getByRole('button', { name: 'Explain', exact: true });
      const token = await field.inputValue();
      const [header = '', claims = '', signature = ''] = token.split('.');
      await field.fill([header, claims, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join('.'));
      await explain.click();
      await rules.filter({ hasText: 'Signature' }).filter({ hasText: 'Failed' }).waitFor();
      expect(await rules.filter({ hasText: 'Not checked' }).count()).toBe(8);
      expect(await look(page, 'explain-playback-failed')).toEqual([]);

      // A whole key is shortened in the page: what is sent does not have it.
      const { apiKey: key } = scene().demo;
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.postData() ?? ''));
      await field.fill(key);
      await explain.click();
      await panel.getByText('The key can create playback tokens.').waitFor();
      expect(await field.inputValue()).toBe(`${key.slice(0, 12)}…${key.slice(-4)}`);
      expect(sent.join('')).toContain(key.slice(0, 12));
      expect(sent.join('')).not.toContain(key.slice(0, 20));

      await field.fill('nonsense');
      await explain.click();
      await panel.getByText(/^This is not a playback token/).waitFor();

      // A view that a player began and that failed, by an address of its stream.
      const exchanged = await fetch(`${scene().demo.url}/v1/video/playback/manifest/${token}`);
      const { data } = (await exchanged.json()) as { data: { url: string } };
      const failed = {
        v: 1,
        seq: 1,
        startupMs: 700,
        watchedMs: 4_000,
        stalledMs: 0,
        stalls: 0,
        switches: 0,
        ended: false,
      };
      const errors = [{ code: 'NETWORK', atMs: 4_000 }];
      const body = JSON.stringify({ ...failed, ranges: [[0, 4_000]], errors });
      expect((await fetch(new URL('report', data.url), { method: 'POST', body })).status).toBe(204);
      await field.fill(data.url);
      // The service writes views every two seconds.
      await expect
        .poll(
          async () => {
            await explain.click();
            return story.filter({ hasText: 'At 0:04 of the video, the connection was lost.' }).count();
          },
          { timeout: WAIT_MS },
        )
        .toBe(1);
      await panel.getByText('The stream of this view plays.').waitFor();
      await story.filter({ hasText: 'The first frame came 0.7 s after playback was requested.' }).waitFor();
      expect(await look(page, 'explain-view')).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('saves a list of sites, and keeps the input if the service refuses it', async () => {
      const { page } = await scene().openWindow('/settings/sites');
      const card = page.getByRole('region', { name: 'Sites that may play your videos' });
      const field = card.getByLabel('Sites', { exact: true });
      await field.fill('not a site/');
      await field.press('Enter');
      await card.getByRole('button', { name: 'Save sites' }).click();
      await card.getByRole('alert').waitFor();
      await card.getByText('not a site/', { exact: true }).waitFor();

      await field.press('Backspace');
      await field.fill('*.example.com');
      await field.press('Enter');
      await card.getByRole('button', { name: 'Save sites' }).click();
      await page.getByRole('region', { name: 'Notices' }).getByText('Only these sites can play your videos').waitFor();
      await page.reload();
      await card.getByText('*.example.com', { exact: true }).waitFor();
      await field.press('Backspace');
      await card.getByRole('button', { name: 'Save sites' }).click();
      await page.getByRole('region', { name: 'Notices' }).getByText('All sites can play your videos').waitFor();
    });

    it('ends every other session, and keeps its own', async () => {
      const elsewhere = await openPage(scene().browser, scene().demo.url);
      await signIn(elsewhere.page, scene().demo);
      const { page } = await scene().openWindow('/settings/security');
      const card = page.getByRole('region', { name: 'Where you are signed in' });
      await card.getByText('This device').waitFor();
      await card.getByRole('button', { name: 'Sign out everywhere else' }).click();
      await page
        .getByText(/other sessions? ended/)
        .first()
        .waitFor();
      expect(await card.getByRole('listitem').count()).toBe(1);

      await elsewhere.page.goto('/keys');
      await elsewhere.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
    });

    it('shows the first steps until they are done', async () => {
      const newcomer = await openPage(scene().browser, scene().demo.url, { viewport: { width: 390, height: 844 } });
      await newcomer.page.goto('/sign-up');
      await sendSignUp(newcomer.page, {
        name: 'A newcomer',
        email: 'first@example.com',
        password: 'four quiet green rivers',
      });
      await newcomer.page.goto(await scene().running.linkEmailedTo('first@example.com'));
      const steps = newcomer.page.getByRole('region', { name: 'First steps' });
      await steps.getByText('1 of 5 done').waitFor();
      await newcomer.page.getByRole('main').getByText('Everything works. Nothing needs your attention.').waitFor();
      // Nothing is stored, played or spent yet, so there are no panels for it.
      await newcomer.page.getByRole('region', { name: 'Credits' }).waitFor();
      expect(await newcomer.page.getByRole('region', { name: 'Storage' }).count()).toBe(0);
      expect(await newcomer.page.getByText('Plays today').count()).toBe(0);
      expect(await look(newcomer.page, 'first-steps')).toEqual([]);

      // Whatever comes next is the one that stands out.
      await steps.locator('li[data-next]').getByRole('link', { name: 'Add credits' }).click();
      await newcomer.page.getByRole('dialog', { name: 'Add credits' }).waitFor();
      await newcomer.page.keyboard.press('Escape');
      await expect.poll(() => new URL(newcomer.page.url()).search).toBe('');
      expect(newcomer.complaints).toEqual([]);
    });
  });
}

/** Holds the bundles of the dashboard until `isDue`. Returns how many it has held. */
async function holdScripts(page: Page, isDue: () => boolean): Promise<{ readonly count: number }> {
  const held = { count: 0 };
  await page.route(/\/assets\/(?:pages|react)-.*\.js$/, async (route) => {
    held.count += 1;
    await expect.poll(isDue).toBe(true);
    await route.continue();
  });
  return held;
}
