import { expect, test } from 'vitest';

import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { IS_FULL } from '../../support/effort.js';
import { eventsOf, eventTypesOf } from '../../support/events/log.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { ladderOf } from '../processing/paperLadder.js';

const ROUNDS = IS_FULL ? 1_000 : 40;
const FAILURE = { code: 'SOURCE_DAMAGED', message: 'The file ends early.' };

const { pipeline } = await sceneOfFile();

test('a video is playable once, with its first stage, and ready once, with its last', async () => {
  const { accountId, videoId, claim } = await pipeline.claimed();
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
  await pipeline.attempts.finish(claim, { ...ladderOf(['720p']), posterPath: null, storyboard: null });
  const events = await eventsOf(pipeline.db, accountId);
  expect(events.map(({ type, data }) => [type, data['playableRungs']])).toEqual([
    ['video.playable', ['480p']],
    ['video.ready', ['720p', '480p']],
  ]);
  expect(events[1]!.data).toMatchObject({
    videoId: videoIdOf(videoId),
    uuid: videoId,
    status: 'ready',
    durationSeconds: 60,
    failure: null,
  });
});

test('a run that was replaced after it published writes no second event', async () => {
  const { accountId, claim } = await pipeline.claimed();
  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
  const next = (await pipeline.attempts.claim(claim))!;
  await expect(pipeline.attempts.publishRenditions(claim, ladderOf(['720p']))).rejects.toThrow();
  await pipeline.attempts.publishRenditions(next, ladderOf(['720p']));
  await pipeline.attempts.finish(next, null);
  expect(await eventTypesOf(pipeline.db, accountId)).toEqual(['video.playable', 'video.ready']);
});

test('a failure carries its reason, and a partly processed video is ready with the reason', async () => {
  const failed = await pipeline.claimed();
  await pipeline.attempts.fail(failed.claim, FAILURE);
  await pipeline.attempts.fail(failed.claim, FAILURE);
  const [event, ...others] = await eventsOf(pipeline.db, failed.accountId);
  expect(event).toMatchObject({ type: 'video.failed', data: { failure: { code: 'SOURCE_DAMAGED' } } });
  expect(others).toEqual([]);

  const partial = await pipeline.claimed();
  await pipeline.attempts.publishRenditions(partial.claim, ladderOf(['480p']));
  await pipeline.attempts.fail(partial.claim, FAILURE);
  const [, ready] = await eventsOf(pipeline.db, partial.accountId);
  expect(ready).toMatchObject({ type: 'video.ready', data: { failure: { code: 'SOURCE_DAMAGED' } } });
});

test('each fact is one event when publishing, failure and deletion race, and a rolled-back one is none', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { accountId, videoId, claim } = await pipeline.claimed();
    await Promise.allSettled([
      pipeline.attempts.finish(claim, ladderOf(['720p'])),
      pipeline.attempts.finish(claim, ladderOf(['720p'])),
      pipeline.attempts.fail(claim, FAILURE),
      pipeline.attempts.abandon(claim),
      pipeline.videos.delete(accountId, videoId),
      pipeline.videos.delete(accountId, videoId),
    ]);
    const types = (await eventTypesOf(pipeline.db, accountId)).toSorted();
    expect([
      ['video.deleted'],
      ['video.deleted', 'video.failed'],
      ['video.deleted', 'video.playable', 'video.ready'],
    ]).toContainEqual(types);
  }
});
