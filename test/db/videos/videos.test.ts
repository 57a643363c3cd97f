import { describe, expect, test } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import type { OwnerVideoSort } from '../../../src/domain/media/library/videoSorts.js';
import { VIDEO_LIMITS } from '../../../src/domain/media/library/videoInput.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';

const { pipeline } = await sceneOfFile();

const file = { filename: 'holiday.mp4', sizeBytes: 1000 };

describe('creating a video', () => {
  test('returns a video that waits for its file', async () => {
    const accountId = await pipeline.account(0n);
    const { video, upload } = await pipeline.videos.create(accountId, { ...file, tags: ['sea', ' sea ', 'sun'] });

    expect(video).toMatchObject({ accountId, status: 'awaiting_upload', title: 'holiday', tags: ['sea', 'sun'] });
    expect(upload.sizeBytes).toBe(1000);
  });

  test.each([
    ['/home/me/Summer 2024.final.MOV', 'Summer 2024.final'],
    ['C:\\videos\\a\u0000b.mkv', 'a b'],
    ['.mp4', 'Untitled'],
    [`${'x'.repeat(300)}.mp4`, 'x'.repeat(200)],
    ['\ud83d\ude00'.repeat(201), '\ud83d\ude00'.repeat(200)],
    ['half a pair \ud83d.mp4', 'half a pair'],
  ])('takes the title of %j from its name', async (filename, title) => {
    const accountId = await pipeline.account(0n);
    const { video } = await pipeline.videos.create(accountId, { filename, sizeBytes: 1 });
    expect(video.title).toBe(title);
  });

  test.each([
    { title: 'x'.repeat(201) },
    { title: 'two\nlines' },
    { title: 'a \ud83d half' },
    { description: 'x'.repeat(5001) },
    { description: 'a \u0000 zero' },
    { tags: [''] },
    { tags: ['x'.repeat(51)] },
    { tags: Array.from({ length: 21 }, (_, i) => `tag ${i}`) },
    { metadata: { 'not a key!': 'x' } },
    { metadata: { key: 'x'.repeat(501) } },
    { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`key${i}`, 'x'])) },
    { autoProcess: true },
    { sizeBytes: -1 },
    { sizeBytes: 0.5 },
  ])('refuses %j', async (wrong) => {
    const accountId = await pipeline.account(0n);
    await expect(pipeline.videos.create(accountId, { ...file, ...wrong })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect((await pipeline.videos.list(accountId, { first: 1 })).totalCount).toBe(0);
  });

  test('refuses files that are too large, and branding without a logo or for audio alone', async () => {
    const accountId = await pipeline.account(0n);
    const create = (more: object) => pipeline.videos.create(accountId, { ...file, ...more });
    await expect(create({ sizeBytes: 1_000_000_001 })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    await expect(create({ branding: true })).rejects.toMatchObject({ code: 'BRAND_MISSING' });
    await expect(create({ branding: true, quality: 'audio' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await pipeline.videos.list(accountId, { first: 1 })).totalCount).toBe(0);
  });

  test('bounds how many videos wait for their files', async () => {
    const accountId = await pipeline.account(0n);
    await pipeline.rows(
      `insert into video (account_id, id, title) select $1, gen_random_uuid(), 'x' from generate_series(1, $2::integer)`,
      [accountId, VIDEO_LIMITS.awaitingUpload],
    );
    await expect(pipeline.videos.create(accountId, file)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  });

  test('bounds how many videos are not bought, including failed ones', async () => {
    const accountId = await pipeline.account(0n);
    await pipeline.rows(
      `insert into video (account_id, id, title, status)
        select $1, gen_random_uuid(), 'x', case when n % 2 = 0 then 'failed' else 'uploaded' end
        from generate_series(1, $2::integer) n`,
      [accountId, VIDEO_LIMITS.unprocessed],
    );
    await expect(pipeline.videos.create(accountId, file)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    await pipeline.rows(`update video set status = 'ready' where account_id = $1 and status = 'failed'`, [accountId]);
    await expect(pipeline.videos.create(accountId, file)).resolves.toMatchObject({ video: { accountId } });
  });

  test('counts a video that is being created at the same moment', async () => {
    const accountId = await pipeline.account(0n);
    const insert = `insert into video (account_id, id, title) select $1, gen_random_uuid(), 'x' from generate_series(1, $2::integer)`;
    await pipeline.rows(insert, [accountId, VIDEO_LIMITS.awaitingUpload - 1]);

    let second: Promise<unknown> = Promise.resolve();
    await pipeline.db.transaction(async ({ sql }) => {
      await sql.query({ name: '', text: insert }, [accountId, 1]);
      second = pipeline.videos.create(accountId, file);
      second.catch(() => undefined);
      await expect.poll(() => statementsWaiting(pipeline.db.pool)).toBeGreaterThan(0);
    });

    await expect(second).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  });
});

test('deleted videos that were never bought are forgotten after 30 days, unless the books need them', async () => {
  const accountId = await pipeline.account(0n);
  const deleted = async (title: string, { days = 31, attempt = 0 } = {}): Promise<unknown> =>
    pipeline.rows(
      `insert into video (account_id, id, title, status, attempt, deleted_at)
        values ($1, gen_random_uuid(), $2, 'failed', $4, service_now() - make_interval(days => $3))`,
      [accountId, title, days, attempt],
    );
  const stored = (title: string, hours: number, isSwept: boolean): Promise<unknown> =>
    pipeline.rows(
      `insert into stored_object (account_id, key, video_id, size_bytes, stored_at, removed_at, swept_at)
        select account_id, title, id, 1, day, day + make_interval(hours => $3), case when $4::boolean then deleted_at end
        from video, lateral (select date_trunc('day', deleted_at, 'UTC') - interval '2 hours' as day) d
        where account_id = $1 and title = $2`,
      [accountId, title, hours, isSwept],
    );
  await deleted('without a file');
  await deleted('with a file of one day');
  await stored('with a file of one day', 1, true);
  await deleted('with a file over midnight');
  await stored('with a file over midnight', 3, true);
  await deleted('whose file is not swept');
  await stored('whose file is not swept', 1, false);
  await deleted('bought', { attempt: 1 });
  await deleted('a month ago', { days: 29 });
  await deleted('two months ago', { days: 61 });
  await pipeline.rows(
    `insert into upload (account_id, video_id, id, size_bytes, created_at, expires_at, finished_at)
      select account_id, id, id::text, 1, now(), now(), now() from video where account_id = $1 and title = 'with a file of one day'`,
    [accountId],
  );
  const titles = async (): Promise<string[]> => {
    const text = 'select title from video where account_id = $1 order by title';
    return (await pipeline.db.sql.query<{ title: string }>({ name: '', text }, [accountId])).map(({ title }) => title);
  };

  await pipeline.videos.forgetDeleted();
  const left = ['a month ago', 'bought', 'two months ago', 'whose file is not swept', 'with a file over midnight'];
  expect(await titles()).toEqual(left);
  for (const table of ['upload', 'stored_object']) {
    const text = `select from ${table} t where account_id = $1 and not exists (
      select from video v where v.account_id = t.account_id and v.id = t.video_id)`;
    expect(await pipeline.db.sql.query({ name: '', text }, [accountId])).toEqual([]);
  }
  expect(await pipeline.videos.forgetDeleted()).toBe(0);
});

test('updating changes only what is given', async () => {
  const accountId = await pipeline.account(0n);
  const { video } = await pipeline.videos.create(accountId, { ...file, description: 'old', tags: ['a'] });

  const updated = await pipeline.videos.update(accountId, video.id, { title: ' New ', metadata: { course: '7' } });

  expect(updated).toMatchObject({ title: 'New', description: 'old', tags: ['a'], metadata: { course: '7' } });
  expect(updated.updatedAt.getTime()).toBeGreaterThanOrEqual(video.updatedAt.getTime());
  await expect(pipeline.videos.update(accountId, video.id, { title: ' ' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});

test('another account’s video, a deleted one and an unknown one give the same error', async () => {
  const [owner, stranger] = [await pipeline.account(0n), await pipeline.account(0n)];
  const { video } = await pipeline.videos.create(owner, file);
  const deleted = await pipeline.videos.create(owner, file);
  await pipeline.videos.delete(owner, deleted.video.id);

  for (const [accountId, id] of [
    [stranger, video.id],
    [owner, deleted.video.id],
    [owner, newId()],
  ] as const) {
    const notFound = { code: 'VIDEO_NOT_FOUND', message: 'Video not found.' };
    await expect(pipeline.videos.get(accountId, id)).rejects.toMatchObject(notFound);
    await expect(pipeline.videos.update(accountId, id, { title: 'mine' })).rejects.toMatchObject(notFound);
    await expect(pipeline.videos.delete(accountId, id)).rejects.toMatchObject(notFound);
  }
  expect((await pipeline.videos.get(owner, video.id)).title).toBe('holiday');
});

describe('deleting a video', () => {
  const plain = { quality: '720p', branding: false, encryption: false } as const;

  test.each(['uploaded', 'queued', 'processing', 'failed', 'ready'] as const)(
    'that is %s releases what it holds, and its job finds nothing',
    async (state) => {
      const accountId = await pipeline.account(10n);
      const videoId = await pipeline.paperVideo(accountId);
      const job = { accountId, videoId, attempt: 1 };
      if (state !== 'uploaded') {
        const { id } = await pipeline.processing.quote(accountId, videoId, plain);
        await pipeline.processing.process(accountId, id);
      }
      const claim = ['processing', 'failed', 'ready'].includes(state) ? await pipeline.attempts.claim(job) : null;
      if (state === 'failed') await pipeline.attempts.fail(claim!, { code: 'X', message: 'x' });
      if (state === 'ready') await pipeline.rows(`update video set status = 'ready' where id = $1`, [videoId]);

      await pipeline.videos.delete(accountId, videoId);

      expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n, creative: 10_000_000n, faults: 0 });
      expect(await pipeline.videos.find(accountId, videoId)).toBeNull();
      expect(await pipeline.attempts.claim(job)).toBeNull();
      if (claim)
        expect(await pipeline.attempts.report(claim, { step: 'x', percent: 1, speed: null, etaSeconds: null })).toBe(
          false,
        );
      const [counts] = await pipeline.db.sql.query<Record<string, string>>(
        { name: 'test-counts', text: 'select * from video_count where account_id = $1' },
        [accountId],
      );
      const { account_id: _, version: __, ...perStatus } = counts!;
      expect(new Set(Object.values(perStatus))).toEqual(new Set(['0']));
    },
  );
});

describe('listing videos', () => {
  test.each(['-createdAt', 'createdAt', 'title', '-title', 'length', '-length'] as const)(
    'by %s returns each once, while others are created',
    async (sort) => {
      const accountId = await pipeline.account(0n);
      const ids: string[] = [];
      // One statement, so that many share a millisecond, and some a title.
      const rows = await pipeline.db.sql.query<{ id: string }>(
        {
          name: '',
          text: `insert into video (account_id, id, title, duration_ms)
          select $1, gen_random_uuid(), 'T' || n % 7, nullif(n % 5, 0) * 1000 from generate_series(1, 50) n returning id`,
        },
        [accountId],
      );
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const page = await pipeline.videos.list(accountId, { first: 7, after, sort });
        ids.push(...page.edges.map(({ node }) => node.id));
        seen.push(...page.edges.map(({ node }) => orderKey(node, sort)));
        after = page.hasNextPage ? page.edges.at(-1)!.cursor : null;
        await pipeline.videos.create(accountId, { ...file, title: 'A new one' });
      } while (after !== null);

      const before = new Set(rows.map(({ id }) => id));
      expect(ids.filter((id) => before.has(id)).toSorted()).toEqual([...before].toSorted());
      expect(new Set(ids).size).toBe(ids.length);
      const sorted = seen.toSorted();
      expect(seen).toEqual(sort.startsWith('-') ? sorted.toReversed() : sorted);
    },
  );

  test('filters by status, words and tag', async () => {
    const accountId = await pipeline.account(0n);
    await pipeline.videos.create(accountId, { ...file, title: 'Red Fox at dawn', tags: ['fox'] });
    await pipeline.videos.create(accountId, { ...file, title: 'Blue whale', tags: ['sea', 'fox'] });
    await pipeline.paperVideo(accountId);
    const titles = async (query: object): Promise<string[]> => {
      const { edges } = await pipeline.videos.list(accountId, { first: 10, sort: 'title', ...query });
      return edges.map(({ node }) => node.title);
    };

    expect(await titles({})).toEqual(['Blue whale', 'paper', 'Red Fox at dawn']);
    expect(await titles({ status: 'uploaded' })).toEqual(['paper']);
    expect(await titles({ q: 'fox RED' })).toEqual(['Red Fox at dawn']);
    expect(await titles({ tag: 'fox' })).toEqual(['Blue whale', 'Red Fox at dawn']);
    expect(await titles({ tag: 'fox', q: 'whale', status: 'awaiting_upload' })).toEqual(['Blue whale']);
    expect((await pipeline.videos.list(accountId, { first: 1 })).totalCount).toBe(3);
    expect((await pipeline.videos.list(accountId, { first: 1, status: 'uploaded' })).totalCount).toBe(1);
    expect((await pipeline.videos.list(accountId, { first: 1, q: 'fox' })).totalCount).toBeNull();
  });

  test('filters by metadata, by key or by key and value, and by when a video was created', async () => {
    const accountId = await pipeline.account(0n);
    const { video: paid } = await pipeline.videos.create(accountId, {
      ...file,
      title: 'A',
      metadata: { plan: 'paid' },
    });
    await pipeline.videos.create(accountId, { ...file, title: 'B', metadata: { plan: 'free', note: '{"it\'s": 1}' } });
    await pipeline.videos.create(accountId, { ...file, title: 'C' });
    await pipeline.rows(`update video set created_at = '2026-01-15T12:00:00Z' where id = $1`, [paid.id]);
    const titles = async (query: object): Promise<string> => {
      const { edges, totalCount } = await pipeline.videos.list(accountId, { first: 10, sort: 'title', ...query });
      expect(totalCount).toBeNull();
      return edges.map(({ node }) => node.title).join('');
    };

    expect(await titles({ metadata: { key: 'plan' } })).toBe('AB');
    expect(await titles({ metadata: { key: 'plan', value: 'free' } })).toBe('B');
    expect(await titles({ metadata: { key: 'note', value: '{"it\'s": 1}' } })).toBe('B');
    for (const none of [{ key: 'pla' }, { key: 'free' }, { key: 'plan', value: '' }]) {
      expect(await titles({ metadata: none })).toBe('');
    }
    const january = { createdFrom: new Date('2026-01-01'), createdTo: new Date('2026-02-01') };
    expect(await titles(january)).toBe('A');
    expect(await titles({ createdFrom: january.createdTo })).toBe('BC');
    // The whole id, and the other filters with it.
    expect(await titles({ ...january, q: paid.id, metadata: { key: 'plan', value: 'paid' } })).toBe('A');
    expect(await titles({ ...january, q: paid.id, metadata: { key: 'plan', value: 'free' } })).toBe('');
    expect(await titles({ createdFrom: january.createdTo, q: paid.id })).toBe('');
  });

  test.each([
    { first: 0 },
    { first: 101 },
    { first: 1.5 },
    { after: 'nonsense' },
    { after: Buffer.from('["-createdAt","no time","01a1fc53-3dbc-7cca-829a-106c8e97c9e1"]').toString('base64url') },
    { after: Buffer.from('["title","x","01a1fc53-3dbc-7cca-829a-106c8e97c9e1"]').toString('base64url') },
    { q: 'x'.repeat(201) },
    { metadata: { key: 'x'.repeat(201) } },
    { metadata: { key: 'k', value: 'x'.repeat(501) } },
    { metadata: { key: 'a \u0000 zero' } },
    { createdFrom: new Date(2), createdTo: new Date(1) },
    ...['x', '9'.repeat(30)].map((length) => ({
      sort: 'length' as const,
      after: Buffer.from(`["length","${length}","01a1fc53-3dbc-7cca-829a-106c8e97c9e1"]`).toString('base64url'),
    })),
  ])('refuses %j', async (wrong) => {
    const accountId = await pipeline.account(0n);
    await expect(pipeline.videos.list(accountId, { first: 5, ...wrong })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

function orderKey(video: { createdAt: Date; title: string; durationMs?: bigint | null }, sort: OwnerVideoSort): string {
  if (sort.endsWith('title')) return video.title.toLowerCase();
  return sort.endsWith('length') ? String(video.durationMs ?? 0).padStart(9, '0') : video.createdAt.toISOString();
}
