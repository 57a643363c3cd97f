import type { Claim } from '../../../src/domain/media/pipeline/attempt.service.js';
import type { ChunkClaim } from '../../../src/domain/media/pipeline/chunk.service.js';
import type { ChunkFacts } from '../../../src/domain/media/pipeline/processingChunk.entity.js';
import type { VideoQuality, VideoRendition } from '../../../src/ports/transcoder.js';
import type { Pipeline } from '../../support/worker/pipeline.js';

export const SEGMENTS_PER_CHUNK = 2;

/** Plans `count` chunks for each stage. */
export async function plan(pipeline: Pipeline, claim: Claim, qualities: readonly VideoQuality[], count: number) {
  const chunks = [...Array(count).keys()].map((chunk) => ({
    firstSegment: chunk * SEGMENTS_PER_CHUNK,
    endSegment: chunk === count - 1 ? null : (chunk + 1) * SEGMENTS_PER_CHUNK,
  }));
  const stages = qualities.map((quality) => [renditionOf(quality)]);
  await pipeline.chunks.plan(claim, { chunks, endSegment: count * SEGMENTS_PER_CHUNK }, stages);
}

export function renditionOf(quality: VideoQuality): VideoRendition {
  const frameRate = { numerator: 25, denominator: 1 };
  const size = { width: 1280, height: 720, frameRate };
  return { quality, ...size, crf: 21, maxBitrateBps: 4_000_000, bufferBits: 6_000_000, level: '3.1' };
}

export function factsOf({ renditions }: ChunkClaim): ChunkFacts {
  const { quality } = renditions[0]!;
  return { renditions: [{ quality, init: '', segments: [] }], digests: { [quality]: [] }, vectors: null };
}
