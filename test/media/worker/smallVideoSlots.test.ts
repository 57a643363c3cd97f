import { expect, test } from 'vitest';

import type { Making } from '../../../src/domain/media/pipeline/admission.js';
import { estimateEncodeBytes } from '../../../src/domain/media/pipeline/encodeMemory.js';
import { isSmallVideo, type SmallVideoLimits } from '../../../src/domain/media/pipeline/smallVideo.js';
import { SmallVideos } from '../../../src/worker/scheduler/smallVideos.js';
import type { Quality } from '../../../src/ports/transcoder.js';
import { paperProbe } from '../../support/worker/paperProbe.js';
import { beginIn, type Begun } from '../../support/worker/begin.js';
import { buyVideos } from './buyVideos.js';
import { openScene } from '../../support/worker/pipeline.js';

const GIB = 1024 ** 3;
const LIMITS = { max: 1, budgetBytes: 16 * GIB };

function isLight(video: Making, limits: SmallVideoLimits): boolean {
  return isSmallVideo(video, estimateEncodeBytes(video, 2), limits);
}

test.each([
  ['of 10 s at 480p', true, { seconds: 10, height: 480 }],
  ['of 15 s at 480p', false, { seconds: 15, height: 480 }],
  ['of 10 s at 480p, from a 2160p source that takes long to decode', false, { seconds: 10, height: 2160 }],
  ['of 2 s at 1080p', true, { seconds: 2, height: 1080, quality: '1080p' }],
  ['of 5 s at 1080p', false, { seconds: 5, height: 1080, quality: '1080p' }],
  ['of 0.2 s at 2160p, which takes gigabytes of memory', false, { seconds: 0.2, height: 2160, quality: '2160p' }],
  ['of 10 GiB, which takes long to fetch', false, { seconds: 10, height: 480, sizeBytes: 10 * GIB }],
  ['of two hours of sound', false, { seconds: 7_200, height: 480, quality: 'audio' }],
] as const)('a video %s is a small video: %s', (_, wanted, video) => {
  const {
    seconds,
    height,
    quality = '480p',
    sizeBytes = 1_000_000,
  } = video as typeof video & {
    quality?: Quality;
    sizeBytes?: number;
  };
  const probe = { ...paperProbe(seconds * 1_000, height), sizeBytes };
  expect(isLight({ quality, probe }, LIMITS)).toBe(wanted);
});

test('no video is small if memory is short, or if many would be encoded at once', () => {
  const video = { quality: '480p', probe: paperProbe(8_000, 480) } as const;
  expect(isLight(video, { ...LIMITS, budgetBytes: 5 * GIB })).toBe(true);
  expect(isLight(video, { ...LIMITS, budgetBytes: 2 * GIB })).toBe(false);
  expect(isLight(video, { ...LIMITS, budgetBytes: 5 * GIB, max: 4 })).toBe(false);
});

test('one small video runs beside each slot; the next starts when its encode ends, and each releases its slot once', async () => {
  const videos = new SmallVideos(1);
  const letGo: string[] = [];
  const begin = (name: string): Begun => beginIn(videos, () => void letGo.push(name));
  const [first, second, third] = [begin('first'), begin('second'), begin('third')];
  expect(letGo).toEqual(['first']);

  second.finish();
  await second.ended;
  expect(letGo).toEqual(['first']);

  first.say();
  first.say();
  expect(letGo).toEqual(['first', 'third']);
  const fourth = begin('fourth');
  first.finish();
  await first.ended;
  expect(letGo).toEqual(['first', 'third']);

  third.finish();
  await third.ended;
  expect(letGo).toEqual(['first', 'third', 'fourth']);
  fourth.finish();
  await fourth.ended;
});

test('a place is free again after a video failed', async () => {
  const videos = new SmallVideos(1);
  await expect(
    videos.use(
      () => undefined,
      () => Promise.reject(new Error('no')),
    ),
  ).rejects.toThrow('no');
  let hasLetGo = false;
  await videos.use(
    () => (hasLetGo = true),
    () => Promise.resolve(),
  );
  expect(hasLetGo).toBe(true);
});

test('a worker with one slot encodes two small videos at once, and charges each once', async () => {
  const both = Promise.withResolvers<void>();
  let encodes = 0;
  const scene = await openScene({
    works: true,
    onEncoded: async () => {
      encodes += 1;
      if (encodes === 2) both.resolve();
      await both.promise;
    },
  });
  const { pipeline } = scene;
  try {
    const { accountId, videoIds, priceMicros } = await buyVideos(scene, 4);
    for (const videoId of videoIds) await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
    expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n, revenue: priceMicros });
  } finally {
    await scene.close();
  }
});
