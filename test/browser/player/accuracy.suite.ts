import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

import '../../../src/player/index.js';
import { signIn } from '../../support/service.js';
import { playedTo, tag, type Scene } from './scene.js';

/** The service leaves out the views of headless browsers. */
const PERSON = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
};
const TOLERANCE = 0.02;
const DAY_MS = 86_400_000;
/** Of the demo video. */
const DURATION_MS = 20_000;

const FIGURES =
  'views uniqueViews plays completions watchedMs averageWatchedShare exitsBeforeStart stalls stalledMs startupP50Ms renditionSwitches errors';

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
  readonly renditionSwitches: number;
  readonly errors: number;
}

interface Seen {
  readonly startupMs: number;
  readonly watchedMs: number;
  readonly stalledMs: number;
  readonly stalls: number;
  /** Whether each hundredth of the video was on screen. */
  readonly hundredths: readonly boolean[];
}

/**
 * Watches the `<video>` frame by frame, knowing nothing of the player: where the position is, and whether it moves. Says
 * what happened when it is called.
 */
async function observe(page: Page): Promise<() => Promise<Seen>> {
  await page.evaluate(() => {
    const { video } = document.querySelector('dhara-player')!;
    const STILL_MS = 100;
    const seen = { startupMs: 0, watchedMs: 0, stalledMs: 0, stalls: 0, hundredths: Array<boolean>(100).fill(false) };
    let [atMs, position, clickedAtMs, stillMs] = [performance.now(), 0, 0, 0];
    /** After a seek, a picture that stands still is not a stall until it has moved. */
    let hasMoved = false;
    addEventListener('click', () => (clickedAtMs ||= performance.now()), { capture: true });
    const look = (): void => {
      const nowMs = performance.now();
      const beforeMs = atMs;
      const passedMs = nowMs - atMs;
      const moved = video.currentTime - position;
      [atMs, position] = [nowMs, video.currentTime];
      requestAnimationFrame(look);
      if (video.seeking || moved < 0 || moved * 1000 > passedMs + 500) hasMoved = false;
      else if (moved > 0) {
        seen.startupMs ||= beforeMs - clickedAtMs;
        seen.watchedMs += moved * 1000;
        seen.hundredths[Math.min(99, Math.floor((position / video.duration) * 100))] = true;
        hasMoved = true;
      }
      // A busy machine can hold up a picture, too; then the data is there.
      const lacksData = video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
      const isStill = moved === 0 && lacksData && hasMoved && !video.paused && !video.ended;
      const wasStill = stillMs >= STILL_MS;
      stillMs = isStill ? stillMs + passedMs : 0;
      if (stillMs < STILL_MS) return;
      if (!wasStill) seen.stalls += 1;
      seen.stalledMs += wasStill ? passedMs : stillMs;
    };
    requestAnimationFrame(look);
    Object.assign(globalThis, { seen });
  });
  return () => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
}

/** Whether the numbers that owners see are those that happened, in a real browser. */
export function theAccuracy(scene: () => Scene): void {
  describe('analytics of a video that a person watches', { timeout: 120_000 }, () => {
    let cookie: string;
    beforeAll(async () => {
      cookie = await signIn(scene().demo);
    });

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

    /** What the dashboard shows of the video. The service's clock may be a day ahead. */
    async function analytics(): Promise<{ totals: Figures; retention: number[] }> {
      const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
      const input = { from: dayOf(Date.now()), to: dayOf(Date.now() + 3 * DAY_MS), videoId: scene().demo.videoId };
      const found = await ask<{ analytics: { totals: Figures; retention: number[] } }>(
        `query ($input: AnalyticsInput!) { analytics(input: $input) { totals { ${FIGURES} } retention } }`,
        { input },
      );
      return found.analytics;
    }

    /** Opens a page whose viewer is a person, with an observer beside the player. */
    async function open(path: string, attributes: Record<string, string> = {}) {
      const before = await analytics();
      const html = tag({ token: await scene().mint(), muted: '', ...attributes });
      const { page } = await scene().open(`/accuracy${path}`, html, PERSON);
      const seen = await observe(page);
      return { page, seen, before };
    }

    /**
     * The numbers since `before`, as soon as this watch time and these completions have been reported. The last report of
     * a view carries its end: without waiting for it, a view would end within the next test.
     */
    async function since(
      before: { totals: Figures; retention: number[] },
      happened: { watchedMs: number; completions?: number },
    ) {
      const counts = ['views', 'plays', 'completions', 'watchedMs', 'stalls', 'stalledMs', 'exitsBeforeStart'] as const;
      const added = async () => {
        const { totals, retention } = await analytics();
        const changes = Object.fromEntries(counts.map((name) => [name, totals[name] - before.totals[name]]));
        const watched = retention.map((plays, at) => plays > before.retention[at]!);
        return { totals, watched, ...(changes as Record<(typeof counts)[number], number>) };
      };
      const { watchedMs, completions = 0 } = happened;
      await expect
        .poll(added)
        .toSatisfy(
          (is: Awaited<ReturnType<typeof added>>) =>
            is.completions >= completions && is.watchedMs >= watchedMs * (1 - TOLERANCE),
          `${completions} completions and ${watchedMs} ms`,
        );
      // `poll` does not return what it saw.
      return added();
    }

    const isClose = (measured: number, seen: number): void =>
      expect(Math.abs(measured - seen) / seen, `${measured} beside ${seen}`).toBeLessThanOrEqual(TOLERANCE);

    it('has its startup and its stalls on a slow network', async () => {
      const { renditions } = (
        await ask<{ video: { renditions: { quality: string; bitrate: number }[] } }>(
          'query ($id: ID!) { video(id: $id) { renditions { quality bitrate } } }',
          { id: scene().demo.videoId },
        )
      ).video;
      const { bitrate } = renditions.find(({ quality }) => /720/.test(quality))!;
      const { page, seen, before } = await open('/slow', { 'start-time': '8' });
      await page.evaluate(() => void (document.querySelector('dhara-player')!.quality = 720));
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Network.enable');
      const network = { offline: false, latency: 20, uploadThroughput: -1 };
      await cdp.send('Network.emulateNetworkConditions', { ...network, downloadThroughput: (bitrate / 8) * 0.6 });
      await page.getByRole('button', { name: 'Play' }).first().click();
      await page.waitForFunction(() => document.querySelector('dhara-player')!.ended, undefined, { timeout: 90_000 });

      const happened = await seen();
      expect(happened.stalls).toBeGreaterThan(0);
      const { totals, ...measured } = await since(before, { ...happened, completions: 1 });
      expect(measured).toMatchObject({ views: 1, plays: 1, completions: 1, stalls: happened.stalls });
      isClose(measured.watchedMs, happened.watchedMs);
      isClose(measured.stalledMs, happened.stalledMs);
      // A histogram adds an error of its own.
      expect(Math.abs(totals.startupP50Ms! / happened.startupMs - 1)).toBeLessThanOrEqual(TOLERANCE * 2);
    });

    it('is complete if they watch it to the end, with a pause', async () => {
      const { page, seen, before } = await open('/whole');
      await page.getByRole('button', { name: 'Play' }).first().click();
      await playedTo(page, 6);
      await page.evaluate(() => document.querySelector('dhara-player')!.pause());
      await page.waitForFunction(() => document.querySelector('dhara-player')!.paused);
      await page.evaluate(() => document.querySelector('dhara-player')!.play());
      await page.waitForFunction(() => document.querySelector('dhara-player')!.ended);

      const happened = await seen();
      const measured = await since(before, { ...happened, completions: 1 });
      expect(measured).toMatchObject({ views: 1, plays: 1, completions: 1, stalls: happened.stalls });
      isClose(measured.watchedMs, happened.watchedMs);
      isClose(measured.watchedMs, DURATION_MS);
      expect(measured.watched).toEqual(Array(100).fill(true));
    });

    it('has the parts they watched if they seek and leave', async () => {
      const { page, seen, before } = await open('/parts');
      await page.getByRole('button', { name: 'Play' }).first().click();
      await playedTo(page, 4);
      await page.evaluate(() => void (document.querySelector('dhara-player')!.currentTime = 12));
      await playedTo(page, 15);
      const seenAtMs = performance.now();
      const happened = await seen();
      await page.close();
      const closedAfterMs = performance.now() - seenAtMs;

      const measured = await since(before, happened);
      expect(measured).toMatchObject({ views: 1, plays: 1, completions: 0, stalls: 0, stalledMs: 0 });
      // The video plays on between the last look and the end of the page.
      const mostMs = happened.watchedMs + closedAfterMs;
      expect(measured.watchedMs).toBeGreaterThanOrEqual(happened.watchedMs * (1 - TOLERANCE));
      expect(measured.watchedMs).toBeLessThanOrEqual(mostMs * (1 + TOLERANCE));
      const differing = measured.watched.filter((isWatched, at) => isWatched !== happened.hundredths[at]);
      // Each end of a part may lie within a hundredth.
      const playedOn = Math.ceil((closedAfterMs / DURATION_MS) * 100);
      expect(differing.length).toBeLessThanOrEqual(4 + playedOn);
    });

    it('counts one unique view for one viewer on one day', async () => {
      const { totals } = await analytics();
      expect(totals.views).toBe(3);
      expect(totals.uniqueViews).toBe(1);
    });

    /** Exchanges a fresh token as a person's browser does. Returns the address for reports. */
    async function exchange(): Promise<string> {
      const address = `${scene().demo.url}/v1/video/playback/manifest/${await scene().mint()}`;
      const answer = await fetch(address, { headers: { 'user-agent': PERSON.userAgent } });
      const { data } = (await answer.json()) as { data: { url: string } };
      return new URL('report', data.url).href;
    }

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
      // Each from a view of its own, since the reports of one view are limited.
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
      const { watchedMs, stalledMs, stalls, totals } = await since(before, { watchedMs: 1 });
      const minute = 60_000;
      expect([watchedMs, stalledMs, totals.startupP50Ms!].every((ms) => ms < minute)).toBe(true);
      expect(stalls).toBeLessThan(1_000);
      expect(totals.averageWatchedShare).toBeLessThanOrEqual(1);
    });
  });
}
