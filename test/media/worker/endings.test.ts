import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { buyVideos } from './buyVideos.js';
import { openScene, type Pipeline, type PipelineScene } from '../../support/worker/pipeline.js';

let scene: PipelineScene;
let pipeline: Pipeline;
/**
 * Called when the last picture of a video is about to be stored, with the number of videos that have reached this so far.
 */
let onEnd: (ends: number) => Promise<void>;

beforeEach(async () => {
  let ends = 0;
  scene = await openScene({ works: true, smallVideoPixels: 0 });
  ({ pipeline } = scene);
  const putFile = pipeline.store.putFile.bind(pipeline.store);
  vi.spyOn(pipeline.store, 'putFile').mockImplementation(async (key, path) => {
    if (key.endsWith('/360p/init.mp4')) await onEnd((ends += 1));
    return putFile(key, path);
  });
});

afterEach(async () => {
  await scene.close();
});

test('a worker with one slot encodes the next video while it finishes another', async () => {
  const second = Promise.withResolvers<void>();
  onEnd = async (ends) => {
    if (ends === 2) second.resolve();
    if (ends === 1) await second.promise;
  };
  const { accountId, videoIds } = await buyVideos(scene, 3);

  for (const videoId of videoIds) await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n });
});

test('a video that fails while it is finished beside the next one is made again, and both are charged once', async () => {
  const second = Promise.withResolvers<void>();
  onEnd = async (ends) => {
    if (ends === 2) second.resolve();
    if (ends !== 1) return;
    await second.promise;
    throw new Error('the disk went away');
  };
  const { accountId, videoIds, priceMicros } = await buyVideos(scene, 2);

  for (const videoId of videoIds) await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n, revenue: priceMicros });
});
