import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';

import { exportJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { verifyGrant } from '../../../src/domain/playback/grants.js';
import { deriveKey } from '../../../src/domain/shared/secrets/masterKey.js';
import { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { call } from '../../support/contract/client.js';
import {
  addVideo,
  openCustomer,
  PUBLIC_URL,
  type RestService,
  startRestService,
} from '../../support/contract/service.js';

let service: RestService;
beforeAll(async () => {
  service = await startRestService();
  await installVirtualClock(service.database.migrationUrl);
});
afterAll(() => service.stop());

const manifestPath = (token: string): string => `/v1/video/playback/manifest/${token}`;

async function mintToken(seed: Parameters<typeof addVideo>[2] = {}) {
  const customer = await openCustomer(service);
  const id = await addVideo(service.db, customer.accountId, seed);
  const { body } = await call(service, `/v1/video/${id}/playback-token`, { key: customer.key, method: 'POST' });
  return { ...customer, id, token: body.data.token as string };
}

async function execute(text: string, values: unknown[]): Promise<void> {
  await service.db.pool.query(text, values);
}

describe('GET /v1/video/playback/manifest/:token', () => {
  it('returns the stream’s address to players on any site', async () => {
    const { accountId, id, token } = await mintToken({ title: 'Video', posterPath: 'media/posters/p.jpg' });
    const { status, body, headers } = await call(service, manifestPath(token), {
      headers: { origin: 'https://a.example' },
    });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(body.data).toMatchObject({
      type: 'application/vnd.apple.mpegurl',
      videoId: videoIdOf(id),
      title: 'Video',
      durationSeconds: 90.5,
      posterUrl: `${PUBLIC_URL}/media/posters/p.jpg`,
      storyboardUrl: null,
      chaptersUrl: null,
      captions: [],
    });

    const [, media, grant = '', video] = new URL(body.data.url).pathname.split('/');
    expect([media, video]).toEqual(['media', videoIdOf(id)]);
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
      jti: string;
      exp: number;
    };
    const key = deriveKey(service.masterKey, 'playback-grant');
    expect(verifyGrant(key, grant, id, Date.now() / 1000)).toEqual({
      accountId,
      viewId: claims.jti,
      expiresAt: Date.parse(body.data.expiresAt) / 1000,
    });
    expect(Date.parse(body.data.expiresAt) / 1000).toBeGreaterThan(claims.exp + 90 + 3600);
  });

  it('returns captions, chapters and the storyboard under the same grant', async () => {
    const { accountId, id, key, token } = await mintToken();
    await execute(
      `update video set pictures_prefix = 'videos/a/v/3-2/', storyboard_path = 'storyboard/index.vtt',
         chapters = '[{"startMs": 0, "title": "One"}]' where id = $1`,
      [id],
    );
    const captionId = newId();
    await execute(
      `insert into caption (account_id, video_id, id, language, label, origin, vtt, size_bytes, created_at)
       values ($1, $2, $3, 'pt-BR', 'Português', 'upload', 'WEBVTT', 6, now())`,
      [accountId, id, captionId],
    );
    const { body } = await call(service, manifestPath(token));
    const base = body.data.url.replace('/master.m3u8', '');
    expect(body.data).toMatchObject({
      storyboardUrl: `${base}/3-2/storyboard/index.vtt`,
      chaptersUrl: `${base}/chapters.vtt`,
      captions: [{ language: 'pt-BR', label: 'Português', url: `${base}/captions/${captionId}.vtt` }],
    });
    const video = await call(service, `/v1/video/${id}`, { key });
    expect(video.body.data.captions).toEqual([{ language: 'pt-BR', label: 'Português' }]);
  });

  it('returns the same view again for the same token', async () => {
    const { token } = await mintToken();
    const one = await call(service, manifestPath(token));
    const two = await call(service, manifestPath(token));
    expect(two.body).toEqual(one.body);
  });

  it('allows preflight requests, and refuses other methods', async () => {
    const { status, headers } = await call(service, manifestPath('x'), { method: 'OPTIONS' });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-methods')).toContain('GET');
    const post = await call(service, manifestPath('x'), { method: 'POST' });
    expect(post.status).toBe(405);
    expect(post.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('refuses forged, foreign and malformed tokens', async () => {
    const { token } = await mintToken();
    const [header = '', payload = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const kid = (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid;
    const [published] = service.playback.signingKeys.publicKeys();
    const pem = createPublicKey({ key: { ...published! }, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const hs256 = (secret: string | Buffer): string => {
      const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid })}.${payload}`;
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    };
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const foreign = (headers: object): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', ...headers }).sign(privateKey);

    const refused = [
      new UnsecuredJWT(claims).encode(),
      `${encode({ alg: 'none', typ: 'JWT', kid })}.${payload}.`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      hs256(pem),
      hs256(Buffer.from(published!.x!, 'base64url')),
      await foreign({ kid }),
      await foreign({ kid: 'unknown' }),
      await foreign({}),
      await foreign({ kid, jwk: await exportJWK(publicKey) }),
      `${header}.${encode({ ...claims, sub: videoIdOf(newId()) })}.${signature}`,
      `${header}.${encode({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      `${header}.${payload}.${'A'.repeat(86)}`,
      `${token}A`,
      token.slice(0, -1),
      // The same 64 bytes, with a spare bit of the last character set.
      token.slice(0, -1) + String.fromCharCode(token.charCodeAt(token.length - 1) + 1),
      'x',
      'a.b.c',
      '%ff',
      'A'.repeat(5000),
    ];
    for (const bad of refused) {
      const { status, body } = await call(service, manifestPath(bad));
      expect({ bad, status, code: body.error.code }).toEqual({ bad, status: 401, code: 'INVALID_PLAYBACK_TOKEN' });
    }
  });

  it('refuses a token with a valid signature and wrong claims', async () => {
    const { token } = await mintToken();
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
    const [published] = service.playback.signingKeys.publicKeys();
    const header = token.split('.')[0]!;
    const key = service.playback.signingKeys.verifierOf(header)!.privateKey;
    const signed = (changed: object): Promise<string> =>
      new SignJWT({ ...claims, ...changed })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: published!.kid })
        .sign(key);

    const { accountId: acc, keyId: otherKey } = await openCustomer(service);
    expect((await call(service, manifestPath(await signed({})))).status).toBe(200);
    for (const changed of [
      { iss: 'https://elsewhere.example' },
      { iss: undefined },
      { aud: 'api' },
      { aud: ['playback', 'api'] },
      { sub: 'vid_' },
      { sub: 5 },
      { acc: 'nobody' },
      ...['none', 7, newId(), otherKey].map((key) => ({ key })),
      { jti: undefined },
      { exp: undefined },
      { exp: '9999999999' },
    ]) {
      const { body } = await call(service, manifestPath(await signed(changed)));
      expect({ changed, code: body.error?.code }).toEqual({ changed, code: 'INVALID_PLAYBACK_TOKEN' });
    }
    // A valid token for another account's video: the account in the token decides, and has no such video.
    const theirs = await signed({ acc, key: undefined, jti: randomUUID() });
    const cross = await call(service, manifestPath(theirs));
    expect(cross.body.error.code).toBe('VIDEO_NOT_FOUND');
    const accountGone = await call(service, manifestPath(await signed({ acc: newId() })));
    expect(accountGone.body.error.code).toBe('VIDEO_NOT_FOUND');
  });

  it('refuses an expired token, by the database’s clock', async () => {
    const { token } = await mintToken();
    await setClockOffset(service.database.migrationUrl, 299_000 - 1000);
    expect((await call(service, manifestPath(token))).status).toBe(200);
    await setClockOffset(service.database.migrationUrl, 301_000);
    const { status, body } = await call(service, manifestPath(token));
    await setClockOffset(service.database.migrationUrl, 0);
    expect([status, body.error.code]).toEqual([401, 'PLAYBACK_TOKEN_EXPIRED']);
  });

  it('refuses a suspended account, a deleted video, and a video that no longer plays', async () => {
    const deleted = await mintToken();
    await execute('update video set deleted_at = now() where id = $1', [deleted.id]);
    expect((await call(service, manifestPath(deleted.token))).body.error.code).toBe('VIDEO_NOT_FOUND');

    const unready = await mintToken();
    await execute(`update video set status = 'queued', playable_rungs = '{}' where id = $1`, [unready.id]);
    expect((await call(service, manifestPath(unready.token))).body.error.code).toBe('VIDEO_NOT_READY');

    const suspended = await mintToken();
    await execute('update account set suspended_at = now() where id = $1', [suspended.accountId]);
    expect((await call(service, manifestPath(suspended.token))).body.error.code).toBe('ACCOUNT_SUSPENDED');
  });
});

describe('signing keys', () => {
  it('rotate without a restart: a new key is published first and signs a minute later, and the old one verifies its last token', async () => {
    const offset = (ms: number): Promise<void> => setClockOffset(service.database.migrationUrl, ms);
    const { key, id, token: oldToken } = await mintToken();
    const kidOf = (token: string): string =>
      (JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: string }).kid;
    const mint = async (): Promise<string> =>
      (await call(service, `/v1/video/${id}/playback-token`, { key, method: 'POST' })).body.data.token as string;
    const published = async (): Promise<string[]> => {
      const { keys } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as {
        keys: { kid: string }[];
      };
      return keys.map((jwk) => jwk.kid);
    };
    // Another process rotates, and this one finds out without a message.
    const elsewhere = await PlaybackService.open({
      db: service.db,
      masterKey: service.masterKey,
      publicUrl: PUBLIC_URL,
    });
    const rotatedAtMs = Date.now();
    const { kid, signsFrom } = await elsewhere.signingKeys.rotate();
    elsewhere.close();
    expect(signsFrom.getTime()).toBeGreaterThanOrEqual(rotatedAtMs + 58_000);
    await service.playback.signingKeys.reload();

    expect(await published()).toContain(kid);
    expect(kidOf(await mint())).toBe(kidOf(oldToken));
    await offset(62_000);
    const newToken = await mint();
    expect(kidOf(newToken)).toBe(kid);
    expect((await call(service, manifestPath(newToken))).status).toBe(200);
    expect((await call(service, manifestPath(oldToken))).status).toBe(200);

    // The old key may have signed its last token a minute after the rotation, valid for five more minutes.
    await offset(355_000);
    await service.playback.signingKeys.reload();
    expect(await published()).toContain(kidOf(oldToken));
    await offset(3_600_000);
    await service.playback.signingKeys.reload();
    expect(await published()).toEqual([kid]);
    expect((await call(service, manifestPath(oldToken))).body.error.code).toBe('INVALID_PLAYBACK_TOKEN');
    await offset(0);
  });

  it('are published as public keys only', async () => {
    const res = await fetch(`${service.url}/.well-known/jwks.json`);
    expect(res.headers.get('cache-control')).toBe('public, max-age=30');
    const { keys } = (await res.json()) as { keys: Record<string, string>[] };
    for (const jwk of keys) {
      expect(Object.keys(jwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
      expect(jwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
    }
  });

  it('let a stream play only on the allowed sites of its account', async () => {
    const { accountId, token } = await mintToken();
    await execute('update account set allowed_domains = $2 where id = $1', [accountId, ['shop.example']]);
    const statusFor = async (headers: Record<string, string>) =>
      (await call(service, manifestPath(token), { headers })).status;
    expect(await statusFor({ origin: 'https://shop.example' })).toBe(200);
    expect(await statusFor({ referer: 'https://shop.example/page' })).toBe(200);
    expect(await statusFor({ origin: PUBLIC_URL })).toBe(200);
    expect(await statusFor({ origin: PUBLIC_URL, 'x-dhara-embedder': 'https://other.example' })).toBe(403);
    expect(await statusFor({})).toBe(403);

    const refused = await call(service, manifestPath(token), { headers: { origin: 'https://other.example' } });
    expect(refused.body.error).toMatchObject({ code: 'DOMAIN_NOT_ALLOWED', status: 403 });
  });
});

it('many tokens exchanged at once each get their own stream or their own error', async () => {
  const views = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const view = await mintToken({ title: `of ${n}` });
      if (n % 10 === 1) await service.keys.revoke(view.accountId, view.keyId);
      if (n % 10 === 3) await execute('update account set suspended_at = now() where id = $1', [view.accountId]);
      if (n % 10 === 5) await execute('update video set deleted_at = now() where id = $1', [view.id]);
      if (n % 10 === 7) await execute(`update video set playable_rungs = '{}' where id = $1`, [view.id]);
      return view;
    }),
  );
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(
      views.map(async ({ token }, n) => {
        const { status, body } = await call(service, manifestPath(token));
        expect([status, body.data?.title]).toEqual(
          { 1: [401, undefined], 3: [403, undefined], 5: [404, undefined], 7: [409, undefined] }[n % 10] ?? [
            200,
            `of ${n}`,
          ],
        );
      }),
    );
  }
});
