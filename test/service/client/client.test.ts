import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import {
  Dhara,
  DharaApiError,
  DharaConnectionError,
  DharaTimeoutError,
  type Video,
} from '../../../src/client/index.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';

describe('@dhara/client with the service', () => {
  let service: RestService;
  let dhara: Dhara;
  let accountId: string;
  beforeAll(async () => {
    service = await startRestService();
    const customer = await openCustomer(service);
    accountId = customer.accountId;
    // Addresses are often copied with a slash at the end.
    dhara = new Dhara({ baseUrl: `${service.url}/`, apiKey: customer.key });
  });
  afterAll(() => service.stop());

  it('iterates over every video, page by page', async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 7; n += 1) ids.add(videoIdOf(await addVideo(service.db, accountId, { tags: ['walk'] })));
    const found: Video[] = [];
    for await (const video of dhara.videos({ tag: 'walk', limit: 3 })) found.push(video);
    expect(found).toHaveLength(7);
    expect(new Set(found.map(({ id }) => id))).toEqual(ids);
  });

  it('returns a page with its pagination and request id', async () => {
    for (let n = 0; n < 3; n += 1) await addVideo(service.db, accountId);
    const page = await dhara.listVideos({ limit: 2, sort: 'title' });
    expect(page.data).toHaveLength(2);
    expect(page.pagination).toMatchObject({ limit: 2, page: 1, hasMore: true });
    expect(page.requestId).toMatch(/^[\w-]{8,}$/);
    expect(page.rateLimit).toBeNull();
  });

  it('gets from a video to its stream, and returns the quota', async () => {
    const id = await addVideo(service.db, accountId, { title: 'Tour' });
    const { data: video } = await dhara.getVideo(id);
    expect(video).toMatchObject({ title: 'Tour', status: 'ready', playableRungs: ['audio', '480p'] });

    const minted = await dhara.createPlaybackToken(video.id);
    expect(minted.data).toMatchObject({ videoId: video.id, expiresIn: 300 });
    expect(minted.rateLimit).toMatchObject({ limit: 1_000, remaining: 999 });
    expect(minted.rateLimit!.resetAt.getTime()).toBeGreaterThan(Date.parse(minted.data.expiresAt) - 300_000);

    const { data: manifest } = await new Dhara({ baseUrl: service.url }).getManifest(minted.data.token);
    expect(manifest).toMatchObject({ videoId: video.id, title: 'Tour', type: 'application/vnd.apple.mpegurl' });
  });

  it('throws typed errors with code, status, request id and quota', async () => {
    const queued = await addVideo(service.db, accountId, { status: 'queued' });
    const refused = await dhara.createPlaybackToken(queued).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DharaApiError);
    expect(refused).toMatchObject({ name: 'DharaApiError', code: 'VIDEO_NOT_READY', status: 409 });
    expect((refused as DharaApiError).rateLimit).toMatchObject({ limit: 1_000 });
    expect((refused as DharaApiError).requestId).not.toBeNull();

    const wrongKey = new Dhara({ baseUrl: service.url, apiKey: 'dk_live_wrong' });
    await expect(wrongKey.listVideos()).rejects.toMatchObject({ code: 'INVALID_API_KEY', status: 401 });
  });

  it('asks the service about any text as an id, and never leads to another path', async () => {
    for (const id of ['a/../b?c', '', '.', '..', '%2e%2e', '#', '\ud800', '\0', 'vid_ ']) {
      const missing = { code: 'VIDEO_NOT_FOUND', status: 404 };
      await expect(dhara.getVideo(id), id).rejects.toMatchObject(missing);
      await expect(dhara.createPlaybackToken(id), id).rejects.toMatchObject(missing);
      await expect(dhara.getManifest(id), id).rejects.toMatchObject({ code: 'INVALID_PLAYBACK_TOKEN', status: 401 });
    }
  });

  it('reports when a used-up quota resets', async () => {
    const { accountId: owner, key } = await openCustomer(service);
    const id = await addVideo(service.db, owner);
    await service.db.pool.query('update api_key set daily_limit = 1 where account_id = $1', [owner]);
    // A retry just before midnight would succeed.
    const client = new Dhara({ baseUrl: service.url, apiKey: key, maxRetries: 0 });
    await client.createPlaybackToken(id);
    const refused = await client.createPlaybackToken(id).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', status: 429 });
    const { retryAfterSeconds, rateLimit } = refused as DharaApiError;
    expect(retryAfterSeconds).toBeGreaterThan(0);
    expect(rateLimit).toMatchObject({ limit: 1, remaining: 0 });
  });
});

describe('@dhara/client with a failing service', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  /** A server that handles its n-th request with the n-th listener, and all later ones with the last. */
  async function scripted(...answers: RequestListener[]): Promise<{ dhara: Dhara; requests: () => number }> {
    let requests = 0;
    const server = createServer((req, res) => {
      requests += 1;
      answers[Math.min(requests, answers.length) - 1]!(req, res);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return {
      dhara: new Dhara({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', timeoutMs: 5_000 }),
      requests: () => requests,
    };
  }

  const away: RequestListener = (_req, res) => {
    res.writeHead(503, { 'Retry-After': '0', 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ success: false, error: { code: 'SERVICE_UNAVAILABLE', message: 'Away', status: 503 } }));
  };
  const broken: RequestListener = (_req, res) => {
    res.writeHead(500, { 'Retry-After': '0' });
    res.end('<h1>Bad gateway</h1>');
  };
  const hangUp: RequestListener = (req) => req.socket.destroy();
  const silent: RequestListener = () => undefined;
  const fine: RequestListener = (_req, res) => res.end('{"success":true,"data":{"id":"vid_1"}}');

  it('retries after 503, after 500 and after a lost connection', async () => {
    for (const trouble of [away, broken, hangUp]) {
      const { dhara, requests } = await scripted(trouble, fine);
      expect((await dhara.getVideo('vid_1')).data).toEqual({ id: 'vid_1' });
      expect(requests()).toBe(2);
    }
  });

  it('retries creating a token only if none can have been created', async () => {
    const { dhara, requests } = await scripted(away, fine);
    await dhara.createPlaybackToken('vid_1');
    expect(requests()).toBe(2);
    for (const trouble of [broken, hangUp]) {
      const lost = await scripted(trouble, fine);
      await expect(lost.dhara.createPlaybackToken('vid_1')).rejects.toThrow();
      expect(lost.requests()).toBe(1);
    }
  });

  it('retries after 429 if the limit ends within seconds, and does not wait for a whole day', async () => {
    const limited = (headers: Record<string, string>): RequestListener => {
      return (_req, res) => res.writeHead(429, headers).end('{"success":false,"error":{"code":"RATE_LIMIT_EXCEEDED"}}');
    };
    const ending = await scripted(limited({ 'Retry-After': '0' }), fine);
    await ending.dhara.createPlaybackToken('vid_1');
    expect(ending.requests()).toBe(2);
    for (const far of [limited({ 'Retry-After': '3600' }), limited({})]) {
      const { dhara, requests } = await scripted(far, fine);
      await expect(dhara.createPlaybackToken('vid_1')).rejects.toMatchObject({ status: 429 });
      expect(requests()).toBe(1);
    }
  });

  it('waits until the date of a Retry-After', async () => {
    const at = (ms: number): RequestListener => {
      return (_req, res) => {
        res.writeHead(503, { 'Retry-After': new Date(Date.now() + ms).toUTCString() }).end('{}');
      };
    };
    const { dhara, requests } = await scripted(at(-60_000), fine);
    expect((await dhara.getVideo('vid_1')).data).toEqual({ id: 'vid_1' });
    expect(requests()).toBe(2);
    const later = await scripted(at(3_600_000));
    const refused = await later.dhara.getVideo('vid_1').catch((error: unknown) => error);
    // Dates have whole seconds.
    expect((refused as DharaApiError).retryAfterSeconds).toBeGreaterThan(3_590);
    expect((refused as DharaApiError).retryAfterSeconds).toBeLessThanOrEqual(3_600);
    expect(later.requests()).toBe(1);
  });

  it('ignores an invalid Retry-After, and does not retry after one that is too long', async () => {
    for (const value of ['soon', '-5', '1.5', '1e3', '+1', 'Wed', '']) {
      const { dhara, requests } = await scripted(
        (_req, res) => res.writeHead(503, { 'Retry-After': value }).end('{}'),
        fine,
      );
      const askedAtMs = performance.now();
      await dhara.getVideo('vid_1');
      expect([value, requests()]).toEqual([value, 2]);
      expect(performance.now() - askedAtMs).toBeGreaterThan(100);
    }
    for (const value of ['99999999999999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT']) {
      const { dhara, requests } = await scripted((_req, res) => res.writeHead(503, { 'Retry-After': value }).end('{}'));
      await expect(dhara.getVideo('vid_1')).rejects.toMatchObject({ status: 503 });
      expect(requests()).toBe(1);
    }
  });

  it('does not follow a redirect, which would give the API key to another server', async () => {
    const other = await scripted(fine);
    const { baseUrl } = (other.dhara as unknown as { transport: { baseUrl: string } }).transport;
    for (const status of [301, 302, 303, 307, 308]) {
      const { dhara } = await scripted((_req, res) =>
        res.writeHead(status, { location: `${baseUrl}/v1/video/x` }).end(),
      );
      const refused = { code: 'UNEXPECTED_RESPONSE', status };
      await expect(dhara.getVideo('vid_1')).rejects.toMatchObject(refused);
      await expect(dhara.createPlaybackToken('vid_1')).rejects.toMatchObject(refused);
    }
    expect(other.requests()).toBe(0);
  });

  it('gives up after the retries, or at once if the service asks for a long pause', async () => {
    const stubborn = await scripted(away);
    await expect(stubborn.dhara.getVideo('vid_1')).rejects.toMatchObject({ status: 503, retryAfterSeconds: 0 });
    expect(stubborn.requests()).toBe(3);

    const later = await scripted((_req, res) => {
      res.writeHead(503, { 'Retry-After': '3600' });
      res.end('{}');
    });
    await expect(later.dhara.getVideo('vid_1')).rejects.toMatchObject({ retryAfterSeconds: 3_600 });
    expect(later.requests()).toBe(1);
  });

  it('reports a response that is not Dhara’s', async () => {
    const { dhara } = await scripted((_req, res) => res.end('<h1>Welcome</h1>'));
    await expect(dhara.getVideo('vid_1')).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE', status: 200 });
  });

  it('ends a request that gets no response, and one that is aborted', async () => {
    const { dhara } = await scripted(silent);
    const { baseUrl } = (dhara as unknown as { transport: { baseUrl: string } }).transport;
    const impatient = new Dhara({ baseUrl, timeoutMs: 50, maxRetries: 0 });
    await expect(impatient.getVideo('vid_1')).rejects.toBeInstanceOf(DharaTimeoutError);

    const abort = new AbortController();
    const asked = dhara.getVideo('vid_1', { signal: abort.signal });
    abort.abort(new Error('The viewer left'));
    await expect(asked).rejects.toThrow('The viewer left');

    // An abort also ends the pause before a retry.
    const pausing = await scripted((_req, res) => {
      res.writeHead(503, { 'Retry-After': '8' });
      res.end('{}');
      setImmediate(() => waiting.abort(new Error('The viewer left')));
    });
    const waiting = new AbortController();
    await expect(pausing.dhara.getVideo('vid_1', { signal: waiting.signal })).rejects.toThrow('The viewer left');
  });

  it('distinguishes a service that cannot be reached from one that refuses', async () => {
    const { dhara } = await scripted(fine);
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    }
    const lost = await dhara.getVideo('vid_1').catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(DharaConnectionError);
    expect((lost as Error).cause).toBeInstanceOf(Error);
  });
});
