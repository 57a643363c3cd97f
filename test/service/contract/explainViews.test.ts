import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { installVirtualClock } from '../../../src/db/virtualClock.js';
import { FIND_VIEW } from '../../../src/domain/playback/analytics/analytics.sql.js';
import { AnalyticsService } from '../../../src/domain/playback/analytics/analytics.service.js';
import { ViewRecorder } from '../../../src/domain/playback/analytics/viewRecorder.js';
import type { Explanation } from '../../../src/domain/playback/explain/explanation.js';
import { createGrant } from '../../../src/domain/playback/grants.js';
import { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { deriveKey } from '../../../src/domain/shared/secrets/masterKey.js';
import { CHROME, GOOGLEBOT, measured } from '../../support/analytics/watching.js';
import {
  addVideo,
  clockAfterNoon,
  openCustomer,
  PUBLIC_URL,
  type RestService,
  startRestService,
} from '../../support/contract/service.js';
import { PLAN_MODES, planOf } from '../../support/database/plans.js';

let service: RestService;
let admin: pg.Pool;
let views: ViewRecorder;
let playback: PlaybackService;
let owner: Awaited<ReturnType<typeof openCustomer>>;
let videoId: string;
beforeAll(async () => {
  service = await startRestService();
  await installVirtualClock(service.database.migrationUrl);
  admin = new pg.Pool({ connectionString: service.database.migrationUrl, max: 1 });
  const { db, masterKey } = service;
  views = new ViewRecorder({ db, visitorKey: randomBytes(32) });
  playback = await PlaybackService.open({ db, masterKey, publicUrl: PUBLIC_URL, views });
});
afterAll(async () => {
  playback?.close();
  await admin?.end();
  await service?.stop();
});
beforeEach(async () => {
  await clockAfterNoon(service);
  owner = await openCustomer(service);
  videoId = await addVideo(service.db, owner.accountId, { title: 'Harbour' });
});

const clockLater = (seconds: number) => clockAfterNoon(service, seconds);

/** Creates a token and exchanges it. */
async function view(
  as: { key: string } = owner,
  video = videoId,
  userAgent = CHROME,
): Promise<{ token: string; viewId: string; mintedAt: number; url: string }> {
  const { token } = (await playback.mint(as.key, video)).token;
  const claims = Buffer.from(token.split('.')[1]!, 'base64url').toString();
  const { jti, iat } = JSON.parse(claims) as { jti: string; iat: number };
  const { url } = await playback.manifest(token, {}, { address: '203.0.113.7', userAgent, country: 'DE' });
  await views.flush();
  return { token, viewId: jti, mintedAt: iat, url };
}

async function report(viewId: string, facts: Parameters<typeof measured>[0]): Promise<void> {
  views.reported(owner.accountId, viewId, measured(facts));
  await views.flush();
}

const explain = (text: string, site: string | null = null) => playback.explain(owner.accountId, text, site);
const run = (text: string, values: unknown[]) => service.db.pool.query(text, values);
const outcomes = ({ rules }: Explanation) => Object.fromEntries(rules.map(({ rule, outcome }) => [rule, outcome]));
const told = ({ story }: Explanation) => story!.steps.map(({ step }) => step);

describe('the explanation of a view', () => {
  it('tells its history by its id, by an address of its stream, and by its token', async () => {
    const { token, viewId, url } = await view();
    await clockLater(60);
    await report(viewId, {
      watchedMs: 62_000,
      stalledMs: 1_500,
      stalls: 2,
      switches: 1,
      ranges: [0, 40_000, 50_000, 72_000],
      errors: [{ code: 'NETWORK', atMs: 72_000 }],
    });
    const byId = await explain(` ${viewId.toUpperCase()} `);
    expect(byId).toMatchObject({ subject: 'view', failedRule: null, viewId, videoId, keyId: owner.keyId });
    expect(new Set(Object.values(outcomes(byId)))).toEqual(new Set(['passed']));
    expect(byId.summary).toBe('The stream of this view plays.');
    expect(byId.story!.summary).toBe('The picture moved for 1:02, and 1 error occurred.');
    expect(byId.story!.steps.map(({ step, text }) => `${step}: ${text}`)).toEqual([
      'minted: The token was created with the key “test”.',
      'exchanged: A player exchanged it.',
      'first_frame: The first frame came 0.8 s after playback was requested.',
      'watched: The picture moved for 1:02.',
      'stalled: The picture stood still 2 times, for 1.5 s in all.',
      'switched: The rendition changed 1 time.',
      'error: At 1:12 of the video, the connection was lost.',
      'last_report: The player’s last report that said anything new.',
    ]);
    const facts = byId.story!.steps.flatMap(({ facts: some }) => some.map(({ name, value }) => `${name} ${value}`));
    expect(facts).toEqual([
      'browser Chrome',
      'device Desktop',
      'country DE',
      'ranges 0:00–0:40, 0:50–1:12',
      'code NETWORK',
    ]);
    const at = (step: string) => byId.story!.steps.find((one) => one.step === step)!.at!.getTime();
    // The token has whole seconds.
    expect(at('exchanged') - at('minted')).toBeGreaterThanOrEqual(0);
    expect(at('exchanged') - at('minted')).toBeLessThan(60_000);
    expect(at('last_report') - at('exchanged')).toBeGreaterThan(50_000);

    expect(await explain(url)).toEqual({ ...byId, rules: expect.any(Array) as unknown });
    expect(await explain(new URL('480p/segment-1.m4s?x#y', url).href)).toMatchObject({ subject: 'view', viewId });
    const { db, masterKey } = service;
    const next = { masterKey: randomBytes(32), previousMasterKeys: [masterKey] };
    const later = await PlaybackService.open({ db, publicUrl: PUBLIC_URL, ...next });
    expect(await later.explain(owner.accountId, url)).toMatchObject({ subject: 'view', viewId });
    later.close();
    const byToken = await explain(token);
    expect(byToken).toMatchObject({ subject: 'token', viewId });
    expect(byToken.story).toEqual(byId.story);
  });

  it('says what is not known: no exchange, no report, no first frame, no country', async () => {
    const { token } = (await playback.mint(owner.key, videoId)).token;
    const unused = await explain(token);
    expect(told(unused)).toEqual(['minted', 'not_exchanged']);
    expect(unused).toMatchObject({ subject: 'token', failedRule: null });

    const { viewId } = await view();
    expect(told(await explain(viewId))).toEqual(['minted', 'exchanged', 'not_reported']);
    await report(viewId, { startupMs: null });
    expect(told(await explain(viewId))).toEqual(['minted', 'exchanged', 'no_first_frame', 'last_report']);
    await report(viewId, { seq: 2, startupMs: null, errors: [{ code: 'DECODE', atMs: 0 }] });
    expect((await explain(viewId)).story!.summary).toBe(
      'It failed before the first frame: the browser could not decode the video.',
    );
    await report(viewId, { seq: 3, watchedMs: 9_000, ended: true });
    expect((await explain(viewId)).story!.summary).toContain('up to the end of the video');

    const preview = (await playback.previewToken(owner.accountId, videoId)).token;
    await playback.manifest(preview, {}, { address: undefined, userAgent: undefined, country: undefined });
    await views.flush();
    const ofPreview = await explain(preview);
    expect(ofPreview.story!.steps[1]).toMatchObject({ step: 'exchanged', facts: [{}, {}] });
    expect(ofPreview.story!.steps[1]!.text).toContain('preview');
    const bot = await view(owner, videoId, GOOGLEBOT);
    expect((await explain(bot.viewId)).story!.steps[1]!.text).toContain('program');
  });

  const changes: readonly (readonly [name: string, rule: string, change: () => Promise<unknown>])[] = [
    ['its key was revoked', 'nothing', () => service.keys.revoke(owner.accountId, owner.keyId)],
    ['its key was deleted', 'nothing', () => run('delete from api_key where id = $1', [owner.keyId])],
    ['its token expired', 'nothing', () => clockLater(1_000)],
    ['its key has no tokens left', 'nothing', () => service.keys.setDailyQuota(owner.accountId, owner.keyId, 1)],
    ['its stream ended', 'grant', () => clockLater(8 * 3_600)],
    [
      'the sites were limited',
      'site',
      () => run('update account set allowed_domains = $2 where id = $1', [owner.accountId, ['example.org']]),
    ],
    [
      'the account was suspended',
      'account',
      () => run('update account set suspended_at = service_now() where id = $1', [owner.accountId]),
    ],
    [
      'the video was deleted',
      'video',
      () => run('update video set deleted_at = service_now() where id = $1', [videoId]),
    ],
    [
      'nothing plays any more',
      'rendition',
      () => run(`update video set playable_rungs = '{}' where id = $1`, [videoId]),
    ],
  ];

  it.each(changes)('names what stops a view after %s: %s', async (_, rule, change) => {
    const { viewId } = await view();
    await change();
    const explanation = await explain(viewId, 'shop.example');
    expect(explanation).toMatchObject({ subject: 'view', failedRule: rule === 'nothing' ? null : rule });
    expect(explanation.rules.map((one) => one.rule)).toHaveLength(9);
    expect(told(explanation)).toContain('exchanged');
  });

  it('lasts for 30 days, and says so afterwards', async () => {
    const { viewId, url } = await view();
    const analytics = new AnalyticsService(service.db);
    await clockLater(29 * 86_400);
    await analytics.keep();
    expect((await explain(viewId)).subject).toBe('view');
    await clockLater(32 * 86_400);
    await analytics.keep();
    for (const text of [viewId, url]) {
      expect(await explain(text)).toMatchObject({ subject: 'unknown', rules: [], story: null });
      expect((await explain(text)).summary).toContain('30 days');
    }
  });

  it('is the same for what belongs to others and for what was made up', async () => {
    const other = await openCustomer(service);
    const theirs = await view(other, await addVideo(service.db, other.accountId));
    const key = deriveKey(service.masterKey, 'playback-grant');
    const address = (grant: string) => `${PUBLIC_URL}/media/${grant}/${videoIdOf(videoId)}/master.m3u8`;
    const grantOf = (accountId: string, viewId: string) =>
      createGrant(key, { accountId, videoId, viewId, expiresAtEpochSeconds: 4e9 });
    expect(await explain(theirs.viewId)).toEqual(await explain(newId()));
    expect(await explain(theirs.url)).toEqual(await explain(address('A'.repeat(84))));
    expect(await explain(theirs.url)).toEqual(await explain(address(grantOf(newId(), newId()))));
    // A grant of the account does not open what is another's.
    expect(await explain(address(grantOf(owner.accountId, theirs.viewId)))).toEqual(
      await explain(address(grantOf(owner.accountId, newId()))),
    );
    expect((await playback.explain(other.accountId, theirs.viewId)).subject).toBe('view');
    for (const text of [
      'http://',
      'https://x/media//vid_1/',
      `https://x/media/${'A'.repeat(84)}/vid_!/m`,
      address('x'),
    ]) {
      expect(await explain(text)).toMatchObject({ subject: 'unknown', rules: [], story: null });
    }
  });
});

it('a view is found by an index, and with its time in the partition of its day alone', async () => {
  // Another test may have dropped today's partition.
  await new AnalyticsService(service.db).keep();
  const { viewId, mintedAt } = await view();
  await admin.query(
    `insert into playback_view (account_id, id, minted_at, video_id, audience, duration_ms, country, browser, device)
     select $1, gen_random_uuid(), to_timestamp($2), $3, 'viewer', 1000, '', 'Chrome', 'Phone'
     from generate_series(1, 5000)`,
    [owner.accountId, mintedAt, videoId],
  );
  await admin.query('analyze playback_view');
  for (const mode of PLAN_MODES) {
    const anyDay = await planOf(admin, FIND_VIEW.text, [owner.accountId, viewId, null], mode);
    // Of the few rows in other partitions, PostgreSQL may read all.
    expect(anyDay.mostRows).toBeLessThan(100);
    const ofDay = await planOf(admin, FIND_VIEW.text, [owner.accountId, viewId, mintedAt], mode);
    expect(ofDay.mostRows).toBeLessThan(100);
    expect(ofDay.tables.filter((table) => table !== 'playback_view_rest')).toHaveLength(1);
  }
});
