import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { generateKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import { createTestDatabase } from '../../support/database.js';
import { call } from '../../support/contract/client.js';
import {
  addVideo,
  openCustomer,
  PUBLIC_URL,
  type RestService,
  startRestService,
} from '../../support/contract/service.js';
import { query } from '../../support/database/query.js';

let service: RestService;
beforeAll(async () => {
  service = await startRestService();
});
afterAll(() => service.stop());

const tokenPath = (videoId: string): string => `/v1/video/${videoId}/playback-token`;

function quotaOf(headers: Headers): [limit: number, remaining: number] {
  return [Number(headers.get('x-ratelimit-limit')), Number(headers.get('x-ratelimit-remaining'))];
}

async function epochSeconds(): Promise<number> {
  const text = 'select extract(epoch from service_now())::float8 as now';
  const [row] = await service.db.sql.query<{ now: number }>({ name: 'test-now', text });
  return row!.now;
}

describe('POST /v1/video/:videoId/playback-token', () => {
  it('counts what became of each request, and the statements that took tokens', async () => {
    const { accountId, key } = await openCustomer(service);
    const id = await addVideo(service.db, accountId);
    const before = { ...service.playback.stats, answers: new Map(service.playback.stats.answers) };
    // The first statement waits for the key's row, so all that come meanwhile share the second.
    const holder = await service.db.pool.connect();
    await holder.query('begin');
    await holder.query('select from api_key where account_id = $1 for update', [accountId]);
    const first = call(service, tokenPath(id), { key, method: 'POST' });
    await expect.poll(() => service.playback.stats.requests - before.requests).toBe(1);
    const others = Array.from({ length: 39 }, () => service.playback.mint(key, id));
    await holder.query('rollback');
    holder.release();
    expect((await first).status).toBe(200);
    await Promise.all(others);
    await call(service, tokenPath(newId()), { key, method: 'POST' });
    await call(service, tokenPath(id), { key: generateKey('live').text, method: 'POST' });
    const { answers, statements, requests } = service.playback.stats;
    const gained = (outcome: string) => (answers.get(outcome) ?? 0) - (before.answers.get(outcome) ?? 0);
    expect(gained('minted')).toBe(40);
    expect(gained('VIDEO_NOT_FOUND')).toBe(1);
    expect(gained('INVALID_API_KEY')).toBe(1);
    expect(requests - before.requests).toBe(42);
    expect(statements - before.statements).toBe(4);
  });

  it('creates a token that anyone can verify with the public keys', async () => {
    const { accountId, key } = await openCustomer(service);
    const id = await addVideo(service.db, accountId);
    const { status, body, headers } = await call(service, tokenPath(id), { key, method: 'POST' });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(quotaOf(headers)).toEqual([1000, 999]);

    const { token, videoId, expiresAt, manifestUrl } = body.data;
    const jwks = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(token, jwks, {
      algorithms: ['EdDSA'],
      audience: 'playback',
      issuer: PUBLIC_URL,
      typ: 'JWT',
    });
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: expect.any(String) as string });
    expect(payload.sub).toBe(videoIdOf(id));
    expect(videoId).toBe(videoIdOf(id));
    expect(payload.exp).toBe(payload.iat! + 300);
    expect(Date.parse(expiresAt)).toBe(payload.exp! * 1000);
    expect(payload.jti).toMatch(/^[0-9a-f-]{36}$/);
    expect(manifestUrl).toBe(`${PUBLIC_URL}/v1/video/playback/manifest/${token}`);
  });

  it('requires no body, and ignores one', async () => {
    const { accountId, key } = await openCustomer(service);
    const id = await addVideo(service.db, accountId);
    for (const body of ['{not json', 'x'.repeat(1_000_000)]) {
      const headers = { 'content-type': 'application/json' };
      expect((await call(service, tokenPath(videoIdOf(id)), { key, method: 'POST', body, headers })).status).toBe(200);
    }
  });

  it('checks key, account, quota and video in this order, and counts only created tokens', async () => {
    const { accountId, key, keyId } = await openCustomer(service);
    const id = await addVideo(service.db, accountId);
    const waiting = await addVideo(service.db, accountId, { status: 'queued' });
    const mint = (videoId: string, withKey = key) =>
      call(service, tokenPath(videoId), { key: withKey, method: 'POST' });
    await service.keys.setDailyQuota(accountId, keyId, 2);

    for (const videoId of [newId(), 'nonsense', '%ff']) {
      const missing = await mint(videoId);
      expect(missing.body.error.code).toBe('VIDEO_NOT_FOUND');
      expect(quotaOf(missing.headers)).toEqual([2, 2]);
    }
    const notReady = await mint(waiting);
    expect(notReady.status).toBe(409);
    expect(notReady.body.error.code).toBe('VIDEO_NOT_READY');
    expect(notReady.body.error.message).toContain('queued');
    expect(quotaOf(notReady.headers)).toEqual([2, 2]);

    expect(quotaOf((await mint(id)).headers)).toEqual([2, 1]);
    expect(quotaOf((await mint(id)).headers)).toEqual([2, 0]);
    for (const videoId of [id, waiting, newId(), 'nonsense']) {
      const before = await epochSeconds();
      const refused = await mint(videoId);
      expect(refused.status).toBe(429);
      expect(refused.body.error).toEqual({
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'Daily limit of 2 playback tokens exceeded',
        status: 429,
      });
      expect(quotaOf(refused.headers)).toEqual([2, 0]);
      const wait = Number(refused.headers.get('retry-after'));
      const midnight = Number(refused.headers.get('x-ratelimit-reset')) + 1;
      // The response was made between two readings of the service's clock.
      expect(wait).toBeLessThanOrEqual(Math.ceil(midnight - before));
      expect(wait).toBeGreaterThanOrEqual(Math.floor(midnight - (await epochSeconds())));
    }
    const suspend = 'update api_key set suspended = true where account_id = $1';
    await service.db.sql.query({ name: 'test-suspend', text: suspend }, [accountId]);
    expect((await mint(id)).body.error.code).toBe('ACCOUNT_SUSPENDED');
    await service.keys.revoke(accountId, keyId);
    expect((await mint(id)).body.error.code).toBe('INVALID_API_KEY');
    expect((await service.keys.list(accountId))[0]?.usedToday).toBe(2);
  });

  it('creates a token for a video in early play', async () => {
    const { accountId, key } = await openCustomer(service);
    const id = await addVideo(service.db, accountId, { status: 'processing', playableRungs: ['480p'] });
    expect((await call(service, tokenPath(id), { key, method: 'POST' })).status).toBe(200);
  });

  it('gives the same error for another account’s video and an unknown one', async () => {
    const { key } = await openCustomer(service);
    const other = await openCustomer(service);
    const theirs = await addVideo(service.db, other.accountId);
    const one = await call(service, tokenPath(theirs), { key, method: 'POST' });
    const two = await call(service, tokenPath(newId()), { key, method: 'POST' });
    expect(one.status).toBe(404);
    expect(one.body).toEqual(two.body);
    expect(quotaOf(one.headers)).toEqual(quotaOf(two.headers));
  });

  it('returns empty quota headers if no key was recognised', async () => {
    for (const options of [{}, { key: 'x' }, { key: generateKey('live').text }]) {
      const { status, headers } = await call(service, tokenPath(newId()), { ...options, method: 'POST' });
      expect(status).toBe(401);
      expect(quotaOf(headers)).toEqual([0, 0]);
    }
    const wrongMethod = await call(service, tokenPath(newId()), { method: 'GET' });
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get('allow')).toBe('POST, OPTIONS');
    expect(quotaOf(wrongMethod.headers)).toEqual([0, 0]);
    expect(quotaOf((await call(service, tokenPath(newId()), { method: 'OPTIONS' })).headers)).toEqual([0, 0]);
  });
});

describe('POST /v1/video/:videoId/playback-token when the database fails', () => {
  it('returns 503 while it is away and 500 if a statement fails, in the envelope with all headers', async () => {
    const database = await createTestDatabase();
    const proxy = await proxyTo(new URL(database.runtimeUrl));
    const own = await startRestService({ database: { ...database, runtimeUrl: proxy.url } });
    const { accountId, key } = await openCustomer(own);
    const id = await addVideo(own.db, accountId);
    const broken = await breakTable(own);
    const failed = await call(own, tokenPath(id), { key, method: 'POST' });
    expect(failed.status).toBe(500);
    expect(failed.body.error).toEqual({
      code: 'INTERNAL_ERROR',
      message: 'Something went wrong on our side.',
      status: 500,
    });
    expect(quotaOf(failed.headers)).toEqual([0, 0]);
    await broken.mend();
    expect((await call(own, tokenPath(id), { key, method: 'POST' })).status).toBe(200);
    const brokenAgain = await breakTable(own);
    const known = await call(own, tokenPath(id), { key, method: 'POST' });
    expect([known.status, quotaOf(known.headers)]).toEqual([500, [1000, 999]]);
    await brokenAgain.mend();

    proxy.cut();
    for (const [path, method] of [
      [tokenPath(id), 'POST'],
      ['/v1/video', 'GET'],
    ] as const) {
      const away = await call(own, path, { key, method });
      expect(away.status).toBe(503);
      expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    // A key that this process has served keeps its quota headers; other keys have none.
    const away = await call(own, tokenPath(id), { key, method: 'POST' });
    expect([away.status, quotaOf(away.headers)]).toEqual([503, [1000, 999]]);
    const parameter = await call(own, `${tokenPath(id)}?x=1`, { key, method: 'POST' });
    expect([parameter.status, quotaOf(parameter.headers)]).toEqual([503, [1000, 999]]);
    const method = await call(own, tokenPath(id), { key });
    expect([method.status, quotaOf(method.headers)]).toEqual([405, [1000, 999]]);
    const stranger = await call(own, tokenPath(id), { key: generateKey('live').text, method: 'POST' });
    expect([stranger.status, quotaOf(stranger.headers)]).toEqual([503, [0, 0]]);
    await own.stop();
    await database.drop();
  });

  /** A proxy to the database that can be cut. */
  async function proxyTo(url: URL): Promise<{ url: string; cut(): void }> {
    const open = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(Number(url.port), url.hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(one);
        one.on('error', () => other.destroy()).on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const proxied = new URL(url);
    proxied.port = String((server.address() as AddressInfo).port);
    return {
      url: proxied.href,
      cut: () => {
        server.close();
        for (const socket of open) socket.destroy();
      },
    };
  }

  async function breakTable(own: RestService): Promise<{ mend(): Promise<unknown> }> {
    const run = (sql: string) => query(own.database.migrationUrl, sql);
    await run('alter table api_key rename column used to used_up');
    return { mend: () => run('alter table api_key rename column used_up to used') };
  }
});
