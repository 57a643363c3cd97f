import { expect, test } from 'vitest';

import type { Claim } from '../../../src/domain/media/pipeline/attempt.service.js';
import { FencedError, MAX_FAULTS } from '../../../src/domain/media/pipeline/attempt.service.js';
import type { EncodedRendition } from '../../../src/ports/transcoder.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { ladderOf } from './paperLadder.js';

const CREDIT = 1_000_000n;
const PROGRESS = { step: 'encoding', percent: 10, speed: 1, etaSeconds: 9 };
const FAILURE = { code: 'SOURCE_DAMAGED', message: 'The file ends early.' };

const { pipeline } = await sceneOfFile();

test('publishing makes a video ready and charges the price once', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  await pipeline.attempts.finish(claim, ladderOf(['720p', '480p']));

  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'ready',
    playableRungs: ['720p', '480p'],
    picturesPrefix: claim.outputPrefix,
  });
  await expect(pipeline.attempts.finish(claim, ladderOf(['720p']))).rejects.toBeInstanceOf(FencedError);
  expect(await pipeline.books(accountId)).toEqual({
    creative: 10n * CREDIT - 1_500_000n,
    escrow: 0n,
    revenue: 1_500_000n,
    faults: 0,
  });
});

test('a ladder that came out lower costs its own price, and the rest is released', async () => {
  const { accountId, claim } = await pipeline.claimed();
  await pipeline.attempts.finish(claim, ladderOf(['480p']));

  expect(await pipeline.books(accountId)).toEqual({ creative: 9n * CREDIT, escrow: 0n, revenue: CREDIT, faults: 0 });
});

test('a ladder that came out lower is still charged for encryption', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const attempt = await pipeline.buy(accountId, videoId, '720p', { encryption: true });
  expect((await pipeline.books(accountId)).escrow).toBe(2n * CREDIT);
  const claim = await pipeline.attempts.claim({ accountId, videoId, attempt });
  await pipeline.attempts.finish(claim!, ladderOf(['480p']));

  const charged = 1_500_000n;
  const creative = 10n * CREDIT - charged;
  expect(await pipeline.books(accountId)).toEqual({ creative, escrow: 0n, revenue: charged, faults: 0 });
});

test('every statement of a run that was replaced is refused', async () => {
  const { accountId, videoId, claim: stale } = await pipeline.claimed();
  const fresh = (await pipeline.attempts.claim(stale))!;
  expect(fresh.run).toBe(stale.run + 1);
  expect(fresh.outputPrefix).not.toBe(stale.outputPrefix);

  expect(await pipeline.attempts.report(stale, PROGRESS)).toBe(false);
  expect(await pipeline.attempts.giveBack(stale, { faulted: true })).toBe(false);
  expect(await pipeline.attempts.fail(stale, FAILURE)).toBe(false);
  await expect(pipeline.attempts.finish(stale, ladderOf(['720p']))).rejects.toBeInstanceOf(FencedError);
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({ status: 'processing', playableRungs: [] });
  expect((await pipeline.books(accountId)).escrow).toBe(1_500_000n);

  expect(await pipeline.attempts.report(fresh, PROGRESS)).toBe(true);
  await pipeline.attempts.finish(fresh, ladderOf(['720p']));
  expect((await pipeline.videos.get(accountId, videoId)).picturesPrefix).toBe(fresh.outputPrefix);
});

test('a run knows what the renditions cost that earlier runs published', async () => {
  const { claim: lost } = await pipeline.claimed();
  expect(lost.publishedBitrates).toEqual([]);
  await pipeline.attempts.publishRenditions(lost, ladderOf(['480p']));
  const next = (await pipeline.attempts.claim(lost))!;
  const [{ quality, averageBandwidthBps }] = ladderOf(['480p']).renditions as [EncodedRendition];
  expect(next.publishedBitrates).toEqual([{ quality, averageBandwidthBps }]);
});

test('progress never decreases, not even when another worker starts over', async () => {
  const { accountId, videoId, claim: lost } = await pipeline.claimed();
  await pipeline.attempts.report(lost, { ...PROGRESS, percent: 60 });
  const next = (await pipeline.attempts.claim(lost))!;
  await pipeline.attempts.report(next, { ...PROGRESS, percent: 20 });
  expect((await pipeline.processingOf(accountId, videoId)).percent).toBe(60);
  await pipeline.attempts.report(next, { ...PROGRESS, percent: 70 });
  expect((await pipeline.processingOf(accountId, videoId)).percent).toBe(70);
});

test('exactly one of publishing, failure and deletion happens when they race', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { accountId, videoId, claim } = await pipeline.claimed();
    const [published, failed, deleted] = await Promise.allSettled([
      pipeline.attempts.finish(claim, ladderOf(['720p'])),
      pipeline.attempts.fail(claim, FAILURE),
      pipeline.videos.delete(accountId, videoId),
    ]);

    const { state } = await pipeline.processingOf(accountId, videoId);
    expect(deleted.status).toBe('fulfilled');
    expect(published.status).toBe(state === 'succeeded' ? 'fulfilled' : 'rejected');
    expect(failed).toMatchObject({ status: 'fulfilled', value: state === 'failed' });
    expect(await pipeline.books(accountId)).toEqual(
      state === 'succeeded'
        ? { creative: 8_500_000n, escrow: 0n, revenue: 1_500_000n, faults: 0 }
        : { creative: 10n * CREDIT, escrow: 0n, revenue: 0n, faults: 0 },
    );
    await expect(pipeline.videos.get(accountId, videoId)).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' });
  }
});

test('a failure releases everything, gives its reason, and can be retried with the same choice', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  expect(await pipeline.attempts.fail(claim, FAILURE)).toBe(true);

  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'failed',
    failureCode: 'SOURCE_DAMAGED',
    failureMessage: 'The file ends early.',
  });
  expect(await pipeline.books(accountId)).toMatchObject({ creative: 10n * CREDIT, escrow: 0n });
  expect(await pipeline.attempts.claim(claim)).toBeNull();

  await expect(pipeline.processing.retry(accountId, videoId)).resolves.toEqual({ videoId, attempt: 2 });
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'queued',
    quality: '720p',
    failureCode: null,
  });
  const again = (await pipeline.attempts.claim({ accountId, videoId, attempt: 2 }))!;
  expect(again.outputPrefix).toContain('/2-1/');
  // The worker of the first attempt, should it wake up, is still refused.
  await expect(pipeline.attempts.finish(claim, ladderOf(['720p']))).rejects.toBeInstanceOf(FencedError);
  await pipeline.attempts.finish(again, ladderOf(['720p']));
  expect((await pipeline.books(accountId)).revenue).toBe(1_500_000n);
});

test('a job that comes again after the end does nothing', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  await pipeline.attempts.finish(claim, ladderOf(['720p']));
  expect(await pipeline.attempts.claim(claim)).toBeNull();

  const deleted = await pipeline.claimed();
  await pipeline.videos.delete(deleted.accountId, deleted.videoId);
  expect(await pipeline.attempts.claim(deleted.claim)).toBeNull();
  expect((await pipeline.videos.get(accountId, videoId)).status).toBe('ready');
});

test('an attempt ends without a charge after too many lost runs', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  for (let lost = 0; lost < MAX_FAULTS; lost += 1) expect(await pipeline.attempts.claim(claim)).not.toBeNull();
  expect(await pipeline.attempts.claim(claim)).toBeNull();

  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'failed',
    failureCode: 'PROCESSING_FAILED',
  });
  expect(await pipeline.books(accountId)).toMatchObject({ creative: 10n * CREDIT, escrow: 0n, faults: 0 });
});

test('workers may give back an attempt in good order any number of times', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  let held: Claim | null = claim;
  for (let stops = 0; stops < MAX_FAULTS * 2; stops += 1) {
    expect(await pipeline.attempts.giveBack(held, { faulted: false })).toBe(true);
    held = (await pipeline.attempts.claim(claim))!;
  }
  await pipeline.attempts.finish(held, ladderOf(['720p']));
  expect((await pipeline.videos.get(accountId, videoId)).status).toBe('ready');
});

test('a run knows how long ago its attempt was bought, with the waiting and the runs before it', async () => {
  const { accountId, claim } = await pipeline.claimed();
  expect(claim.secondsSinceBought).toBeGreaterThanOrEqual(0);
  expect(claim.secondsSinceBought).toBeLessThan(600);
  expect(await pipeline.attempts.giveBack(claim, { faulted: false })).toBe(true);
  await pipeline.rows(`update processing set queued_at = queued_at - interval '1 hour' where account_id = $1`, [
    accountId,
  ]);
  const { secondsSinceBought } = (await pipeline.attempts.claim(claim))!;
  expect(secondsSinceBought).toBeGreaterThanOrEqual(3600);
  expect(secondsSinceBought).toBeLessThan(4200);
});

test('an attempt whose job is gone is abandoned, and no other', async () => {
  const lost = await pipeline.claimed();
  const live = await pipeline.claimed();
  await pipeline.rows(`update processing set queued_at = queued_at - interval '1 hour' where account_id = any ($1)`, [
    [lost.accountId, live.accountId],
  ]);
  await pipeline.rows(`delete from pgboss.job where name = 'process-video' and data->>'videoId' = $1`, [lost.videoId]);

  await pipeline.leftovers.abandonOrphans();

  expect((await pipeline.videos.get(lost.accountId, lost.videoId)).status).toBe('failed');
  expect(await pipeline.books(lost.accountId)).toMatchObject({ creative: 10n * CREDIT, escrow: 0n, faults: 0 });
  expect((await pipeline.videos.get(live.accountId, live.videoId)).status).toBe('processing');
  expect((await pipeline.books(live.accountId)).escrow).toBe(1_500_000n);
});

test('an escrow without an attempt is released, and no other', async () => {
  const { accountId, videoId } = await pipeline.claimed();
  const queued = await pipeline.account(10n);
  const waiting = await pipeline.paperVideo(queued);
  await pipeline.buy(queued, waiting, '720p');
  const old = `update escrow set created_at = created_at - interval '1 hour' where video_id = any ($1)`;
  await pipeline.rows(old, [[videoId, waiting]]);
  await pipeline.rows(`update processing set state = 'failed' where video_id = $1`, [videoId]);

  await pipeline.leftovers.abandonOrphans();

  expect(await pipeline.books(accountId)).toMatchObject({ creative: 10n * CREDIT, escrow: 0n, faults: 0 });
  expect((await pipeline.books(queued)).escrow).toBe(1_500_000n);
});
