import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import { explainToken, type TokenFinding } from '../../../src/dashboard/videos/explainToken.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { findManifest } from '../../../src/player/manifestSource.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { Page } from './page.js';

let service: RestService;
let customer: Awaited<ReturnType<typeof openCustomer>>;
let videoId: string;

beforeAll(async () => {
  service = await startRestService();
  customer = await openCustomer(service);
  videoId = await addVideo(service.db, customer.accountId, { title: 'Tour' });
});
afterEach(() => vi.unstubAllGlobals());
afterAll(() => service?.stop());

async function mint(id = videoId): Promise<string> {
  return (await service.playback.mint(customer.key, videoIdOf(id))).token.token;
}

describe('the page that explains a playback token', () => {
  const explained = async (token: string, id = videoId) => {
    Page.open(service.url);
    return explainToken(token, { id: videoIdOf(id), title: 'Tour' });
  };
  const kinds = (findings: readonly TokenFinding[]) => findings.map(({ kind }) => kind);
  const parts = async () => (await mint()).split('.') as [string, string, string];
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('verifies a token of the service with its published key', async () => {
    const found = (await explained(` ${await mint()}\n`))!;
    expect(kinds(found.findings)).toEqual(['good', 'good', 'good']);
    expect(found.claims).toMatchObject({ sub: videoIdOf(videoId), aud: 'playback' });
    expect(found.findings[0]!.text).toContain(String(found.header['kid']));
    expect(found.findings[1]!.text).toContain('Tour');
    expect(found.findings[2]!.text).toMatch(/5 minutes|\d\d s/);
  });

  it('tells a changed token, another video, an expired token, and one for something else', async () => {
    const [header, claims, signature] = await parts();
    const wrong = (await explained(`${header}.${claims}.${signature.slice(0, -6)}AAAAAA`))!;
    expect(kinds(wrong.findings)).toEqual(['bad', 'good', 'good']);
    expect(kinds((await explained(`${header}.${claims}.%%%`))!.findings)[0]).toBe('bad');

    const other = await addVideo(service.db, customer.accountId);
    expect(kinds((await explained(await mint(), other))!.findings)).toEqual(['good', 'bad', 'good']);

    const now = Math.floor(Date.now() / 1_000);
    const past = (seconds: number) =>
      `${header}.${encoded({ aud: 'playback', sub: 'x', exp: now - seconds })}.${signature}`;
    const ages = [60, 600, 7_200, 172_800].map(async (seconds) => (await explained(past(seconds)))!.findings[2]!.text);
    expect(await Promise.all(ages)).toEqual([
      expect.stringMatching(/(59|60|61) s/),
      expect.stringContaining('10 minutes'),
      expect.stringContaining('2 hours'),
      expect.stringContaining('2 days'),
    ]);
    const odd = (await explained(
      `${header}.${encoded({ aud: 'email', iat: now + 3_600, exp: now + 7_200 })}.${signature}`,
    ))!;
    expect(kinds(odd.findings)).toEqual(['bad', 'bad', 'good', 'unknown']);
    expect(kinds((await explained(`${header}.${encoded({ aud: 'playback' })}.${signature}`))!.findings)).toEqual([
      'bad',
      'bad',
      'bad',
    ]);
  });

  it('tells another algorithm, an unknown key, and keys that could not be loaded', async () => {
    const [, claims, signature] = await parts();
    const first = async (header: object) =>
      (await explained(`${encoded(header)}.${claims}.${signature}`))!.findings[0]!;
    expect(await first({ alg: 'none', kid: 'x' })).toMatchObject({
      kind: 'bad',
      text: expect.stringContaining('none') as string,
    });
    expect(await first({ alg: 'EdDSA', kid: 'x' })).toMatchObject({
      kind: 'bad',
      text: expect.stringContaining('x') as string,
    });
    Page.open('http://127.0.0.1:1');
    const token = await mint();
    expect((await explainToken(token, { id: videoIdOf(videoId), title: 'Tour' }))!.findings[0]!.kind).toBe('unknown');
  });

  it.each(['', 'not-a-token', 'a.b', 'a.b.c', `${Buffer.from('[]').toString('base64url')}.bnVsbA.x`])(
    'has nothing to say about %j',
    async (text) => {
      expect(await explained(text)).toBeNull();
    },
  );
});

describe('the player’s way to a manifest', () => {
  const find = (
    token: string | null,
    freshToken: (reason: string) => Promise<string | null> = () => Promise.resolve(null),
    onWaiting: () => void = () => undefined,
    signal = new AbortController().signal,
  ) => findManifest({ api: `${service.url}/`, embedder: null, token, freshToken, onWaiting }, signal);

  it('exchanges its token, and asks for one if it has none', async () => {
    expect(await find(await mint())).toMatchObject({
      videoId: videoIdOf(videoId),
      title: 'Tour',
      durationSeconds: 90.5,
    });
    const reasons: string[] = [];
    const provide = (reason: string) => {
      reasons.push(reason);
      return mint();
    };
    expect(await find(null, provide)).toMatchObject({ title: 'Tour' });
    expect(reasons).toEqual(['missing']);
    await expect(find(null)).rejects.toMatchObject({ code: 'NO_TOKEN', retry: true });
  });

  it('asks once for a new token if its own is no good, and gives up if that is none either', async () => {
    const reasons: string[] = [];
    const provide = (token: string) => (reason: string) => {
      reasons.push(reason);
      return Promise.resolve(token);
    };
    expect(await find('not-a-token', provide(await mint()))).toMatchObject({ title: 'Tour' });
    expect(reasons).toEqual(['expired']);
    await expect(find('not-a-token', provide('another'))).rejects.toMatchObject({ code: 'INVALID_PLAYBACK_TOKEN' });
    expect(reasons).toEqual(['expired', 'expired']);
    await expect(find('not-a-token')).rejects.toMatchObject({ title: 'This link does not work', retry: false });
  });

  it('waits while the video is processed, until it plays or is given up', async () => {
    const early = await addVideo(service.db, customer.accountId, { title: 'Early' });
    const token = await mint(early);
    const status = (playable: string) =>
      service.db.sql.query(
        { name: `test-rungs-${playable.length}`, text: `update video set playable_rungs = $2 where id = $1` },
        [early, playable === '' ? [] : [playable]],
      );
    await status('');
    // Its pauses pass at once; those of the client and the server do not.
    const wait = globalThis.setTimeout;
    const pauses = new Set([3_000, 4_500, 6_750, 10_125, 15_187.5]);
    const passing = (run: () => void, ms?: number) => wait(run, pauses.has(ms ?? 0) ? 0 : ms);
    vi.stubGlobal('setTimeout', passing);
    let waited = 0;
    const onWaiting = () => {
      waited += 1;
      if (waited === 2) void status('480p');
    };
    expect(await find(token, undefined, onWaiting)).toMatchObject({ title: 'Early' });
    expect(waited).toBeGreaterThanOrEqual(2);

    vi.unstubAllGlobals();
    await status('');
    const giveUp = new AbortController();
    const waiting = find(token, undefined, () => queueMicrotask(() => giveUp.abort(new Error('left'))), giveUp.signal);
    await expect(waiting).rejects.toThrow('left');
  });

  it('tells a lost connection from a proxy’s page', async () => {
    const nowhere = {
      embedder: 'https://shop.example',
      token: 'x',
      freshToken: () => Promise.resolve(null),
      onWaiting: () => undefined,
    };
    const signal = new AbortController().signal;
    await expect(findManifest({ ...nowhere, api: 'http://127.0.0.1:1' }, signal)).rejects.toMatchObject({
      code: 'NETWORK',
    });
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 })));
    await expect(findManifest({ ...nowhere, api: service.url }, signal)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});
