import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import { decodedToken, shownKey } from '../../../src/dashboard/playback/pasted.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { findManifest } from '../../../src/player/manifestSource.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';

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
  it('shows what a token says of itself, and nothing of other text', async () => {
    expect(decodedToken(await mint())).toMatchObject({
      header: { alg: 'EdDSA', typ: 'JWT' },
      claims: { sub: videoIdOf(videoId), aud: 'playback' },
    });
    for (const text of ['', 'not-a-token', 'a.b', 'a.b.c', '%.%.%']) expect(decodedToken(text)).toBeNull();
  });

  it('shortens a whole key before it is sent, and leaves other text alone', () => {
    const { key } = customer;
    expect(shownKey(` ${key}\n`)).toBe(`${key.slice(0, 12)}…${key.slice(-4)}`);
    for (const text of [key.slice(0, 12), 'nonsense', `${key}x`]) expect(shownKey(text)).toBe(text);
  });
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
        { name: `test-playable-${playable.length}`, text: `update video set playable_rungs = $2 where id = $1` },
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
    const proxy = createServer((_, res) =>
      res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
    );
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    try {
      const api = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      await expect(findManifest({ ...nowhere, api }, signal)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    } finally {
      proxy.close();
    }
  });
});
