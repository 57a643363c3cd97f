import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

import '../../../src/player/index.js';
import { addSession, openPage } from '../../support/browser/browser.js';
import { signIn } from '../../support/service.js';
import { DURATION_MS, exchangeToken } from '../viewer.js';
import { observe, type Seen, seenAfter } from './observer.js';
import { playedTo, tag, type Scene } from './scene.js';
import { type Shown, shownIn } from './shownNumbers.js';

/** The service leaves out the views of headless browsers. */
const PERSON = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
};
const TOLERANCE = 0.02;
const DAY_MS = 86_400_000;
/**
 * Makes a start so long that some frames more or less do not matter: a busy browser says up to a tenth of a second too
 * early that it plays, and a percentile may be wrong by 1 %.
 */
const FAR_AWAY_MS = 2_000;

/** Where the viewer left or sought away within a hundredth. */
const LOOSE_ENDS = 2;

const FIGURES = `
  views uniqueViews plays completions watchedMs averageWatchedShare exitsBeforeStart stalls stalledMs startupP50Ms
  startupP95Ms renditionSwitches errors`;

interface Figures {
  readonly views: number;
  readonly uniqueViews: number;
  readonly plays: number;
  readonly completions: number;
  readonly watchedMs: number;
  readonly averageWatchedShare: number | null;
  readonly exitsBeforeStart: number;
  readonly stalls: number;
  readonly stalledMs: number;
  readonly startupP50Ms: number | null;
  readonly startupP95Ms: number | null;
  readonly renditionSwitches: number;
  readonly errors: number;
}

/** Whether the numbers that owners see are those that happened, in a real browser. */
export function theAccuracy(scene: () => Scene): void {
  describe('analytics of a video that a person watches', { timeout: 120_000 }, () => {
    let cookie: string;
    /** Of one viewer who watches four times. */
    let slow: Seen;
    let whole: Seen;
    let parts: Seen;
    let left: Seen;
    let reported: { totals: Figures; retention: number[] };
    let shown: Shown;
    beforeAll(async () => {
      cookie = await signIn(scene().demo);
      // The other suites watch as headless browsers, which are not counted.
      expect((await analytics()).totals.views).toBe(0);
      slow = await watchSlowly();
      whole = await watchToTheEnd();
      parts = await watchParts();
      left = await leaveBeforeTheStart();
      const watchedMs = slow.watchedMs + whole.watchedMs + parts.watchedMs;
      await scene().service.until(async () => {
        const { totals } = await analytics();
        const { completions, exitsBeforeStart } = totals;
        return completions === 2 && exitsBeforeStart === 1 && totals.watchedMs >= watchedMs * (1 - TOLERANCE);
      }, `2 completions, an exit before the start and ${watchedMs} ms are reported`);
      reported = await analytics();
      shown = await readDashboard();
    }, 240_000);

    async function ask<Data>(query: string, variables: object): Promise<Data> {
      const { url } = scene().demo;
      const headers = { 'content-type': 'application/json', origin: url, cookie };
      const body = JSON.stringify({ query, variables });
      const { data, errors } = (await (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json()) as {
        data: Data;
        errors?: unknown;
      };
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    }

    /** The service's clock may be a day ahead. */
    function period(): { from: string; to: string } {
      const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
      return { from: dayOf(Date.now() - DAY_MS), to: dayOf(Date.now() + 3 * DAY_MS) };
    }

    async function analytics(): Promise<{ totals: Figures; retention: number[] }> {
      const input = { ...period(), videoId: scene().demo.videoId };
      const found = await ask<{ analytics: { totals: Figures; retention: number[] } }>(
        `query ($input: AnalyticsInput!) { analytics(input: $input) { totals { ${FIGURES} } retention } }`,
        { input },
      );
      return found.analytics;
    }

    /** The numbers of the video on the page of analytics, as its owner reads them. */
    async function readDashboard(): Promise<Shown> {
      const { url, videoId } = scene().demo;
      const { page, complaints } = await openPage(scene().browser, url);
      await addSession(page, url, cookie);
      await page.goto(`/analytics?${String(new URLSearchParams({ ...period(), video: videoId }))}`);
      const found = await shownIn(page);
      expect(complaints).toEqual([]);
      await page.context().close();
      return found;
    }

    /** Opens a page whose viewer is a person, with an observer beside the player. */
    async function open(path: string, attributes: Record<string, string> = {}) {
      const html = tag({ token: await scene().mint(), muted: '', ...attributes });
      const { page } = await scene().open(`/accuracy${path}`, html, PERSON);
      const seen = await observe(page);
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Network.enable');
      const slowDown = async (network: { latency?: number; downloadThroughput?: number }): Promise<void> => {
        await cdp.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 0,
          downloadThroughput: -1,
          uploadThroughput: -1,
          ...network,
        });
      };
      const play = () => page.getByRole('button', { name: 'Play' }).first().click();
      const leave = () => seenAfter(page, scene().site.page('/accuracy/away', '<p>Elsewhere</p>', ''));
      return { page, seen, slowDown, play, leave };
    }

    const untilEnded = (page: Page) =>
      page.waitForFunction(() => document.querySelector('dhara-player')!.ended, undefined, { timeout: 90_000 });

    const set = (page: Page, properties: { quality?: number; currentTime?: number }) =>
      page.evaluate((given) => void Object.assign(document.querySelector('dhara-player')!, given), properties);

    /** Chooses a quality, and waits until it is on screen. */
    async function showQuality(page: Page, height: number): Promise<void> {
      await set(page, { quality: height });
      await page.waitForFunction((it) => document.querySelector('dhara-player')!.video.videoHeight === it, height);
    }

    /** From the middle to the end, on a network that is too slow for the rendition. */
    async function watchSlowly(): Promise<Seen> {
      const { video } = await ask<{ video: { renditions: { quality: string; bitrate: number }[] } }>(
        'query ($id: ID!) { video(id: $id) { renditions { quality bitrate } } }',
        { id: scene().demo.videoId },
      );
      const { bitrate } = video.renditions.find(({ quality }) => /720/.test(quality))!;
      const { page, seen, slowDown, play } = await open('/slow', { 'start-time': '8' });
      await set(page, { quality: 720 });
      await slowDown({ latency: 20, downloadThroughput: (bitrate / 8) * 0.6 });
      await play();
      await untilEnded(page);
      return seen();
    }

    /** From the beginning to the end, with a pause, and in two qualities. */
    async function watchToTheEnd(): Promise<Seen> {
      const { page, seen, slowDown, play } = await open('/whole');
      await slowDown({ latency: FAR_AWAY_MS });
      await play();
      await playedTo(page, 0.2);
      await slowDown({});
      await showQuality(page, 480);
      await page.evaluate(() => document.querySelector('dhara-player')!.pause());
      await page.waitForFunction(() => document.querySelector('dhara-player')!.paused);
      await page.evaluate(() => document.querySelector('dhara-player')!.play());
      await showQuality(page, 720);
      await untilEnded(page);
      return seen();
    }

    /** The beginning and a part behind the middle; then the viewer opens another page. */
    async function watchParts(): Promise<Seen> {
      const { page, slowDown, play, leave } = await open('/parts');
      await slowDown({ latency: FAR_AWAY_MS });
      await play();
      await playedTo(page, 0.2);
      await slowDown({});
      await playedTo(page, 4);
      await set(page, { currentTime: 12 });
      await playedTo(page, 15);
      return leave();
    }

    /** Presses play, and opens another page while the first segment is on its way. */
    async function leaveBeforeTheStart(): Promise<Seen> {
      const { page, play, leave } = await open('/left');
      const isAsked = page.waitForRequest(/\.m4s$/);
      await page.route(/\.m4s$/, () => undefined);
      await play();
      await isAsked;
      await page.waitForFunction(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('/measure-')),
      );
      return leave();
    }

    const sum = (of: (seen: Seen) => number): number =>
      [slow, whole, parts].reduce((total, seen) => total + of(seen), 0);
    /** Whether each hundredth of the video was on screen, for at least half of it. */
    const hundredthsOf = (seen: Seen): boolean[] => seen.hundredthsMs.map((ms) => ms >= DURATION_MS / 200);
    const shareOf = (seen: Seen): number => hundredthsOf(seen).filter(Boolean).length / 100;

    /** The median is the second of three, and 95 % of them are all. */
    function startups(): { p50: number; p95: number } {
      const [, p50, p95] = [slow, whole, parts].map(({ startupMs }) => startupMs).toSorted((a, b) => a - b);
      return { p50: p50!, p95: p95! };
    }

    const isClose = (measured: number, happened: number): void =>
      expect(Math.abs(measured - happened), `${measured} beside ${happened}`).toBeLessThanOrEqual(happened * TOLERANCE);

    it('is watched as the test meant to', () => {
      expect(slow.stalls).toBeGreaterThan(0);
      expect(whole.switches).toBeGreaterThan(0);
      expect([slow, whole, parts, left].map(({ hasEnded }) => hasEnded)).toEqual([true, true, false, false]);
      isClose(whole.watchedMs, DURATION_MS);
      expect(left).toMatchObject({ startupMs: 0, watchedMs: 0 });
      for (const seen of [slow, whole, parts]) expect(seen.startupMs).toBeGreaterThan(2 * FAR_AWAY_MS);
    });

    it('has the numbers that happened', () => {
      const { totals } = reported;
      expect(totals).toMatchObject({
        views: 4,
        uniqueViews: 1,
        plays: 3,
        completions: 2,
        exitsBeforeStart: 1,
        errors: 0,
      });
      expect(totals).toMatchObject({
        stalls: sum((seen) => seen.stalls),
        renditionSwitches: sum((seen) => seen.switches),
      });
      isClose(
        totals.watchedMs,
        sum((seen) => seen.watchedMs),
      );
      isClose(
        totals.stalledMs,
        sum((seen) => seen.stalledMs),
      );
      isClose(totals.startupP50Ms!, startups().p50);
      isClose(totals.startupP95Ms!, startups().p95);
      isClose(totals.averageWatchedShare!, sum(shareOf) / 3);
      expect(differing(reported.retention)).toBeLessThanOrEqual(LOOSE_ENDS);
    });

    /** How many hundredths have another number of plays than were on screen. */
    function differing(plays: readonly number[]): number {
      const seen = [slow, whole, parts].map(hundredthsOf);
      return plays.filter((count, at) => count !== seen.filter((hundredths) => hundredths[at]).length).length;
    }

    it('shows them in the dashboard within 2 %', () => {
      const isShown = (label: string, happened: number): void => isClose(shown.figures[label]!.value, happened);
      const counts = Object.fromEntries(Object.entries(shown.figures).map(([label, { value }]) => [label, value]));
      expect(counts).toMatchObject({
        Views: 4,
        'Unique views': 1,
        'Exits before start': 1,
        Errors: 0,
        'Rendition switches': sum((seen) => seen.switches),
      });
      const watchedMs = sum((seen) => seen.watchedMs);
      const stalledMs = sum((seen) => seen.stalledMs);
      isShown('Watch time', watchedMs);
      isShown('Average watched', sum(shareOf) / 3);
      isShown('Completion', 2 / 3);
      isShown('Startup, median', startups().p50);
      isShown('Startup, p95', startups().p95);
      isShown('Rebuffering', stalledMs / (stalledMs + watchedMs));
      const notes = Object.fromEntries(Object.entries(shown.figures).map(([label, { note }]) => [label, note]));
      const stalls = sum((seen) => seen.stalls);
      expect(notes).toMatchObject({
        Views: '3 plays',
        Completion: '2 plays to the end',
        'Exits before start': '25% of attempts to play',
        Rebuffering: `${stalls} ${stalls === 1 ? 'stall' : 'stalls'}, share of the time`,
      });
      expect(shown.viewsOverTime).toBe(4);
      expect(shown.breakdown).toHaveLength(1);
      expect(shown.breakdown[0]).toMatchObject({ views: 4, uniqueViews: 1 });
      isClose(shown.breakdown[0]!.watchedMs, watchedMs);
      expect(differing(shown.retention.map((share) => Math.round(share * 3)))).toBeLessThanOrEqual(LOOSE_ENDS);
    });

    /** Exchanges a fresh token as a person's browser does. Returns the address for reports. */
    const exchange = async (): Promise<string> => (await exchangeToken(scene().demo, PERSON.userAgent)).reports.href;

    const post = async (address: string, body: string): Promise<number> =>
      (await fetch(address, { method: 'POST', headers: { 'content-type': 'text/plain' }, body })).status;

    it('is not disturbed by forged, malformed, enormous and repeated reports', async () => {
      const { views } = (await analytics()).totals;
      const address = await exchange();
      await expect.poll(async () => (await analytics()).totals.views).toBe(views + 1);
      const before = await analytics();
      const report = {
        v: 1,
        seq: 1,
        startupMs: 100,
        watchedMs: 1_000,
        stalledMs: 0,
        stalls: 0,
        switches: 0,
        ranges: [[0, 1_000]],
        errors: [],
        ended: false,
      };
      const [grant = ''] = /[\w-]{84}/.exec(address) ?? [];
      const forged = [
        address.replace(grant, `${grant.slice(0, -1)}${grant.endsWith('A') ? 'B' : 'A'}`),
        address.replace(grant, 'A'.repeat(84)),
        (await exchange()).replace(/[\w-]{84}/, grant.toLowerCase()),
      ];
      for (const one of forged) expect(await post(one, JSON.stringify(report)), one).toBe(403);
      const malformed = [
        '',
        '{',
        '[]',
        'null',
        '{"v":1}',
        JSON.stringify({ ...report, v: 2 }),
        JSON.stringify({ ...report, watchedMs: -1 }),
        JSON.stringify({ ...report, watchedMs: 0.5 }),
        JSON.stringify({ ...report, watchedMs: '1000' }),
        JSON.stringify({ ...report, ranges: [[0]] }),
        JSON.stringify({ ...report, errors: [{ code: '<script>', atMs: 0 }] }),
        JSON.stringify({ ...report, more: true }),
      ];
      // Each from its own view, since the reports of one view are limited.
      for (const body of malformed) expect(await post(await exchange(), body), body).toBe(400);
      expect(await post(address, JSON.stringify({ ...report, more: 'x'.repeat(5_000) }))).toBe(413);
      const enormous = post(address, 'x'.repeat(20_000_000)).catch(() => 'cut off');
      expect([413, 'cut off']).toContain(await enormous);

      const exchanged = 1 + malformed.length;
      await expect.poll(async () => (await analytics()).totals.views - before.totals.views).toBe(exchanged);
      expect((await analytics()).totals).toMatchObject({
        plays: before.totals.plays,
        watchedMs: before.totals.watchedMs,
      });

      const answers = await Promise.all(Array.from({ length: 20 }, () => post(address, JSON.stringify(report))));
      expect(new Set(answers)).toEqual(new Set([204, 429]));
      await expect.poll(async () => (await analytics()).totals.plays - before.totals.plays).toBe(1);
      expect((await analytics()).totals.watchedMs - before.totals.watchedMs).toBe(1_000);
    });

    it('has no numbers that are impossible', async () => {
      const before = await analytics();
      const address = await exchange();
      const huge = { startupMs: 2e9, watchedMs: 2e9, stalledMs: 2e9, stalls: 100_000, switches: 100_000 };
      const body = { v: 1, seq: 1, ...huge, ranges: [[0, 2e9]], errors: [], ended: true };
      expect(await post(address, JSON.stringify(body))).toBe(204);
      await expect.poll(async () => (await analytics()).totals.plays).toBe(before.totals.plays + 1);
      const { totals } = await analytics();
      const minute = 60_000;
      for (const name of ['watchedMs', 'stalledMs'] as const) {
        expect(totals[name] - before.totals[name]).toBeLessThan(minute);
      }
      expect(totals.startupP95Ms).toBeLessThan(minute);
      expect(totals.stalls - before.totals.stalls).toBeLessThan(1_000);
      expect(totals.averageWatchedShare).toBeLessThanOrEqual(1);
    });
  });
}
