import { Readable } from 'node:stream';

import { describe, expect, test } from 'vitest';

import { VIDEO_LIMITS } from '../../../src/domain/media/library/videoInput.js';
import { IS_FULL } from '../../support/effort.js';
import { eventsOf, eventTypesOf } from '../../support/events/log.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { ladderOf } from '../processing/paperLadder.js';

const ROUNDS = 200;
const CREDIT = 1_000_000n;
const ALL_BACK = { creative: 10n * CREDIT, escrow: 0n, revenue: 0n, faults: 0 };
const NOT_FOUND = { code: 'VIDEO_NOT_FOUND' };

const { pipeline } = await sceneOfFile();

async function rowOf(videoId: string): Promise<Record<string, unknown>> {
  const [row] = await pipeline.rows<Record<string, unknown>>('select * from video where id = $1', [videoId]);
  return row!;
}

async function ready() {
  const made = await pipeline.claimed({ encryption: true });
  await pipeline.mediaKeys.create(made.claim, 1);
  const file = `${made.claim.outputPrefix}720p/seg_00000.m4s`;
  await pipeline.store.put(file, Readable.from(['x']), { sizeBytes: 1 });
  await pipeline.attempts.finish(made.claim, ladderOf(['720p', '480p']));
  return { ...made, file };
}

/** A week passes for what is in the account's bin. */
async function aWeekPasses(accountId: string): Promise<void> {
  await pipeline.rows(`update video set purge_after = purge_after - interval '7 days' where account_id = $1`, [
    accountId,
  ]);
}

function whatIsLeft(videoId: string): Promise<{ what: string }[]> {
  return pipeline.rows(
    `select 'object' as what from stored_object where video_id = $1 and removed_at is null
      union all select 'key' from media_key where video_id = $1`,
    [videoId],
  );
}

describe('a video that plays', () => {
  test('is hidden in the bin, keeps and pays for its files, and comes back unchanged', async () => {
    const { accountId, videoId } = await ready();
    const [before, books, kept] = [await rowOf(videoId), await pipeline.books(accountId), await whatIsLeft(videoId)];

    await pipeline.bin.put(accountId, videoId);
    expect(await pipeline.videos.find(accountId, videoId)).toBeNull();
    await expect(pipeline.bin.put(accountId, videoId)).rejects.toMatchObject(NOT_FOUND);
    await expect(pipeline.videos.delete(accountId, videoId)).rejects.toMatchObject(NOT_FOUND);
    await pipeline.leftovers.sweepStore();
    expect(await whatIsLeft(videoId)).toEqual(kept);
    const { rows, totalCount, storedBytes } = await pipeline.bin.page(accountId, { first: 2, after: null });
    expect([rows.map(({ id }) => id), totalCount, storedBytes]).toEqual([[videoId], 1, 1000n]);
    const { purge_after: end, deleted_at: start } = rows[0]!;
    expect(Date.parse(end) - Date.parse(start)).toBe(7 * 86_400_000);

    const restored = await pipeline.bin.restore(accountId, videoId);
    expect(restored).toMatchObject({ status: 'ready', playableRungs: ['720p', '480p'] });
    const after = await rowOf(videoId);
    expect(after).toEqual({ ...before, deletions: 1, updated_at: after['updated_at'] });
    expect(await pipeline.books(accountId)).toEqual(books);
    await expect(pipeline.bin.restore(accountId, videoId)).rejects.toMatchObject(NOT_FOUND);
    expect((await pipeline.bin.page(accountId, { first: 2, after: null })).totalCount).toBe(0);
  });

  test('has an event for each deletion and each restoration, and none for its end', async () => {
    const { accountId, videoId } = await ready();
    await pipeline.bin.put(accountId, videoId);
    await pipeline.bin.restore(accountId, videoId);
    await pipeline.bin.put(accountId, videoId);
    await pipeline.bin.deleteForever(accountId, videoId);
    const events = (await eventsOf(pipeline.db, accountId)).slice(2);
    expect(events.map(({ type, data }) => [type, data['status']])).toEqual([
      ['video.deleted', 'ready'],
      ['video.restored', 'ready'],
      ['video.deleted', 'ready'],
    ]);
  });

  test('keeps its files from the search for files without an owner until it is deleted for good', async () => {
    const { accountId, videoId, file } = await ready();
    await pipeline.bin.put(accountId, videoId);
    // As if rows had been lost: only the video itself still names the files.
    await pipeline.rows(
      'update stored_object set removed_at = service_now(), swept_at = service_now() where video_id = $1',
      [videoId],
    );
    await pipeline.rows(
      'update processing_output set doomed_at = service_now(), sweep_after = null where video_id = $1',
      [videoId],
    );
    expect(await pipeline.removeOrphans()).toBe(0);
    expect(await pipeline.keys(file)).toEqual([file]);
    await pipeline.bin.deleteForever(accountId, videoId);
    await pipeline.rows('update processing_output set sweep_after = null where video_id = $1', [videoId]);
    expect(await pipeline.removeOrphans()).toBe(1);
    expect(await pipeline.keys(file)).toEqual([]);
  });

  test('is deleted for good after a week, with every file and key', async () => {
    const { accountId, videoId, file } = await ready();
    await pipeline.bin.put(accountId, videoId);
    expect(await pipeline.bin.purgeDue()).toBe(0);
    await aWeekPasses(accountId);
    await expect(pipeline.bin.restore(accountId, videoId)).rejects.toMatchObject(NOT_FOUND);
    expect((await pipeline.bin.page(accountId, { first: 2, after: null })).rows).toEqual([]);

    await expect(pipeline.bin.purgeDue(AbortSignal.abort())).rejects.toThrow();
    expect(await pipeline.keys(file)).toEqual([file]);
    expect(await pipeline.bin.purgeDue()).toBe(1);
    expect(await pipeline.bin.purgeDue()).toBe(0);
    await pipeline.leftovers.sweepStore();
    expect(await pipeline.keys(file)).toEqual([]);
    expect(await whatIsLeft(videoId)).toEqual([]);
    expect(await rowOf(videoId)).toMatchObject({ purge_after: null, playable_rungs: [], poster_path: null });
  });
});

describe('the money of a video that goes to the bin', () => {
  test.each(['queued', 'processing', 'playing early'] as const)(
    'while it is %s comes back whole, nothing of the purchase plays, and it can be bought again',
    async (state) => {
      const accountId = await pipeline.account(10n);
      const videoId = await pipeline.paperVideo(accountId);
      const attempt = await pipeline.buy(accountId, videoId, '720p', { encryption: true });
      const job = { accountId, videoId, attempt };
      const claim = state === 'queued' ? null : await pipeline.attempts.claim(job);
      if (claim && state === 'playing early') {
        await pipeline.mediaKeys.create(claim, 1);
        await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
      }

      await pipeline.bin.put(accountId, videoId);
      expect(await pipeline.books(accountId)).toEqual(ALL_BACK);
      expect(await whatIsLeft(videoId)).toEqual([]);
      if (claim) await expect(pipeline.attempts.finish(claim, ladderOf(['720p']))).rejects.toThrow();

      const restored = await pipeline.bin.restore(accountId, videoId);
      expect(restored).toMatchObject({ status: 'uploaded', playableRungs: [], posterPath: null, failureCode: null });
      if (claim) await expect(pipeline.attempts.finish(claim, ladderOf(['720p']))).rejects.toThrow();
      expect(await pipeline.attempts.claim(job)).toBeNull();
      expect(await pipeline.books(accountId)).toEqual(ALL_BACK);

      const again = await pipeline.buy(accountId, videoId, '720p');
      const next = await pipeline.attempts.claim({ accountId, videoId, attempt: again });
      await pipeline.attempts.finish(next!, ladderOf(['720p', '480p']));
      expect(await pipeline.books(accountId)).toEqual({ ...ALL_BACK, creative: 8_500_000n, revenue: 1_500_000n });
      expect((await eventTypesOf(pipeline.db, accountId)).slice(-2)).toEqual(['video.playable', 'video.ready']);
    },
  );

  test('is exact in every order of a stage, the end, the bin and a restoration', async () => {
    for (let round = 0; round < (IS_FULL ? ROUNDS : 40); round += 1) {
      const { accountId, videoId, claim } = await pipeline.claimed();
      await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
      const [finished, put] = await Promise.allSettled([
        pipeline.attempts.finish(claim, ladderOf(['720p'], { pictures: false })),
        pipeline.bin.put(accountId, videoId),
        pipeline.bin.restore(accountId, videoId),
      ]);
      expect(put.status).toBe('fulfilled');
      await pipeline.bin.restore(accountId, videoId).catch(() => undefined);

      const [video, { creative, escrow }] = [
        await rowOf(videoId),
        await pipeline.wallet
          .balances(accountId)
          .then(({ CREATIVE, ESCROW }) => ({ creative: CREATIVE, escrow: ESCROW })),
      ];
      const isPaid = finished.status === 'fulfilled';
      expect([creative, escrow]).toEqual([isPaid ? 8_500_000n : 10n * CREDIT, 0n]);
      expect([video['status'], video['playable_rungs']]).toEqual(
        isPaid ? ['ready', ['720p', '480p']] : ['uploaded', []],
      );
    }
  });
});

test('a video whose file has not arrived is deleted for good, with its upload', async () => {
  const accountId = await pipeline.account(0n);
  const { video } = await pipeline.videos.create(accountId, { filename: 'a.mp4', sizeBytes: 10 });
  await pipeline.bin.put(accountId, video.id);
  expect((await pipeline.bin.page(accountId, { first: 2, after: null })).totalCount).toBe(0);
  await expect(pipeline.bin.restore(accountId, video.id)).rejects.toMatchObject(NOT_FOUND);
  expect(await eventTypesOf(pipeline.db, accountId)).toEqual(['video.deleted']);
});

test('of a restoration and the end, exactly one happens', async () => {
  const accountId = await pipeline.account(0n);
  let restorations = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const videoId = await pipeline.paperVideo(accountId);
    await pipeline.bin.put(accountId, videoId);
    const restore = () => pipeline.bin.restore(accountId, videoId);
    const end = () => pipeline.bin.deleteForever(accountId, videoId);
    const both = round % 2 === 0 ? [restore(), end(), restore()] : [end(), restore(), end()];
    const won = (await Promise.allSettled(both)).filter(({ status }) => status === 'fulfilled');
    expect(won).toHaveLength(1);
    const isRestored = (await rowOf(videoId))['deleted_at'] === null;
    expect((await pipeline.videos.find(accountId, videoId)) !== null).toBe(isRestored);
    if (isRestored) restorations += 1;
  }
  const types = await eventTypesOf(pipeline.db, accountId);
  expect(types.filter((type) => type === 'video.deleted')).toHaveLength(ROUNDS);
  expect(types.filter((type) => type === 'video.restored')).toHaveLength(restorations);
  const [count] = await pipeline.rows<{ uploaded: string }>('select uploaded from video_count where account_id = $1', [
    accountId,
  ]);
  expect(Number(count!.uploaded)).toBe(restorations);
});

describe('the bin', () => {
  test('is emptied in batches, and keeps what was deleted after the first', async () => {
    const [accountId, other] = [await pipeline.account(0n), await pipeline.account(0n)];
    const insert = (account: string, videos: number) =>
      pipeline.rows(
        `insert into video (account_id, id, title, status, deleted_at, purge_after)
          select $1, gen_random_uuid(), 'v' || n, 'failed', service_now(), service_now() + interval '1 day'
          from generate_series(1, $2) n`,
        [account, videos],
      );
    await insert(accountId, 130);
    await insert(other, 1);
    const first = await pipeline.bin.empty(accountId, null);
    expect(first).toMatchObject({ deleted: 100, remaining: 30 });
    await insert(accountId, 1);
    expect(await pipeline.bin.empty(accountId, first.until)).toMatchObject({ deleted: 30, remaining: 0 });
    expect((await pipeline.bin.page(accountId, { first: 2, after: null })).totalCount).toBe(1);
    expect((await pipeline.bin.page(other, { first: 2, after: null })).totalCount).toBe(1);
  });

  test('is listed newest first, each video once, though many have the same time', async () => {
    const accountId = await pipeline.account(0n);
    await pipeline.rows(
      `insert into video (account_id, id, title, status, deleted_at, purge_after)
        select $1, gen_random_uuid(), 'v' || n, 'failed', t - n / 4 * interval '1 microsecond', t + interval '1 day'
        from generate_series(1, 23) n, (select service_now() as t) t`,
      [accountId],
    );
    const seen: string[] = [];
    for (let after: string | null = null; ;) {
      const { rows } = await pipeline.bin.page(accountId, { first: 6, after });
      seen.push(...rows.slice(0, 5).map(({ id }) => id));
      if (rows.length < 6) break;
      after = rows[4]!.cursor;
    }
    expect(new Set(seen).size).toBe(23);
    expect(seen).toHaveLength(23);
    for (const wrong of ['', 'x', '1', '1.2', `99999999999999999.${'0'.repeat(36)}`]) {
      const page = pipeline.bin.page(accountId, { first: 1, after: wrong });
      await expect(page).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
  });

  test('is no way around the limit of unprocessed videos', async () => {
    const accountId = await pipeline.account(0n);
    const videoId = await pipeline.paperVideo(accountId);
    await pipeline.bin.put(accountId, videoId);
    await pipeline.rows('update video_count set failed = $2 where account_id = $1', [
      accountId,
      VIDEO_LIMITS.unprocessed,
    ]);
    await expect(pipeline.bin.restore(accountId, videoId)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    await pipeline.rows('update video_count set failed = 0 where account_id = $1', [accountId]);
    await pipeline.bin.restore(accountId, videoId);
  });

  test('belongs to its account alone', async () => {
    const [accountId, stranger] = [await pipeline.account(0n), await pipeline.account(0n)];
    const videoId = await pipeline.paperVideo(accountId);
    await expect(pipeline.bin.put(stranger, videoId)).rejects.toMatchObject(NOT_FOUND);
    await pipeline.bin.put(accountId, videoId);
    expect(await pipeline.bin.restoreAll(stranger, [videoId])).toEqual([]);
    await expect(pipeline.bin.deleteForever(stranger, videoId)).rejects.toMatchObject(NOT_FOUND);
    expect(await pipeline.bin.empty(stranger, null)).toMatchObject({ deleted: 0, remaining: 0 });
    expect(await pipeline.bin.restoreAll(accountId, [videoId, videoId])).toEqual([videoId]);
    // A program whose response was lost asks again.
    expect(await pipeline.bin.restoreAll(accountId, [videoId])).toEqual([videoId]);
  });
});
