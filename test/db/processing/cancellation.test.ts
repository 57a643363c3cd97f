import { expect, test } from 'vitest';

import type { CancellationResult } from '../../../src/domain/media/pipeline/processing.service.js';
import { VIDEO_LIMITS } from '../../../src/domain/media/library/videoInput.js';
import { IS_FULL } from '../../support/effort.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { ladderOf } from './paperLadder.js';

const CREDIT = 1_000_000n;
const ALL_BACK = { creative: 10n * CREDIT, escrow: 0n, revenue: 0n, faults: 0 };
const LOCKED = { creative: 8_500_000n, escrow: 1_500_000n, revenue: 0n, faults: 0 };

const { pipeline } = await sceneOfFile();

async function cancel(accountId: string, videoId: string): Promise<CancellationResult | undefined> {
  const [only] = await pipeline.processing.cancel(accountId, [videoId]);
  return only?.result;
}

async function bought() {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const attempt = await pipeline.buy(accountId, videoId, '720p');
  return { accountId, videoId, attempt };
}

test('a purchase that no worker has begun with is returned, its job is gone, and the video can be bought again', async () => {
  const { accountId, videoId, attempt } = await bought();
  await pipeline.rows('update video set auto_process = true where id = $1', [videoId]);
  expect(await cancel(accountId, videoId)).toBe('cancelled');
  expect(await pipeline.books(accountId)).toEqual(ALL_BACK);
  // It waits for its owner, whatever was chosen beforehand.
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({ status: 'uploaded', autoProcess: false });
  expect(await pipeline.processingOf(accountId, videoId)).toMatchObject({ state: 'cancelled', attempt });
  expect(await pipeline.rows(`select state from pgboss.job where data ->> 'videoId' = $1`, [videoId])).toEqual([
    { state: 'cancelled' },
  ]);
  expect(
    await pipeline.rows(`select fact from video_change where video_id = $1 and kind = 'video.cancelled'`, [videoId]),
  ).toEqual([{ fact: 'video.cancelled:attempt:1' }]);

  // A worker that took the job before it was cancelled finds nothing to do.
  expect(await pipeline.attempts.claim({ accountId, videoId, attempt })).toBeNull();
  // Somebody whose response was lost asks again, and learns that it was done.
  expect(await cancel(accountId, videoId)).toBe('cancelled');
  expect(await pipeline.books(accountId)).toEqual(ALL_BACK);
  expect(await pipeline.buy(accountId, videoId, '720p')).toBe(2);
  expect(await pipeline.books(accountId)).toEqual(LOCKED);
});

test('a video that was read before it was bought, or cancelled and bought again, is shown with the processing it had then', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const processingAt = async ({ attempt }: { attempt: number }) =>
    (await pipeline.parts.processing(accountId, [{ uuid: videoId, attempt }]))[0];
  const before = await pipeline.videos.get(accountId, videoId);
  await pipeline.buy(accountId, videoId, '720p');
  expect(await processingAt(before)).toBeNull();
  await cancel(accountId, videoId);
  const cancelled = await pipeline.videos.get(accountId, videoId);
  await pipeline.buy(accountId, videoId, '720p');
  expect(await processingAt(cancelled)).toMatchObject({ attempt: 1, state: 'cancelled' });
  expect(await processingAt(await pipeline.videos.get(accountId, videoId))).toMatchObject({
    attempt: 2,
    state: 'queued',
  });
});

test.each(['cancelled', 'put into the bin and restored'] as const)(
  'a video that failed, was bought again and then %s has failed as before, and can be retried',
  async (how) => {
    const { accountId, videoId, claim } = await pipeline.claimed();
    const failure = { code: 'MEDIA_UNREADABLE', message: 'The sound is damaged.' };
    await pipeline.attempts.fail(claim, failure);
    const { attempt } = await pipeline.processing.retry(accountId, videoId);
    const events = `select count(*)::int as n from event where type = 'video.failed' and data ->> 'uuid' = $1`;
    const failures = await pipeline.rows(events, [videoId]);
    if (how === 'cancelled') expect(await cancel(accountId, videoId)).toBe('cancelled');
    else {
      await pipeline.bin.put(accountId, videoId);
      await pipeline.bin.restore(accountId, videoId);
    }
    expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
      status: 'failed',
      failureCode: failure.code,
      failureMessage: failure.message,
    });
    expect(await pipeline.rows(events, [videoId])).toEqual(failures);
    expect(await pipeline.books(accountId)).toEqual(ALL_BACK);
    expect((await pipeline.processing.retry(accountId, videoId)).attempt).toBe(attempt + 1);
    expect(await pipeline.books(accountId)).toEqual(LOCKED);
  },
);

test('a purchase is kept if a worker has begun with it, also after it was given back, or if it belongs to another account', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  expect(await cancel(accountId, videoId)).toBe('begun');
  await pipeline.attempts.giveBack(claim, { faulted: false });
  expect(await cancel(accountId, videoId)).toBe('begun');
  expect(await pipeline.books(accountId)).toEqual(LOCKED);
  await pipeline.attempts.fail((await pipeline.attempts.claim(claim))!, { code: 'X', message: 'x' });
  expect(await cancel(accountId, videoId)).toBe('over');

  const queued = await bought();
  expect(await cancel(accountId, queued.videoId)).toBeUndefined();
  expect(await pipeline.books(queued.accountId)).toEqual(LOCKED);
});

test('a quote whose purchase was cancelled buys nothing more, and says so', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const choice = { quality: '720p', branding: false, encryption: false } as const;
  const { id } = await pipeline.processing.quote(accountId, videoId, choice);
  await pipeline.processing.process(accountId, id);
  await pipeline.processing.cancel(accountId, [videoId]);
  await expect(pipeline.processing.process(accountId, id)).rejects.toMatchObject({ code: 'QUOTE_EXPIRED' });
  expect(await pipeline.books(accountId)).toEqual(ALL_BACK);
  // The next quote is another one, also at the same price.
  const next = await pipeline.processing.quote(accountId, videoId, choice);
  expect(await pipeline.processing.process(accountId, next.id)).toEqual({ videoId, attempt: 2 });
  await expect(pipeline.processing.process(accountId, id)).rejects.toMatchObject({ code: 'QUOTE_EXPIRED' });
  expect(await pipeline.books(accountId)).toEqual(LOCKED);
});

test('of a cancellation and a worker that begins, exactly one happens', async () => {
  let cancellations = 0;
  const rounds = IS_FULL ? 200 : 40;
  for (let round = 0; round < rounds; round += 1) {
    const { accountId, videoId, attempt } = await bought();
    const cancelled = () => cancel(accountId, videoId);
    const claim = () => pipeline.attempts.claim({ accountId, videoId, attempt });
    // Each is first in half of the rounds.
    const [result, claimed] =
      round % 2 === 0
        ? await Promise.all([cancelled(), claim()])
        : await Promise.all([claim(), cancelled()]).then(([one, other]) => [other, one] as const);
    expect(result).toBe(claimed === null ? 'cancelled' : 'begun');
    expect(await pipeline.books(accountId)).toEqual(claimed ? LOCKED : ALL_BACK);
    if (claimed) await pipeline.attempts.finish(claimed, ladderOf(['720p', '480p']));
    else cancellations += 1;
    expect((await pipeline.videos.get(accountId, videoId)).status).toBe(claimed ? 'ready' : 'uploaded');
  }
  expect(cancellations).toBeGreaterThan(0);
  expect(cancellations).toBeLessThan(rounds);
});

test('a cancellation that comes many times at once, with the bin, returns the credits once', async () => {
  for (let round = 0; round < (IS_FULL ? 100 : 15); round += 1) {
    const { accountId, videoId } = await bought();
    const [, ...results] = await Promise.all([
      pipeline.bin.put(accountId, videoId),
      ...Array.from({ length: 4 }, () => cancel(accountId, videoId)),
    ]);
    expect(results.filter((result) => result !== undefined && result !== 'cancelled')).toEqual([]);
    expect(await pipeline.books(accountId)).toEqual(ALL_BACK);
  }
});

test('cancelling is no way around the limit of unprocessed videos', async () => {
  const { accountId, videoId } = await bought();
  await pipeline.rows('update video_count set failed = $2 where account_id = $1', [
    accountId,
    VIDEO_LIMITS.unprocessed,
  ]);
  expect(await cancel(accountId, videoId)).toBe('limit');
  expect(await pipeline.books(accountId)).toEqual(LOCKED);
  await pipeline.rows('update video_count set failed = 0 where account_id = $1', [accountId]);
  expect(await cancel(accountId, videoId)).toBe('cancelled');
});

test('one call cancels 1 to 100 purchases', async () => {
  const { accountId, videoId } = await bought();
  for (const ids of [[], Array.from({ length: 101 }, () => videoId)]) {
    await expect(pipeline.processing.cancel(accountId, ids)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  }
  expect(await pipeline.books(accountId)).toEqual(LOCKED);
});
