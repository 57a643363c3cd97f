import { Readable } from 'node:stream';

import { expect, test } from 'vitest';

import { chunkSegmentName, type ChunkClaim } from '../../../src/domain/media/pipeline/chunk.service.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { factsOf, plan, renditionOf, SEGMENTS_PER_CHUNK } from './paperChunks.js';
import { ladderOf } from './paperLadder.js';

const { pipeline } = await sceneOfFile();

test('a run makes two stages in chunks, and claims chunks of the first before the second', async () => {
  const { claim } = await pipeline.claimed();
  const chunks = 3;
  await plan(pipeline, claim, ['480p', '720p'], chunks);
  for (const quality of ['480p', '720p'] as const) {
    const renditions = [renditionOf(quality)];
    for (let done = 0; done < chunks; done += 1) {
      expect(await pipeline.chunks.state(claim, renditions)).toMatchObject({ chunks, done });
      const chunk = await pipeline.chunks.claimNext(claim);
      expect(chunk).toMatchObject({
        fence: 1,
        renditions: [{ quality }],
        span: { firstSegment: done * SEGMENTS_PER_CHUNK },
      });
      expect(await pipeline.chunks.finish(chunk!, factsOf(chunk!))).toBe(true);
    }
    expect(await pipeline.chunks.claimNext(claim, renditions)).toBeNull();
    expect(await pipeline.chunks.state(claim, renditions)).toMatchObject({ chunks, done: chunks, percent: 100 });
    const finished = await pipeline.chunks.finished(claim, renditions);
    expect(finished.map(({ facts }) => facts.renditions[0]!.quality)).toEqual(Array(chunks).fill(quality));
  }
  expect(await pipeline.chunks.claimNext(claim)).toBeNull();
});

test('workers that claim at once get different chunks', async () => {
  const { claim } = await pipeline.claimed();
  const chunks = 12;
  await plan(pipeline, claim, ['720p'], chunks);
  const given: unknown[] = [];
  for (let round = 0; round < chunks / 3; round += 1) {
    given.push(...(await Promise.all([1, 2, 3].map(() => pipeline.chunks.claimNext(claim)))));
  }
  const firstSegments = given.map((chunk) => (chunk as ChunkClaim).span.firstSegment);
  expect(new Set(firstSegments).size).toBe(chunks);
});

test('a claim for one stage gets no chunk of another', async () => {
  const { claim } = await pipeline.claimed();
  await plan(pipeline, claim, ['480p', '720p'], 1);
  expect(await pipeline.chunks.claimNext(claim, [renditionOf('720p')])).toMatchObject({
    renditions: [{ quality: '720p' }],
  });
  expect(await pipeline.chunks.claimNext(claim, [renditionOf('720p')])).toBeNull();
  expect(await pipeline.chunks.claimNext(claim)).toMatchObject({ renditions: [{ quality: '480p' }] });
});

test('giving up one stage leaves the others as they are', async () => {
  const { claim } = await pipeline.claimed();
  await plan(pipeline, claim, ['480p', '720p'], 1);
  const first = (await pipeline.chunks.claimNext(claim))!;
  await pipeline.chunks.finish(first, factsOf(first));
  const second = (await pipeline.chunks.claimNext(claim))!;
  await pipeline.chunks.giveUp(claim, [[renditionOf('720p')]]);
  expect(await pipeline.chunks.finish(second, factsOf(second))).toBe(false);
  expect(await pipeline.chunks.state(claim, [renditionOf('720p')])).toMatchObject({ chunks: 0 });
  expect(await pipeline.chunks.state(claim, [renditionOf('480p')])).toMatchObject({ chunks: 1, done: 1 });
});

test('a refused chunk stops its stage, and no other', async () => {
  const { claim } = await pipeline.claimed();
  await plan(pipeline, claim, ['480p', '720p'], 2);
  const refused = (await pipeline.chunks.claimNext(claim, [renditionOf('720p')]))!;
  await pipeline.chunks.refuse(refused, { unfit: 'it does not fit' });
  expect(await pipeline.chunks.claimNext(claim, [renditionOf('720p')])).toBeNull();
  for (const firstSegment of [0, SEGMENTS_PER_CHUNK]) {
    expect(await pipeline.chunks.claimNext(claim)).toMatchObject({
      renditions: [{ quality: '480p' }],
      span: { firstSegment },
    });
  }
  expect(await pipeline.chunks.claimNext(claim)).toBeNull();
});

test('unused chunk segments of a published stage are swept while the run works on the next', async () => {
  const { claim } = await pipeline.claimed();
  await plan(pipeline, claim, ['480p', '720p'], 1);
  const segment = (fence: number): string => `${claim.outputPrefix}480p/${chunkSegmentName(0, fence)}`;
  const lost = (await pipeline.chunks.claimNext(claim))!;
  await pipeline.store.put(segment(lost.fence), Readable.from([Buffer.from('lost')]));
  await pipeline.chunks.release(lost);
  const taken = (await pipeline.chunks.claimNext(claim))!;
  await pipeline.store.put(segment(taken.fence), Readable.from([Buffer.from('taken')]));
  await pipeline.chunks.finish(taken, factsOf(taken));
  await pipeline.chunks.sweep();
  expect(await pipeline.keys(claim.outputPrefix)).toEqual([segment(1), segment(2)]);

  await pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
  await pipeline.chunks.sweep();
  expect(await pipeline.keys(claim.outputPrefix)).toEqual([segment(2)]);
  expect(await pipeline.chunks.claimNext(claim)).toMatchObject({ renditions: [{ quality: '720p' }] });
});
