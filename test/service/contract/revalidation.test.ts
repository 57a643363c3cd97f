import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { generateKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import { call } from '../../support/contract/client.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { IS_FULL } from '../../support/effort.js';

/** Each keeps its own pages and ETags, like processes of one service. */
const PROCESSES = IS_FULL ? 4 : 2;
const ROUNDS = IS_FULL ? 10_000 : 200;

const services: RestService[] = [];
let service: RestService;
beforeAll(async () => {
  service = await startRestService();
  services.push(service);
  const { database, masterKey } = service;
  while (services.length < PROCESSES) services.push(await startRestService({ database, masterKey }));
});
afterAll(async () => {
  for (const one of services.toReversed()) await one.stop();
});

async function get(path: string, key: string, ifNoneMatch?: string): Promise<[number, string, string]> {
  const headers = { 'x-service-key': key, ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }) };
  const res = await fetch(service.url + path, { headers });
  expect(res.headers.get('cache-control')).toBe('private, no-cache');
  return [res.status, res.headers.get('etag')!, await res.text()];
}

function run(text: string, values: readonly unknown[]): Promise<object[]> {
  const name = `test ${createHash('sha1').update(text).digest('hex')}`;
  return service.db.sql.query({ name, text }, values);
}

describe.each(['/v1/video', '/v1/video/:id'])('GET %s', (path) => {
  it('returns 304 for a matching ETag until something changes', async () => {
    const { accountId, key } = await openCustomer(service);
    const id = await addVideo(service.db, accountId);
    const url = path.replace(':id', id);
    const [, etag, text] = await get(url, key);
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    for (const known of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
      expect(await get(url, key, known)).toEqual([304, etag, '']);
    }
    for (const other of ['"another"', etag.slice(1, -1), ''])
      expect(await get(url, key, other)).toEqual([200, etag, text]);

    await run('update video set title = $2 where id = $1', [id, 'Another title']);
    const [status, changed, body] = await get(url, key, etag);
    expect([status, changed === etag]).toEqual([200, false]);
    expect(body).toContain('Another title');
  });

  it('refuses a revoked key and a suspended account, even with a matching ETag', async () => {
    const { accountId, key, keyId } = await openCustomer(service);
    const url = path.replace(':id', await addVideo(service.db, accountId));
    const [, etag] = await get(url, key);
    await run('update api_key set suspended = true where account_id = $1', [accountId]);
    expect((await call(service, url, { key, headers: { 'if-none-match': etag } })).status).toBe(403);
    await service.keys.revoke(accountId, keyId);
    expect((await call(service, url, { key, headers: { 'if-none-match': etag } })).status).toBe(401);
  });
});

it.each([
  ['title', `'Changed'`],
  ['description', `'Changed'`],
  ['tags', `'{changed}'`],
  ['metadata', `'{"is":"changed"}'`],
  ['status', `'failed'`],
  ['quality', `'720p'`],
  ['branding', 'true'],
  ['encryption', 'true'],
  ['duration_ms', '1'],
  ['width', '2'],
  ['height', '2'],
  ['size_bytes', '3'],
  ['poster_path', `'changed.jpg'`],
  ['ready_at', 'clock_timestamp()'],
  ['updated_at', `clock_timestamp() + interval '1 hour'`],
  ['deleted_at', 'clock_timestamp()'],
])('a changed %s is in the next list', async (column, value) => {
  const { accountId, key } = await openCustomer(service);
  const id = await addVideo(service.db, accountId);
  const first = await get('/v1/video', key);
  expect(await get('/v1/video', key)).toEqual(first);
  await run(`update video set ${column} = ${value} where account_id = $1 and id = $2`, [accountId, id]);
  const again = await get('/v1/video', key);
  expect(again[2]).not.toBe(first[2]);
  // Compares it with a page of which nothing is kept.
  expect(JSON.parse(again[2])).toEqual(JSON.parse((await get('/v1/video?page=1', key))[2]));
});

it('many keys that list at once each get their own videos or their own error', async () => {
  const customers = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const { accountId, key, keyId } = await openCustomer(service);
      const id = await addVideo(service.db, accountId, { title: `of ${n}` });
      if (n % 10 === 3) await service.keys.revoke(accountId, keyId);
      if (n % 10 === 7) await run('update api_key set suspended = true where account_id = $1', [accountId]);
      return { key: n % 10 === 5 ? generateKey('live').text : key, id, n };
    }),
  );
  for (let round = 0; round < 5; round += 1) {
    const limit = round % 2 === 0 ? '' : '?limit=';
    await Promise.all(
      customers.flatMap(({ key, id, n }) =>
        [`/v1/video${limit && limit + (1 + (n % 9))}`, `/v1/video/${id}`].map(async (path) => {
          const { status, body } = await call(service, path, { key });
          expect(status).toBe({ 3: 401, 5: 401, 7: 403 }[n % 10] ?? 200);
          const data = [body.data ?? []].flat() as { title: string }[];
          expect(data.map(({ title }) => title)).toEqual(status === 200 ? [`of ${n}`] : []);
        }),
      ),
    );
  }
});

it('a list read after an acknowledged change shows it, in every process', async () => {
  const { accountId, key } = await openCustomer(service);
  const ids = [await addVideo(service.db, accountId), await addVideo(service.db, accountId)];
  for (let round = 0; round < ROUNDS; round += 1) {
    const title = `Title ${round}`;
    // Concurrent readers, so that pages are kept and statements shared around each change.
    const meanwhile = services.flatMap((one) => [1, 2].map(() => call(one, '/v1/video', { key })));
    await run('update video set title = $2 where account_id = $1 and id = $3', [accountId, title, ids[round % 2]]);
    const lists = await Promise.all(services.map((one) => call(one, '/v1/video', { key })));
    for (const { body } of lists) {
      expect((body.data as { title: string }[]).map((video) => video.title)).toContain(title);
    }
    await Promise.all(meanwhile);
  }
});
