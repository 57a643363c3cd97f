import type { Claim } from '../../../src/domain/processing/attempt.service.js';
import type { ChunkClaim, ChunkFacts } from '../../../src/domain/processing/chunk.service.js';
import type { VideoQuality, VideoRung } from '../../../src/ports/transcoder.js';
import type { Pipeline } from '../../worker/pipeline.js';

export const SEGMENTS_PER_CHUNK = 2;

/** A run of a film that nobody makes: its chunks are rows. */
export async function claimed(pipeline: Pipeline): Promise<Claim> {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const attempt = await pipeline.buy(accountId, videoId, '720p');
  return (await pipeline.attempts.claim({ accountId, videoId, attempt }))!;
}

/** So many chunks of each stage. */
export async function plan(pipeline: Pipeline, claim: Claim, qualities: readonly VideoQuality[], chunks: number) {
  const parts = [...Array(chunks).keys()].map((chunk) => ({
    firstSegment: chunk * SEGMENTS_PER_CHUNK,
    endSegment: chunk === chunks - 1 ? null : (chunk + 1) * SEGMENTS_PER_CHUNK,
  }));
  const stages = qualities.map((quality) => [rungOf(quality)]);
  await pipeline.chunks.plan(claim, { parts, endSegment: chunks * SEGMENTS_PER_CHUNK }, stages);
}

export function rungOf(quality: VideoQuality): VideoRung {
  const frameRate = { numerator: 25, denominator: 1 };
  const size = { width: 1280, height: 720, frameRate };
  return { quality, ...size, crf: 21, maxBitrateBps: 4_000_000, bufferBits: 6_000_000, level: '3.1' };
}

export function factsOf({ rungs }: ChunkClaim): ChunkFacts {
  const { quality } = rungs[0]!;
  return { rungs: [{ quality, init: '', segments: [] }], digests: { [quality]: [] }, vectors: null };
}
