import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';

import '../../../src/player/index.js';
import { openPage } from '../../support/browser/browser.js';
import { playedTo, tag, type Scene } from './scene.js';

/** The view of a playback token. */
const viewOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string }).jti;
const pressPlay = (page: Page) => page.getByRole('button', { name: /^Play/ }).first().click();
const pause = (page: Page) => page.evaluate(() => document.querySelector('dhara-player')!.pause());
/** Within a tenth of a second. */
const near = (ms: number): unknown => expect.closeTo(ms, -2.3);
/** Counts how often the video waits for data after its first frame, as a busy machine makes it. Each may be a stall. */
const countWaits = (page: Page) =>
  page.evaluate(() => {
    const player = document.querySelector('dhara-player')!;
    const { video } = player;
    let [hasStarted, waits] = [false, 0];
    player.addEventListener('manifest', () => ([hasStarted, waits] = [false, 0]));
    video.addEventListener('playing', () => (hasStarted = true));
    video.addEventListener('waiting', () => (waits += hasStarted && !video.seeking ? 1 : 0));
    Object.assign(globalThis, { waitsOfView: () => waits });
  });
const waitsOfView = (page: Page) => page.evaluate<number>('waitsOfView()');
const seek = (page: Page, seconds: number) =>
  page.evaluate((to) => void (document.querySelector('dhara-player')!.currentTime = to), seconds);

/** What the player reports. The site forwards it to the service, and keeps a copy. */
export function theAnalytics(scene: () => Scene): void {
  describe('the reports of the player', { timeout: 60_000 }, () => {
    let opened: string;
    beforeEach(() => {
      scene().site.asked.length = 0;
      scene().site.fault = () => undefined;
    });

    /** Of the page that was opened last. A page of an earlier test may still report that it was closed. */
    const reports = () => reportsOf(opened);
    const reportsOf = (path: string) =>
      scene().site.reports.filter(({ headers }) => headers.referer === `${scene().site.url}/analytics${path}`);
    const newestOf = (view: string) =>
      reports()
        .filter(({ path }) => path === view)
        .map(({ body }) => body)
        .toSorted((a, b) => a.seq - b.seq)
        .at(-1);
    const newest = () => newestOf(reports().at(-1)?.path ?? '');
    const views = () => [...new Set(reports().map(({ path }) => path))];

    async function open(path: string, attributes: Record<string, string> = {}) {
      opened = path;
      const given = { token: await scene().mint(), api: scene().site.faulty, muted: '', ...attributes };
      return scene().open(`/analytics${path}`, tag(given));
    }

    it('begin at the first frame and repeat everything, in a request without cookies or preflight', async () => {
      const { page, complaints } = await open('/begins');
      await page.context().addCookies([{ name: 'known', value: 'you', url: scene().site.url }]);
      await pressPlay(page);
      await expect.poll(() => reports().length).toBe(1);
      const [first] = reports();
      expect(first!.path).toMatch(/^\/media\/[\w-]{84}\/vid_\w+\/report$/);
      expect(first!.headers['content-type']).toBe('text/plain;charset=UTF-8');
      expect(first!.body).toMatchObject({ v: 1, seq: 1, stalls: 0, switches: 0, errors: [], ended: false });
      expect(first!.body.startupMs).toBeGreaterThan(0);

      await playedTo(page, 1);
      await pause(page);
      await expect.poll(() => newest()?.seq).toBe(2);
      const paused = newest()!;
      const position = await page.evaluate(() => document.querySelector('dhara-player')!.currentTime * 1000);
      expect(paused.startupMs).toBe(first!.body.startupMs);
      // The browser says that it plays a frame or two later.
      expect(paused.ranges).toEqual([[near(0), near(position)]]);
      expect(paused.watchedMs).toBeGreaterThan(800);
      expect(complaints).toEqual([]);
    });

    it('are of the view that the element names, which is the one of the token', async () => {
      const token = await scene().mint();
      const { page } = await open('/view-id', { token });
      const viewId = () => page.evaluate(() => document.querySelector('dhara-player')!.viewId);
      expect(await viewId()).toBeNull();
      await page.evaluate(() => {
        const player = document.querySelector('dhara-player')!;
        player.addEventListener('manifest', () => (player.dataset['viewId'] = player.viewId ?? ''));
      });
      await pressPlay(page);
      await expect.poll(() => reports().length).toBe(1);
      expect(await viewId()).toBe(viewOf(token));
      expect(await page.evaluate(() => document.querySelector('dhara-player')!.dataset['viewId'])).toBe(viewOf(token));
      // The stream of a `src` has no token.
      await page.evaluate(() => document.querySelector('dhara-player')!.setAttribute('src', '/nowhere.m3u8'));
      expect(await viewId()).toBeNull();
    });

    it('leave the element its view when playback fails, and change it with the token', async () => {
      const token = await scene().mint();
      const { page } = await open('/view-id-of-failure', { token });
      const viewId = () => page.evaluate(() => document.querySelector('dhara-player')!.viewId);
      scene().site.fault = (path) => (path.endsWith('.m3u8') ? 403 : undefined);
      await pressPlay(page);
      await page.locator('dhara-player[state=error]').waitFor();
      expect(await viewId()).toBe(viewOf(token));
      scene().site.fault = () => undefined;
      const next = await scene().mint();
      await page.evaluate((fresh) => (document.querySelector('dhara-player')!.token = fresh), next);
      await playedTo(page, 0.5);
      expect(await viewId()).toBe(viewOf(next));
    });

    it('name each watched range, and the end', async () => {
      const { page } = await open('/ranges');
      await countWaits(page);
      await pressPlay(page);
      await playedTo(page, 1);
      await seek(page, 18);
      await page.waitForFunction(() => document.querySelector('dhara-player')!.ended);
      await expect.poll(() => newest()?.ended).toBe(true);
      const { ranges, stalls } = newest()!;
      expect(ranges).toEqual([
        [near(0), expect.any(Number)],
        [near(18_000), near(20_000)],
      ]);
      expect(ranges[0]![1]).toBeLessThan(5_000);
      expect(stalls).toBeLessThanOrEqual(await waitsOfView(page));
      expect(views()).toHaveLength(1);
    });

    it('tell of a viewer who leaves before the first frame', async () => {
      const { page } = await open('/left');
      scene().site.fault = (path) => (path.endsWith('.m4s') ? 503 : undefined);
      await pressPlay(page);
      await expect.poll(() => scene().site.asked.some((path) => path.endsWith('.m4s'))).toBe(true);
      await page.waitForFunction(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('/measure-')),
      );
      await page.close({ runBeforeUnload: false });
      await expect.poll(() => newest()).toMatchObject({ seq: 1, startupMs: null, watchedMs: 0, ranges: [] });
    });

    it('are not sent for a video that was only loaded', async () => {
      const { page } = await open('/loaded', { preload: 'auto' });
      await page.locator('dhara-player[state=ready]').waitFor();
      await page.close();
      const { page: other } = await open('/after');
      await pressPlay(other);
      await expect.poll(() => reports().length).toBe(1);
      expect(reportsOf('/loaded')).toEqual([]);
    });

    /** Holds back the code that reports until it is called. */
    async function withLateCode(page: Page): Promise<() => void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route(/\/measure-[\w-]+\.mjs$/, async (route) => {
        await promise;
        await route.continue();
      });
      return resolve;
    }

    it.each([
      ['tell of an error, and continue after a retry', '/error', false],
      ['tell of an error that came before the code that reports, and continue after a retry', '/early-error', true],
    ])('%s', async (_title, path, isCodeLate) => {
      const { page } = await open(path);
      const loadCode = isCodeLate ? await withLateCode(page) : () => undefined;
      scene().site.fault = (file) => (file.endsWith('.m3u8') ? 'lost' : undefined);
      await pressPlay(page);
      await page.getByRole('alert').getByText('The connection was lost').waitFor();
      loadCode();
      await expect.poll(() => newest()).toMatchObject({ startupMs: null, errors: [{ code: 'NETWORK', atMs: 0 }] });
      scene().site.fault = () => undefined;
      await page.getByRole('button', { name: 'Try again' }).click();
      await playedTo(page, 0.5);
      await pause(page);
      await expect.poll(() => newest()?.startupMs).toBeGreaterThan(0);
      expect(newest()!.errors).toHaveLength(1);
      expect(views()).toHaveLength(1);
    });

    it('tell what was played, and of errors that were overcome, before the code that reports', async () => {
      const { page } = await open('/late-code');
      const loadCode = await withLateCode(page);
      scene().site.fault = (path) => (path.endsWith('.m3u8') ? 'lost' : undefined);
      const pressedAtMs = performance.now();
      await pressPlay(page);
      await page.getByRole('alert').getByText('The connection was lost').waitFor();
      scene().site.fault = () => undefined;
      await page.getByRole('button', { name: 'Try again' }).click();
      await playedTo(page, 0.1);
      const startedAtMs = performance.now();
      await playedTo(page, 2);
      loadCode();
      await expect.poll(() => newest()?.watchedMs).toBeGreaterThan(1_800);
      await playedTo(page, 4);
      await pause(page);
      await expect.poll(() => newest()?.watchedMs).toBeGreaterThan(3_800);
      const { startupMs, ranges, watchedMs, errors } = newest()!;
      const position = await page.evaluate(() => document.querySelector('dhara-player')!.currentTime * 1000);
      expect(ranges).toEqual([[near(0), near(position)]]);
      expect(watchedMs).toBeLessThan(position + 300);
      expect(startupMs).toBeLessThan(startedAtMs - pressedAtMs + 500);
      expect(errors).toMatchObject([{ code: 'NETWORK' }]);
      expect(views()).toHaveLength(1);
    });

    it('stay one view after the element has moved, and become another with another token', async () => {
      const { page } = await open('/moved');
      await pressPlay(page);
      await playedTo(page, 0.5);
      await page.evaluate(() => {
        const player = document.querySelector('dhara-player')!;
        player.remove();
        document.querySelector('main')!.append(player);
      });
      await expect.poll(() => newest()?.seq).toBe(2);
      await pressPlay(page);
      await playedTo(page, 1.5);
      await pause(page);
      await expect.poll(() => newest()?.seq).toBe(3);
      expect(newest()!.ranges).toHaveLength(1);
      expect(newest()!.watchedMs).toBeGreaterThan(1_200);
      expect(views()).toHaveLength(1);

      await page.evaluate(
        (token) => {
          const player = document.querySelector('dhara-player')!;
          player.token = token;
          player.load();
        },
        await scene().mint(),
      );
      await pressPlay(page);
      await expect.poll(() => views().length).toBe(2);
      expect(reports().at(-1)!.body).toMatchObject({ seq: 1, stalls: 0 });
    });

    it('go to the new view if the grant was replaced during playback', async () => {
      const { page } = await open('/renewed');
      await countWaits(page);
      let [status, old] = [503, ''];
      scene().site.fault = (path) => (/seg_0000[1-9]/.test(path) && path.startsWith(old) ? status : undefined);
      await pressPlay(page);
      await expect.poll(() => reports().length).toBe(1);
      old = reports()[0]!.path.slice(0, -'report'.length);
      await page.evaluate((token) => (document.querySelector('dhara-player')!.token = token), await scene().mint());
      await playedTo(page, 1);
      status = 403;
      await expect.poll(() => views().length).toBe(2);
      await playedTo(page, 8);
      await pause(page);
      await expect.poll(() => newestOf(views()[1]!)!.watchedMs).toBeGreaterThan(2_000);
      const [before, after] = views().map(newestOf);
      expect(before).toMatchObject({ errors: [], ranges: [[near(0), expect.any(Number)]] });
      expect(after).toMatchObject({ errors: [], ranges: [[expect.any(Number), expect.any(Number)]] });
      expect(after!.stalls).toBeLessThanOrEqual(await waitsOfView(page));
      expect(after!.ranges[0]![0]).toBeCloseTo(before!.ranges[0]![1], -2);
    });

    it('are not sent where the page forbids it, in a tag or in a frame', async () => {
      const { page } = await open('/off', { analytics: 'off' });
      await pressPlay(page);
      await playedTo(page, 0.5);
      await pause(page);
      await page.close();

      const { page: framed } = await openPage(scene().browser, scene().site.url);
      const sent: string[] = [];
      framed.on('request', (request) => request.url().endsWith('/report') && sent.push(request.url()));
      for (const word of ['off', 'false', 'on']) {
        const address = `${scene().demo.url}/embed#token=${await scene().mint()}&muted&analytics=${word}`;
        await framed.goto(
          scene().site.page(`/analytics/frame-${word}`, `<iframe src="${address}" title="A"></iframe>`),
        );
        await framed.frameLocator('iframe').getByRole('button', { name: 'Play' }).click();
        const video = framed.frameLocator('iframe').locator('video');
        await expect.poll(() => video.evaluate((it: HTMLVideoElement) => it.currentTime)).toBeGreaterThan(0.5);
        await video.evaluate((it: HTMLVideoElement) => it.pause());
        if (word === 'on') await expect.poll(() => sent.length).toBe(2);
        else expect(sent).toEqual([]);
      }
      expect(reports()).toEqual([]);
    });
  });
}
