import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { generateKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
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
});
afterAll(() => service.stop());

interface Listed {
  uuid: string;
  title: string;
}

function titles(body: { data: Listed[] }): string[] {
  return body.data.map((video) => video.title);
}

async function deleteVideo(accountId: string, id: string): Promise<void> {
  const text = 'update video set deleted_at = clock_timestamp() where account_id = $1 and id = $2';
  await service.db.sql.query({ name: 'test-delete', text }, [accountId, id]);
}

describe('GET /v1/video', () => {
  it('lists the metadata of the caller’s own videos, newest first', async () => {
    const { accountId, key } = await openCustomer(service);
    const other = await openCustomer(service);
    await addVideo(service.db, other.accountId, { title: 'not mine' });
    const older = await addVideo(service.db, accountId, {
      title: 'older',
      createdAt: '2026-01-01T00:00:00.1Z',
      posterPath: 'media/posters/a/b/c.jpg',
      tags: ['one', 'two words'],
    });
    await addVideo(service.db, accountId, { title: 'newer', status: 'uploaded', durationMs: null });
    const { status, body, headers } = await call(service, '/v1/video', { key });

    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(titles(body)).toEqual(['newer', 'older']);
    expect(body.data[0].durationSeconds).toBeNull();
    expect(body.data[1]).toEqual({
      id: videoIdOf(older),
      uuid: older,
      title: 'older',
      description: '',
      status: 'ready',
      quality: '480p',
      addons: { branding: false, encryption: false },
      durationSeconds: 90.5,
      width: 854,
      height: 480,
      sizeBytes: 123_456,
      tags: ['one', 'two words'],
      metadata: {},
      thumbnailUrl: `${PUBLIC_URL}/media/posters/a/b/c.jpg`,
      createdAt: '2026-01-01T00:00:00.100Z',
      updatedAt: expect.any(String) as string,
      readyAt: null,
    });
    expect(body.pagination).toEqual({ limit: 20, total: 2, hasMore: false, nextCursor: null, page: 1, totalPages: 1 });
  });

  it('is empty for a new account', async () => {
    const { key } = await openCustomer(service);
    const { body } = await call(service, '/v1/video', { key });
    expect(body.data).toEqual([]);
    expect(body.pagination).toEqual({ limit: 20, total: 0, hasMore: false, nextCursor: null, page: 1, totalPages: 0 });
  });

  it.each(['createdAt', '-createdAt', 'title'])('returns every video once by cursor in the order %s', async (sort) => {
    const { accountId, key } = await openCustomer(service);
    // Videos with the same time or title are ordered by id.
    const ids = await Promise.all(
      Array.from({ length: 23 }, (_, n) =>
        addVideo(service.db, accountId, {
          title: `Video ${n % 5}`,
          createdAt: `2026-01-01T00:00:00.${String(n % 7).padStart(6, '0')}Z`,
        }),
      ),
    );
    const doomed = new Set<string>();
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page === 0 || cursor !== null; page += 1) {
      const after: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await call(service, `/v1/video?sort=${sort}&limit=4${after}`, { key });
      seen.push(...body.data.map((video: Listed) => video.uuid));
      cursor = body.pagination.nextCursor;
      expect(body.pagination.page).toBe(page === 0 ? 1 : null);
      expect(body.pagination.hasMore).toBe(cursor !== null);
      if (sort === 'title') continue;
      // Between the pages, a seen and an unseen video are deleted, and one is created.
      for (const id of [seen.at(-1)!, ids.find((candidate) => !seen.includes(candidate) && !doomed.has(candidate))]) {
        if (id === undefined) continue;
        doomed.add(id);
        await deleteVideo(accountId, id);
      }
      await addVideo(service.db, accountId, { title: 'Video 2' });
      if (page > 40) throw new Error('The walk does not end.');
      // In ascending order, new videos come at the end forever.
      if (ids.every((id) => seen.includes(id) || doomed.has(id))) break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(ids.filter((id) => !doomed.has(id) && !seen.includes(id))).toEqual([]);
  });

  it('keeps exact totals while videos are created, changed and deleted', async () => {
    const { accountId, key } = await openCustomer(service);
    const ids = await Promise.all(Array.from({ length: 5 }, () => addVideo(service.db, accountId)));
    await addVideo(service.db, accountId, { status: 'failed', failureCode: 'UNUSABLE_SOURCE' });
    await deleteVideo(accountId, ids[0]!);

    const all = await call(service, '/v1/video?limit=2', { key });
    expect(all.body.pagination).toMatchObject({ total: 5, totalPages: 3, hasMore: true });
    const ready = await call(service, '/v1/video?status=ready&limit=4', { key });
    expect(ready.body.pagination).toMatchObject({ total: 4, totalPages: 1, hasMore: false });
    expect(ready.body.data).toHaveLength(4);
    const failed = await call(service, '/v1/video?status=failed', { key });
    expect(failed.body.pagination.total).toBe(1);
  });

  it('pages by number, up to ten thousand videos', async () => {
    const { accountId, key } = await openCustomer(service);
    for (let n = 0; n < 5; n += 1) await addVideo(service.db, accountId, { title: `v${n}` });

    const second = await call(service, '/v1/video?page=2&limit=2&sort=createdAt', { key });
    expect(titles(second.body)).toEqual(['v2', 'v3']);
    expect(second.body.pagination).toMatchObject({ page: 2, totalPages: 3, hasMore: true });
    const beyond = await call(service, '/v1/video?page=9&limit=2', { key });
    expect(beyond.body.data).toEqual([]);
    expect((await call(service, '/v1/video?page=100&limit=100', { key })).status).toBe(200);
    const tooDeep = await call(service, '/v1/video?page=101&limit=100', { key });
    expect(tooDeep.status).toBe(400);
    expect(tooDeep.body.error.message).toContain('cursor');
  });

  it('finds whole words, their beginnings and exact tags, without counting', async () => {
    const { accountId, key } = await openCustomer(service);
    await addVideo(service.db, accountId, { title: 'The Great Wall, part one', tags: ['history'] });
    await addVideo(service.db, accountId, { title: 'Great expectations', tags: ['History', 'books'] });
    const find = async (query: string): Promise<string[]> => {
      const { body } = await call(service, `/v1/video?sort=title&${query}`, { key });
      expect(body.pagination).toMatchObject({ total: null, totalPages: null });
      return titles(body);
    };

    expect(await find('q=great')).toEqual(['Great expectations', 'The Great Wall, part one']);
    expect(await find('q=GREAT%20wal')).toEqual(['The Great Wall, part one']);
    expect(await find('q=reat')).toEqual([]);
    expect(await find('tag=history')).toEqual(['The Great Wall, part one']);
    expect(await find('tag=books&q=exp')).toEqual(['Great expectations']);
    for (const hostile of [`'`, `\\`, `a' | 'b`, '!!', `':*`, 'a & b', `"x"`, '%F0%9F%8E%AC', ':*', 'a\\', `\\'`]) {
      await find(`q=${hostile.includes('%') ? hostile : encodeURIComponent(hostile)}`);
    }
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=', 'limit'],
    ['limit=5&limit=5', 'limit'],
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['status=gone', 'status'],
    ['sort=-title', 'sort'],
    ['q=', 'q'],
    ['q=%20', 'q'],
    ['q=a%00b', 'q'],
    ['tag=a%00', 'tag'],
    ['colour=red', 'colour'],
    ['__proto__=x', '__proto__'],
    ['limit[]=5', 'limit[]'],
    ['cursor=abc', 'cursor'],
    ['cursor=', 'cursor'],
  ])('refuses %s, naming the parameter', async (query, name) => {
    const { key } = await openCustomer(service);
    const { status, body } = await call(service, `/v1/video?${query}`, { key });
    expect(status).toBe(400);
    expect(body.error.code).toBe('INVALID_PARAMETER');
    expect(body.error.message).toContain(`"${name}"`);
  });

  it('refuses a cursor that has a page, comes from another list, or was changed', async () => {
    const { accountId, key } = await openCustomer(service);
    for (let n = 0; n < 3; n += 1) await addVideo(service.db, accountId);
    const { body } = await call(service, '/v1/video?limit=1', { key });
    const cursor = body.pagination.nextCursor as string;
    const status = async (query: string): Promise<number> =>
      (await call(service, `/v1/video?${query}`, { key })).status;

    expect(await status(`cursor=${cursor}&limit=2`)).toBe(200);
    expect(await status(`cursor=${cursor}&page=1`)).toBe(400);
    expect(await status(`cursor=${cursor}&sort=title`)).toBe(400);
    expect(await status(`cursor=${cursor}&status=ready`)).toBe(400);
    for (let at = 0; at < cursor.length; at += 7) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(await status(`cursor=${changed}`)).toBe(400);
    }
  });

  it('refuses a missing, malformed, unknown or revoked key, and a suspended account', async () => {
    const { accountId, key, keyId } = await openCustomer(service);
    const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const bad of [undefined, '', 'x', wrong, generateKey('live').text]) {
      // The key is checked first, whatever else is wrong with the request.
      for (const path of ['/v1/video', '/v1/video?limit=0', '/v1/video?cursor=x']) {
        const { status, body } = await call(service, path, bad === undefined ? {} : { key: bad });
        expect(status).toBe(401);
        expect(body.error.code).toBe('INVALID_API_KEY');
      }
    }
    const suspend = 'update api_key set suspended = true where account_id = $1';
    await service.db.sql.query({ name: 'test-suspend', text: suspend }, [accountId]);
    expect((await call(service, '/v1/video', { key })).body.error.code).toBe('ACCOUNT_SUSPENDED');
    expect((await call(service, '/v1/video?limit=0', { key })).body.error.code).toBe('ACCOUNT_SUSPENDED');
    await service.keys.revoke(accountId, keyId);
    expect((await call(service, '/v1/video', { key })).status).toBe(401);
  });

  it('handles HEAD like GET, returns Allow for OPTIONS, and 405 for all other methods', async () => {
    const { key } = await openCustomer(service);
    const head = await call(service, '/v1/video', { key, method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(50);
    expect((await call(service, '/v1/video', { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, body, headers } = await call(service, '/v1/video', { key, method });
      expect(status).toBe(405);
      expect(body.error.code).toBe('METHOD_NOT_ALLOWED');
      expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    }
  });
});
