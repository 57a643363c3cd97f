import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { generateKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import { AppError } from '../../../src/errors.js';
import { parseListParameters } from '../../../src/api/rest/parameters.js';
import { IS_FULL } from '../../support/effort.js';
import { call } from '../../support/contract/client.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { query } from '../../support/database/query.js';

let service: RestService;
beforeAll(async () => {
  service = await startRestService();
});
afterAll(() => service.stop());

const tokenPath = (videoId: string): string => `/v1/video/${videoId}/playback-token`;
const manifestPath = (token: string): string => `/v1/video/playback/manifest/${token}`;
/** Typical words of validation libraries. */
const LIBRARY_WORDS =
  /expected|received|invalid (?:input|option|string|type|key)|too (?:big|small)|unrecognized|zod|NaN/i;

async function openViewing() {
  const customer = await openCustomer(service);
  const id = await addVideo(service.db, customer.accountId);
  return { ...customer, id };
}

/** For statements that the role of the running service may not use. */
async function asOwner(text: string, values: unknown[]): Promise<void> {
  await query(service.database.migrationUrl, text, values);
}

const quotaOf = (headers: Headers): number[] =>
  ['limit', 'remaining'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));

describe('unknown query parameters', () => {
  const QUERIES: [query: string, shown: string][] = [
    ['colour=red', 'colour'],
    ['a=1&a=2', 'a'],
    ['a[]=1', 'a[]'],
    ['a[b][c]=1', 'a[b][c]'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['hasOwnProperty=1', 'hasOwnProperty'],
    ['=1', ''],
    ['x', 'x'],
    ['LIMIT=1', 'LIMIT'],
    ['%ff=1', '?'],
    ['a%E2%80%AEb=1', 'a?b'],
    [`${'n'.repeat(9000)}=1`, 'n'.repeat(40)],
  ];

  it.each(QUERIES)('are refused by all four endpoints, before a token is counted: %.40s', async (query, shown) => {
    const { key, id, keyId, accountId } = await openViewing();
    const minted = await call(service, tokenPath(id), { key, method: 'POST' });
    for (const [path, method] of [
      ['/v1/video', 'GET'],
      [`/v1/video/${id}`, 'GET'],
      [tokenPath(id), 'POST'],
      [manifestPath(minted.body.data.token as string), 'GET'],
    ] as const) {
      const { status, body } = await call(service, `${path}?${query}`, { key, method });
      expect({ path, status, code: body.error?.code }).toEqual({ path, status: 400, code: 'INVALID_PARAMETER' });
      expect(body.error.message).toBe(`Parameter "${shown}" is not known here.`);
      expect((await call(service, `${path}?`, { key, method: 'HEAD' })).status).toBe(method === 'GET' ? 200 : 405);
    }
    const [record] = await service.keys.list(accountId);
    expect([record?.id, record?.usedToday]).toEqual([keyId, 1]);
  });

  it('are reported only to callers with a valid key', async () => {
    const { id } = await openViewing();
    for (const path of ['/v1/video', `/v1/video/${id}`, tokenPath(id)]) {
      const method = path.endsWith('token') ? 'POST' : 'GET';
      expect((await call(service, `${path}?x=1`, { method })).status).toBe(401);
      expect((await call(service, `${path}?x=1`, { method, key: generateKey('live').text })).status).toBe(401);
    }
  });

  it('are checked after the account, and before quota and video', async () => {
    const { accountId, key, keyId } = await openViewing();
    await service.keys.setDailyQuota(accountId, keyId, 0);
    const refused = await call(service, `${tokenPath(newId())}?x=1`, { key, method: 'POST' });
    expect([refused.status, quotaOf(refused.headers)]).toEqual([400, [0, 0]]);
    const text = 'update api_key set suspended = true where account_id = $1';
    await service.db.sql.query({ name: 'test-suspend', text }, [accountId]);
    const suspended = await call(service, `${tokenPath(newId())}?x=1`, { key, method: 'POST' });
    expect(suspended.body.error.code).toBe('ACCOUNT_SUSPENDED');
  });
});

describe('error messages', () => {
  it('for wrong parameters are in our own words', () => {
    const name = fc.constantFrom('limit', 'cursor', 'page', 'status', 'q', 'tag', 'sort', 'other', '__proto__', '');
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('', '0', '-1', '1.5', '1e9', 'NaN', '99999999999999999999', 'null', '[]', 'gone'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (pairs) => {
        const query = pairs.map(([key, text]) => `${encodeURIComponent(key)}=${escaped(text)}`).join('&');
        try {
          parseListParameters(`/v1/video?${query}`);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          expect(error.code).toBe('INVALID_PARAMETER');
          expect(error.message).toMatch(/^Parameter "[ -~]*" (?:must|is|cannot|times) .+\.$/);
          expect(error.message.replace(/"[^"]*"/, '')).not.toMatch(LIBRARY_WORDS);
        }
      }),
      { numRuns: IS_FULL ? 20_000 : 300 },
    );
  });

  it.each([
    ['limit=0', 'Parameter "limit" must be a whole number from 1 to 100.'],
    ['limit=abc', 'Parameter "limit" must be a whole number from 1 to 100.'],
    ['limit=101', 'Parameter "limit" must be a whole number from 1 to 100.'],
    ['page=x', 'Parameter "page" must be a whole number from 1 to 10000.'],
    ['sort=up', 'Parameter "sort" must be one of -createdAt, createdAt, title.'],
    ['cursor=x', 'Parameter "cursor" must be the nextCursor of a page of this list.'],
    ['limit=1&limit=1', 'Parameter "limit" is given more than once.'],
  ])('for %s say what is valid', async (query, message) => {
    const { key } = await openCustomer(service);
    expect((await call(service, `/v1/video?${query}`, { key })).body.error.message).toBe(message);
  });

  function escaped(text: string): string {
    return encodeURIComponent(text.toWellFormed());
  }
});

describe('the quota of a valid key', () => {
  it('is in every response of the token path', async () => {
    const { key, id } = await openViewing();
    const expected = [1000, 999];
    const other = await call(service, tokenPath(id), { key, method: 'POST' });
    expect(quotaOf(other.headers)).toEqual(expected);
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { headers } = await call(service, tokenPath(id), { key, method });
      expect({ method, quota: quotaOf(headers) }).toEqual({ method, quota: expected });
    }
    for (const path of [tokenPath(newId()), tokenPath('x'), tokenPath('%ff'), `${tokenPath(id)}?x=1`]) {
      const { headers } = await call(service, path, { key, method: 'POST' });
      expect({ path, quota: quotaOf(headers) }).toEqual({ path, quota: expected });
    }
    const noVideo = await call(service, tokenPath(''), { key, method: 'POST' });
    expect([noVideo.status, quotaOf(noVideo.headers)]).toEqual([404, expected]);
    const slashed = await call(service, `${tokenPath(id)}/`, { key, method: 'GET' });
    expect([slashed.status, quotaOf(slashed.headers)]).toEqual([405, expected]);
  });

  it('is also returned for a suspended account, and is empty for a revoked key', async () => {
    const { accountId, key, keyId, id } = await openViewing();
    const text = 'update api_key set suspended = true where account_id = $1';
    await service.db.sql.query({ name: 'test-suspend', text }, [accountId]);
    for (const method of ['POST', 'GET']) {
      expect(quotaOf((await call(service, tokenPath(id), { key, method })).headers)).toEqual([1000, 1000]);
    }
    await service.keys.revoke(accountId, keyId);
    for (const method of ['POST', 'GET', 'OPTIONS']) {
      expect(quotaOf((await call(service, tokenPath(id), { key, method })).headers)).toEqual([0, 0]);
    }
  });
});

describe('a 401', () => {
  const KEY = 'dk_live_secretsecretsecret';

  it.each([
    ['authorization', `Bearer ${KEY}`],
    ['authorization', 'Basic abc'],
    ['x-api-key', KEY],
    ['x-api-key', 'something'],
    ['api-key', KEY],
    ['x-dhara-key', KEY],
    ['cookie', `key=${KEY}`],
  ])('says where the key belongs if %s carries it', async (name, value) => {
    for (const [path, method] of [
      ['/v1/video', 'GET'],
      [`/v1/video/${newId()}`, 'GET'],
      [tokenPath(newId()), 'POST'],
    ] as const) {
      const { status, body } = await call(service, path, { method, headers: { [name]: value } });
      expect(status).toBe(401);
      expect(body.error.code).toBe('INVALID_API_KEY');
      expect(body.error.message).toBe(`Send the API key in the x-service-key header, not in ${name}.`);
      expect(JSON.stringify(body)).not.toContain('secret');
    }
  });

  it('says where the key belongs if the address carries it, or nothing does', async () => {
    const inAddress = await call(service, `/v1/video?api_key=${KEY}`);
    expect(inAddress.body.error.message).toBe('Send the API key in the x-service-key header, not in the address.');
    expect((await call(service, '/v1/video')).body.error.message).toBe(
      'No API key was sent. Send it in the x-service-key header.',
    );
  });

  it.each([`Bearer ${KEY}`, `"${KEY}"`, `${KEY}, ${KEY}`])('says that %s is more than the key', async (sent) => {
    const { body } = await call(service, '/v1/video', { key: sent });
    expect(body.error.message).toContain('whole key and nothing else');
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('for a wrong key does not mention headers', async () => {
    const { body } = await call(service, '/v1/video', { key: generateKey('live').text });
    expect(body.error.message).toBe('The API key is invalid or has been revoked.');
  });
});

describe('a playback token', () => {
  it('of a key revoked since is refused from the very next exchange on', async () => {
    const { accountId, key, keyId, id } = await openViewing();
    const spare = await service.keys.create(accountId, { name: 'spare' });
    const [ours, theirs] = await Promise.all(
      [key, spare.key].map(async (one) => {
        const { body } = await call(service, tokenPath(videoIdOf(id)), { key: one, method: 'POST' });
        return body.data.token as string;
      }),
    );
    expect((await call(service, manifestPath(ours!))).status).toBe(200);
    await service.keys.revoke(accountId, keyId);
    const refused = await call(service, manifestPath(ours!));
    expect([refused.status, refused.body.error.code]).toEqual([401, 'INVALID_PLAYBACK_TOKEN']);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect((await call(service, manifestPath(theirs!))).status).toBe(200);
  });

  it('of a deleted key is refused, but the dashboard’s preview token is not', async () => {
    const { accountId, key, keyId, id } = await openViewing();
    const { body } = await call(service, tokenPath(id), { key, method: 'POST' });
    const preview = await service.playback.previewToken(accountId, id);
    await asOwner('delete from api_key where id = $1', [keyId]);
    expect((await call(service, manifestPath(body.data.token as string))).status).toBe(401);
    expect((await call(service, manifestPath(preview.token))).status).toBe(200);
  });
});
