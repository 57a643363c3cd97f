import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Claim } from '../../../src/domain/processing/attempt.service.js';
import type { ChunkClaim, ChunkFacts } from '../../../src/domain/processing/chunk.service.js';
import type { VideoQuality, VideoRung } from '../../../src/ports/transcoder.js';
import { openScene, type Pipeline, type PipelineScene } from '../../worker/pipeline.js';

const SEGMENTS_PER_CHUNK = 2;

let scene: PipelineScene;
let pipeline: Pipeline;

beforeAll(async () => {
  scene = await openScene();
  pipeline = scene.pipeline;
});

afterAll(() => scene.close());

test('a run makes two stages in chunks, one after the other', async () => {
  const claim = await claimed();
  for (const [quality, chunks] of [
    ['480p', 3],
    ['720p', 2],
  ] as const) {
    await plan(claim, quality, chunks);
    for (let done = 0; done < chunks; done += 1) {
      expect(await pipeline.chunks.state(claim)).toMatchObject({ chunks, done });
      const chunk = await pipeline.chunks.claimNext(claim);
      expect(chunk).toMatchObject({
        fence: 1,
        rungs: [{ quality }],
        part: { firstSegment: done * SEGMENTS_PER_CHUNK },
      });
      expect(await pipeline.chunks.finish(chunk!, factsOf(chunk!))).toBe(true);
    }
    expect(await pipeline.chunks.claimNext(claim)).toBeNull();
    expect(await pipeline.chunks.state(claim)).toMatchObject({ chunks, done: chunks, percent: 100 });
    const finished = await pipeline.chunks.finished(claim);
    expect(finished.map(({ facts }) => facts.rungs[0]!.quality)).toEqual(Array(chunks).fill(quality));
    await pipeline.chunks.close(claim, { joined: true });
  }
});

async function claimed(): Promise<Claim> {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const attempt = await pipeline.buy(accountId, videoId, '720p');
  return (await pipeline.attempts.claim({ accountId, videoId, attempt }))!;
}

async function plan(claim: Claim, quality: VideoQuality, chunks: number): Promise<void> {
  const parts = [...Array(chunks).keys()].map((chunk) => ({
    firstSegment: chunk * SEGMENTS_PER_CHUNK,
    endSegment: chunk === chunks - 1 ? null : (chunk + 1) * SEGMENTS_PER_CHUNK,
  }));
  await pipeline.chunks.plan(claim, parts, chunks * SEGMENTS_PER_CHUNK, [rungOf(quality)]);
}

function rungOf(quality: VideoQuality): VideoRung {
  const frameRate = { numerator: 25, denominator: 1 };
  const size = { width: 1280, height: 720, frameRate };
  return { quality, ...size, crf: 21, maxBitrateBps: 4_000_000, bufferBits: 6_000_000, level: '3.1' };
}

function factsOf({ rungs }: ChunkClaim): ChunkFacts {
  const { quality } = rungs[0]!;
  return { rungs: [{ quality, init: '', segments: [] }], digests: { [quality]: [] }, vectors: null };
}
