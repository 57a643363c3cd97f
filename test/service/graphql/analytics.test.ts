import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { ViewRecorder } from '../../../src/domain/playback/analytics/viewRecorder.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { CHROME, exchange, GOOGLEBOT, IPHONE, measured } from '../../support/analytics/watching.js';
import { addVideo } from '../../support/contract/service.js';
import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const FIGURES = `views uniqueViews reportedViews plays completions completionRate watchedMs averageWatchedShare
  exitsBeforeStart exitBeforeStartRate startupP50Ms startupP95Ms stalls stalledMs rebufferRatio renditionSwitches errors`;
const ANALYTICS = `query ($input: AnalyticsInput!) {
  analytics(input: $input) {
    totals { ${FIGURES} }
    series { startsAt figures { views watchedMs startupP50Ms } }
    breakdown { value figures { views plays startupP95Ms } }
    retention
    leftOut { bots previews }
  }
}`;
const TOP = `query ($input: TopVideosInput!) { topVideos(input: $input) { videoId title figures { views startupP50Ms } } }`;

const DAY = '2026-03-14';
const NOON = Date.parse(`${DAY}T12:30:00Z`) / 1_000;
const KEY = newId();

let service: GraphqlService;
let owner: Client;
let other: Client;
let views: ViewRecorder;
let videoId: string;

beforeAll(async () => {
  service = await GraphqlService.start();
  owner = await service.signedIn('owner@example.com');
  other = await service.signedIn('other@example.com');
  ({ views } = service.services);
});
afterAll(() => service.stop());
beforeEach(async () => {
  // Each test has its own days' rollups.
  await service.rows('truncate playback_view, playback_visitor, playback_hour, playback_day, playback_month_state');
  videoId = await addVideo(service.services.db, owner.accountId, { title: 'Sailing' });
});

function watched(given: Partial<Parameters<typeof exchange>[0]> = {}) {
  const view = exchange({
    accountId: owner.accountId,
    videoId,
    keyId: KEY,
    mintedAtEpochSeconds: NOON,
    ...given,
  });
  views.exchanged(view);
  return view;
}

const ask = async (input: object, by = owner) => (await by.data(ANALYTICS, { input }))['analytics'];
const day = { from: DAY, to: DAY };

describe('analytics', () => {
  it('add up what players reported', async () => {
    // Reports of long ago are refused by their age, so the rows are made today and moved.
    const today = new Date().toISOString().slice(0, 10);
    const mintedAtEpochSeconds = Math.floor(Date.now() / 1_000);
    const [whole, part, left] = [1, 2, 3].map((n) => watched({ mintedAtEpochSeconds, address: `203.0.113.${n}` }));
    watched({ mintedAtEpochSeconds, userAgent: GOOGLEBOT });
    watched({ mintedAtEpochSeconds, keyId: null });
    const { accountId } = owner;
    views.reported(
      accountId,
      whole!.viewId,
      measured({ startupMs: 500, watchedMs: 9_000, ranges: [0, 100_000], ended: true, switches: 2 }),
    );
    views.reported(
      accountId,
      part!.viewId,
      measured({ startupMs: 1_000, watchedMs: 6_000, ranges: [0, 20_000], stalls: 2, stalledMs: 5_000 }),
    );
    views.reported(accountId, left!.viewId, measured({ startupMs: null, errors: [{ code: 'NETWORK', atMs: 0 }] }));
    await views.flush();
    const found = await ask({ from: today, to: today, videoId: videoIdOf(videoId), dimension: 'BROWSER' });
    expect(found.totals).toEqual({
      views: 3,
      uniqueViews: 3,
      reportedViews: 3,
      plays: 2,
      completions: 1,
      completionRate: 0.5,
      watchedMs: 15_000,
      averageWatchedShare: 0.6,
      exitsBeforeStart: 1,
      exitBeforeStartRate: 1 / 3,
      startupP50Ms: expect.any(Number),
      startupP95Ms: expect.any(Number),
      stalls: 2,
      stalledMs: 5_000,
      rebufferRatio: 0.25,
      renditionSwitches: 2,
      errors: 1,
    });
    expect(Math.abs(found.totals.startupP50Ms / 500 - 1)).toBeLessThan(0.011);
    expect(Math.abs(found.totals.startupP95Ms / 1_000 - 1)).toBeLessThan(0.011);
    expect(found.breakdown).toEqual([
      { value: 'Chrome', figures: { views: 3, plays: 2, startupP95Ms: expect.any(Number) } },
    ]);
    expect(Math.abs(found.breakdown[0].figures.startupP95Ms / 1_000 - 1)).toBeLessThan(0.021);
    expect(found.retention).toEqual([...Array<number>(20).fill(2), ...Array<number>(80).fill(1)]);
    expect(found.leftOut).toEqual({ bots: 1, previews: 1 });
    expect((await ask({ from: today, to: today })).totals).toEqual(found.totals);
  });

  it('have a point for every hour and every day, also where nothing was watched', async () => {
    watched();
    watched({ mintedAtEpochSeconds: NOON + 3_600 });
    await views.flush();
    const hours = (await ask({ ...day, granularity: 'HOUR' })).series;
    expect(hours).toHaveLength(24);
    expect(hours[0]).toEqual({
      startsAt: `${DAY}T00:00:00.000Z`,
      figures: { views: 0, watchedMs: 0, startupP50Ms: null },
    });
    expect(hours.map(({ figures }: { figures: { views: number } }) => figures.views)).toEqual([
      ...Array<number>(12).fill(0),
      1,
      1,
      ...Array<number>(10).fill(0),
    ]);
    const days = (await ask({ from: '2026-03-13', to: '2026-03-15' })).series;
    expect(days.map(({ figures }: { figures: { views: number } }) => figures.views)).toEqual([0, 2, 0]);
  });

  it('are of one video or of all, by every dimension, and of no other account', async () => {
    const second = await addVideo(service.services.db, owner.accountId);
    watched();
    watched({ videoId: second, country: '', userAgent: IPHONE });
    await views.flush();
    expect((await ask(day)).totals.views).toBe(2);
    expect((await ask({ ...day, videoId: second })).totals.views).toBe(1);
    const by = async (dimension: string) =>
      (await ask({ ...day, dimension })).breakdown.map(({ value, figures }: never) => [
        value,
        (figures as { views: number }).views,
      ]);
    expect(await by('COUNTRY')).toEqual([
      [null, 1],
      ['DE', 1],
    ]);
    expect(await by('DEVICE')).toEqual([
      ['Desktop', 1],
      ['Phone', 1],
    ]);
    expect(await by('BROWSER')).toEqual([
      ['Chrome', 1],
      ['Safari', 1],
    ]);
    expect(await by('KEY')).toEqual([[KEY, 2]]);
    const foreign = await ask({ ...day, videoId, dimension: 'KEY' }, other);
    expect(foreign.totals.views).toBe(0);
    expect(foreign.breakdown).toEqual([]);
    expect(foreign.retention).toEqual(Array<number>(100).fill(0));
    expect((await ask(day)).retention).toBeNull();
    expect((await ask(day)).breakdown).toBeNull();
  });

  it('refuse periods that end before they begin, and those that are too long', async () => {
    const code = (input: object) => owner.code(ANALYTICS, { input });
    expect(await code({ from: '2026-01-02', to: '2026-01-01' })).toBe('INVALID_INPUT');
    expect(await code({ from: '2026-01-01', to: '2027-02-05' })).toBe('INVALID_INPUT');
    expect(await code({ from: '2026-01-01', to: '2026-02-01', granularity: 'HOUR' })).toBe('INVALID_INPUT');
    expect(await code({ ...day, videoId: 'nonsense' })).toBe('VIDEO_NOT_FOUND');
    expect((await ask({ from: '2026-01-01', to: '2027-02-04' })).series).toHaveLength(400);
  });
});

describe('top videos', () => {
  it('are those with the most views, with their titles while they exist', async () => {
    const deleted = newId();
    for (let n = 0; n < 3; n += 1) watched({ videoId: deleted });
    watched();
    await views.flush();
    expect((await owner.data(TOP, { input: day }))['topVideos']).toEqual([
      { videoId: videoIdOf(deleted), title: null, figures: { views: 3, startupP50Ms: null } },
      { videoId: videoIdOf(videoId), title: 'Sailing', figures: { views: 1, startupP50Ms: null } },
    ]);
    expect((await owner.data(TOP, { input: { ...day, first: 1 } }))['topVideos']).toHaveLength(1);
    expect(await owner.code(TOP, { input: { ...day, first: 51 } })).toBe('INVALID_INPUT');
    expect((await other.data(TOP, { input: day }))['topVideos']).toEqual([]);
  });
});

describe('recent views', () => {
  it('are those of today, and of 30 days with today', async () => {
    const ask = async (viewer: typeof owner) =>
      (await viewer.data('{ recentViews { today last30Days playsToday playsLast30Days ever } }'))['recentViews'];
    const nothing = { today: 0, last30Days: 0, playsToday: 0, playsLast30Days: 0, ever: false };
    expect(await ask(other)).toEqual(nothing);
    const now = Math.floor(Date.now() / 1_000);
    for (const daysAgo of [0, 29, 30]) watched({ mintedAtEpochSeconds: now - daysAgo * 86_400, userAgent: CHROME });
    await views.flush();
    expect(await ask(owner)).toEqual({ ...nothing, today: 1, last30Days: 2, ever: true });
    // Only a player knows whether a first frame was shown.
    await service.admin.query(
      `update playback_day set plays = case when starts_at >= date_trunc('day', service_now()) then 1 else 3 end
       where account_id = $1 and dimension = 'all' and views > 0`,
      [owner.accountId],
    );
    expect(await ask(owner)).toEqual({ today: 1, last30Days: 2, playsToday: 1, playsLast30Days: 4, ever: true });
    expect(await ask(other)).toEqual(nothing);
  });
});
