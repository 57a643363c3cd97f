import { Readable } from 'node:stream';

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Claim } from '../../../src/domain/media/pipeline/attempt.service.js';
import { FencedError, MAX_FAULTS } from '../../../src/domain/media/pipeline/attempt.service.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import { moveObjects } from '../../../src/domain/media/objects/moveObjects.js';
import { holdStore, ifStoreIsNotHeld } from '../../../src/domain/shared/processLock.js';
import type { RenditionQuality } from '../../../src/ports/transcoder.js';
import { openScene, type Pipeline, type PipelineScene } from '../../support/worker/pipeline.js';
import { ladderOf } from './paperLadder.js';

const CREDIT = 1_000_000n;
const FAILURE = { code: 'SOURCE_DAMAGED', message: 'The file ends early.' };
const ALL_BACK = { creative: 10n * CREDIT, escrow: 0n, revenue: 0n, faults: 0 };
/** After a minute of 480p, and of 720p. */
const LOW = { creative: 9n * CREDIT, escrow: 0n, revenue: CREDIT, faults: 0 };
const FULL = { creative: 8_500_000n, escrow: 0n, revenue: 1_500_000n, faults: 0 };

let scene: PipelineScene;
let pipeline: Pipeline;
let media: PublishedMedia;

beforeAll(async () => {
  scene = await openScene();
  pipeline = scene.pipeline;
  // Shows changes of a test at once.
  media = new PublishedMedia(pipeline.db.sql, { maxAgeMs: 0 });
});

afterAll(() => scene.close());

test('a stage plays while the rest is made, and nothing is charged before the end', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p', 'audio']));

  const early = await pipeline.videos.get(accountId, videoId);
  expect(early).toMatchObject({ status: 'processing', playableRungs: ['480p', 'audio'], readyAt: null });
  expect(early.posterPath).toContain('media/posters/');
  expect(await variants(accountId, videoId)).toEqual(['1-1/480p', '1-1/audio']);
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 1_500_000n, revenue: 0n });

  await pipeline.attempts.finish(claim, ladderOf(['720p'], { pictures: false }));

  const ready = await pipeline.videos.get(accountId, videoId);
  expect(ready).toMatchObject({ status: 'ready', playableRungs: ['720p', '480p', 'audio'], failureCode: null });
  expect(ready.posterPath).toBe(early.posterPath);
  expect(await variants(accountId, videoId)).toEqual(['1-1/720p', '1-1/480p', '1-1/audio']);
  expect(await pipeline.books(accountId)).toEqual(FULL);
});

test('a later run learns what is published, and adds its renditions beside it', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  expect(claim.published).toEqual({ renditions: [], pictures: false });
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p', 'audio']));
  const later = (await pipeline.attempts.claim(claim))!;
  expect(later.published).toEqual({ renditions: ['480p', 'audio'], pictures: true });

  await expect(pipeline.attempts.publishRenditions(claim, ladderOf(['720p']))).rejects.toBeInstanceOf(FencedError);
  await expect(pipeline.attempts.finish(claim, ladderOf(['720p']))).rejects.toBeInstanceOf(FencedError);
  expect(await pipeline.attempts.fail(claim, FAILURE)).toBe(false);
  expect(await variants(accountId, videoId)).toEqual(['1-1/480p', '1-1/audio']);

  await pipeline.attempts.finish(later, ladderOf(['720p'], { pictures: false }));
  expect(await variants(accountId, videoId)).toEqual(['1-2/720p', '1-1/480p', '1-1/audio']);
  expect(await pipeline.books(accountId)).toEqual(FULL);
});

test('a poster chosen by the owner during early play is kept', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p', 'audio'], { pictures: false }));
  const choose = `update video set poster_path = 'media/posters/chosen', poster_key = 'posters/chosen.jpg' where id = $1`;
  await pipeline.db.sql.query({ name: 'test-choose', text: choose }, [videoId]);
  await pipeline.attempts.publishRenditions(claim, ladderOf([]));
  expect((await pipeline.videos.get(accountId, videoId)).posterPath).toContain('media/posters/chosen');
});

test('a run that finds everything published only settles', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  await pipeline.attempts.publishRenditions(claim, ladderOf(['720p', '480p']));
  const later = (await pipeline.attempts.claim(claim))!;
  await pipeline.attempts.finish(later, null);

  expect((await pipeline.videos.get(accountId, videoId)).status).toBe('ready');
  expect(await pipeline.books(accountId)).toEqual(FULL);
});

test('an attempt cannot finish without a playable rendition', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  await expect(pipeline.attempts.finish(claim, null)).rejects.toBeInstanceOf(FencedError);

  expect((await pipeline.videos.get(accountId, videoId)).status).toBe('processing');
  expect((await pipeline.processingOf(accountId, videoId)).state).toBe('running');
  expect((await pipeline.books(accountId)).escrow).toBe(1_500_000n);
});

test('if the rest fails for good, only what plays is charged, and the owner sees why', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p', 'audio']));
  expect(await pipeline.attempts.fail(claim, FAILURE)).toBe(true);

  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'ready',
    quality: '720p',
    playableRungs: ['480p', 'audio'],
    failureCode: 'SOURCE_DAMAGED',
    failureMessage: 'The file ends early. Only 480p was made and charged.',
  });
  expect(await pipeline.processingOf(accountId, videoId)).toMatchObject({
    state: 'succeeded',
    failureCode: 'SOURCE_DAMAGED',
  });
  expect(await pipeline.books(accountId)).toEqual(LOW);
  // A second purchase would leave viewers with two ladders.
  await expect(pipeline.processing.retry(accountId, videoId)).rejects.toMatchObject({ code: 'INVALID_STATE' });
});

test('light pictures are free: with sound it is sound that is charged, and without it nothing', async () => {
  const sounded = await pipeline.claimed();
  await pipeline.attempts.publishRenditions(sounded.claim, ladderOf(['360p', 'audio']));
  await pipeline.attempts.fail(sounded.claim, FAILURE);
  expect(await pipeline.videos.get(sounded.accountId, sounded.videoId)).toMatchObject({
    status: 'ready',
    playableRungs: ['360p', 'audio'],
    failureMessage: 'The file ends early. Only 360p was made; you were charged for audio.',
  });
  expect((await pipeline.books(sounded.accountId)).revenue).toBe(250_000n);

  const silent = await pipeline.claimed({ encryption: true });
  await pipeline.attempts.publishRenditions(silent.claim, ladderOf(['360p']));
  await pipeline.attempts.fail(silent.claim, FAILURE);
  expect(await pipeline.videos.get(silent.accountId, silent.videoId)).toMatchObject({
    status: 'ready',
    playableRungs: ['360p'],
    failureMessage: 'The file ends early. Only 360p was made; you were not charged.',
  });
  expect(await variants(silent.accountId, silent.videoId)).toEqual(['1-1/360p']);
  expect(await pipeline.books(silent.accountId)).toEqual(ALL_BACK);
});

test.each([
  [['audio'] as RenditionQuality[], false, 250_000n],
  [['360p', 'audio'] as RenditionQuality[], true, 750_000n],
  [['audio'] as RenditionQuality[], true, 750_000n],
  [['480p', '432p', '360p'] as RenditionQuality[], true, 1_500_000n],
  [['720p'] as RenditionQuality[], true, 2_000_000n],
])('the price is that of the best rendition made: %j, encrypted %s', async (renditions, encryption, dueMicros) => {
  const { accountId, claim } = await pipeline.claimed({ encryption });
  await pipeline.attempts.publishRenditions(claim, ladderOf(renditions, { pictures: renditions[0] !== 'audio' }));
  await pipeline.attempts.fail(claim, FAILURE);

  const creative = 10n * CREDIT - dueMicros;
  expect(await pipeline.books(accountId)).toEqual({ creative, escrow: 0n, revenue: dueMicros, faults: 0 });
});

test('an attempt with too many lost runs ends with what the first of them published', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
  for (let lost = 0; lost < MAX_FAULTS; lost += 1) expect(await pipeline.attempts.claim(claim)).not.toBeNull();
  expect(await pipeline.attempts.claim(claim)).toBeNull();

  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'ready',
    failureMessage: 'Processing kept failing on our side. Only 480p was made and charged.',
  });
  expect(await pipeline.books(accountId)).toEqual(LOW);
});

test('an attempt without a job, and an escrow left behind, also end with what was published', async () => {
  const lost = await pipeline.claimed();
  const left = await pipeline.claimed();
  const deleted = await pipeline.claimed();
  for (const { claim } of [lost, left, deleted]) await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));

  expect(await pipeline.attempts.abandon(lost.claim)).toBe(true);
  expect(await pipeline.attempts.abandon(lost.claim)).toBe(false);
  await sql(`update processing set state = 'failed' where video_id = any ($1)`, [[left.videoId, deleted.videoId]]);
  await sql(`update video set deleted_at = service_now() where id = $1`, [deleted.videoId]);
  for (const { claim } of [left, deleted]) expect(await pipeline.attempts.releaseOrphan(claim)).toBe(true);

  expect(await pipeline.books(lost.accountId)).toEqual(LOW);
  expect(await pipeline.books(left.accountId)).toEqual(LOW);
  expect(await pipeline.books(deleted.accountId)).toEqual(ALL_BACK);
});

test('deletion between two stages releases everything, and nothing plays', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
  await pipeline.videos.delete(accountId, videoId);

  await expect(pipeline.attempts.finish(claim, ladderOf(['720p']))).rejects.toBeInstanceOf(FencedError);
  expect(await media.masterPlaylist(accountId, videoId)).toBeNull();
  expect(await pipeline.books(accountId)).toEqual(ALL_BACK);
});

test('balances are exact in every order of a stage, the end and a deletion', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { accountId, videoId, claim } = await pipeline.claimed();
    await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
    const [finished, failed] = await Promise.allSettled([
      pipeline.attempts.finish(claim, ladderOf(['720p'])),
      pipeline.attempts.fail(claim, FAILURE),
      pipeline.attempts.claim(claim),
      ...(round % 2 === 0 ? [pipeline.videos.delete(accountId, videoId)] : []),
    ]);

    const { state } = await pipeline.processingOf(accountId, videoId);
    const books = await pipeline.books(accountId);
    if (finished.status === 'fulfilled') expect(books).toEqual(FULL);
    else if (failed.status === 'fulfilled' && failed.value) expect(books).toEqual(LOW);
    else if (state === 'cancelled') expect(books).toEqual(ALL_BACK);
    else expect(books).toMatchObject({ escrow: 1_500_000n, revenue: 0n, faults: 0 });
  }
});

test('the sweep removes what a lost run wrote, except what it published', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed({ encryption: true });
  await pipeline.mediaKeys.create(claim, 1);
  const files = ['480p/index.m3u8', '480p/seg_00000.m4s', 'poster.jpg', '720p/seg_00000.m4s', 'audio/init.mp4', 'x'];
  for (const file of files) await pipeline.store.put(claim.outputPrefix + file, Readable.from(['x']), { sizeBytes: 1 });
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
  const later = (await pipeline.attempts.claim(claim))!;

  await pipeline.leftovers.sweepStore();
  const kept = ['480p/index.m3u8', '480p/seg_00000.m4s', 'poster.jpg'].map((file) => claim.outputPrefix + file);
  expect(await pipeline.keys(claim.outputPrefix)).toEqual(kept);
  expect(await keyOf(claim)).not.toBeNull();

  await pipeline.attempts.finish(later, ladderOf(['720p'], { pictures: false }));
  await pipeline.leftovers.sweepStore();
  await pipeline.leftovers.discardOutput(claim);
  expect(await pipeline.keys(claim.outputPrefix)).toEqual(kept);

  await pipeline.videos.delete(accountId, videoId);
  await pipeline.leftovers.sweepStore();
  expect(await pipeline.keys(`videos/${accountId}/`)).toEqual([]);
  expect(await keyOf(claim)).toBeNull();
});

test('while a backup holds the store, nothing that rows named is deleted; afterwards the sweep deletes it', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  const [published, unpublished] = [`${claim.outputPrefix}480p/seg_00000.m4s`, `${claim.outputPrefix}720p/init.mp4`];
  for (const key of [published, unpublished]) await pipeline.store.put(key, Readable.from(['x']), { sizeBytes: 1 });
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));

  await holdStore(pipeline.db, async () => {
    await pipeline.videos.delete(accountId, videoId);
    expect(await pipeline.leftovers.sweepStore()).toBe(0);
    await pipeline.leftovers.discardOutput(claim);
    expect(await pipeline.chunks.sweep()).toBe(0);
    expect(await pipeline.removeOrphans()).toBe(0);
    const moving = { deleteMoved: true, onProgress: () => undefined };
    await expect(moveObjects(pipeline.db, pipeline.store, pipeline.store, moving)).rejects.toThrow(
      'A backup is running',
    );
    expect(await pipeline.keys(claim.outputPrefix)).toEqual([published, unpublished]);
  });

  expect(await pipeline.leftovers.sweepStore()).toBeGreaterThan(0);
  expect(await pipeline.keys(claim.outputPrefix)).toEqual([]);
});

test('a backup waits for a deletion that is under way, and keeps others from starting', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const deleting = ifStoreIsNotHeld(pipeline.db, async () => {
    begun.resolve();
    await ended.promise;
    return 'deleted';
  });
  await begun.promise;
  let isHeld = false;
  const holding = holdStore(pipeline.db, async () => void (isHeld = true));
  try {
    await expect.poll(() => ifStoreIsNotHeld(pipeline.db, async () => 'deleted')).toBeNull();
    expect(isHeld).toBe(false);
  } finally {
    ended.resolve();
  }
  expect(await deleting).toBe('deleted');
  await holding;
  expect(await ifStoreIsNotHeld(pipeline.db, async () => 'deleted')).toBe('deleted');
});

test('a longer rendition of a later stage adds keys, and keeps the first ones', async () => {
  const { claim } = await pipeline.claimed({ encryption: true });
  const first = await pipeline.mediaKeys.create(claim, 2);
  const more = await pipeline.mediaKeys.create(claim, 301, first);
  const same = await pipeline.mediaKeys.create(claim, 5, more);

  expect(same.sealOf(300)).toMatchObject({ keyIndex: 2, key: more.sealOf(300).key });
  expect(more.sealOf(0).key).toEqual(first.sealOf(0).key);
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
  expect(await keyOf(claim, 0)).toEqual(first.sealOf(0).key);
  expect(await keyOf(claim, 2)).toEqual(more.sealOf(300).key);
});

async function keyOf(claim: Claim, index = 0): Promise<Buffer | null> {
  return pipeline.mediaKeys.find(claim, index);
}

/** The runs and renditions that the master playlist names. */
async function variants(accountId: string, videoId: string): Promise<string[]> {
  const master = (await media.masterPlaylist(accountId, videoId))!;
  const renditions = [...master.matchAll(/^([^#\n]+)\/index\.m3u8$/gm)].map(([, rendition]) => rendition!);
  for (const named of renditions) {
    const [run = '', rendition = ''] = named.split('/');
    expect(await media.playlistKey({ accountId, videoId, run, rendition })).not.toBeNull();
    const other = run === '1-1' ? '1-2' : '1-1';
    expect(await media.playlistKey({ accountId, videoId, run: other, rendition })).toBeNull();
  }
  return renditions;
}

async function sql(text: string, values: unknown[]): Promise<void> {
  await pipeline.db.sql.query({ name: '', text }, values);
}
