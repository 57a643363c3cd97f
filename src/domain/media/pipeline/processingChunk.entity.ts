import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { EncodedChunkRendition, VideoRendition } from '../../../ports/transcoder.js';
import type { Failure } from './attempt.service.js';

/** What is known of a finished chunk: all that its video's playlists need. */
export interface ChunkFacts {
  /** Sizes are those of the bytes that are stored. */
  readonly renditions: readonly EncodedChunkRendition[];
  /** Of each rendition's segments: SHA-256 of the stored bytes, in hex. */
  readonly digests: Readonly<Record<string, readonly string[]>>;
  /** Of each rendition's segments, where they are encrypted: the vector, in hex. */
  readonly vectors: Readonly<Record<string, readonly string[]>> | null;
}

/** Why a video turned out not to be one that can be cut. */
export interface Unfit {
  readonly unfit: string;
}

/** Why a chunk cannot be made: the video must be made in one go, or not at all. */
export type ChunkRefusal = Unfit | { readonly failure: Failure };

/** One stretch of a run’s timeline, encoded by any worker. */
export const ProcessingChunk = defineEntity({
  name: 'ProcessingChunk',
  tableName: 'processing_chunk',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    attempt: p.integer().primary(),
    run: p.integer().primary(),
    chunk: p.integer().primary(),
    firstSegment: p.integer(),
    endSegment: p.integer(),
    isLast: p.boolean(),
    renditions: p.json().$type<VideoRendition[]>(),
    state: p.text(),
    fence: p.integer(),
    percent: p.float(),
    reportedAt: p.datetime().nullable(),
    facts: p.json().$type<ChunkFacts | ChunkRefusal>().nullable(),
    keptFence: p.integer().nullable(),
    sweeps: p.smallint(),
    sweepAfter: p.datetime().nullable(),
    hasBoundaries: p.boolean(),
  },
});
export type ProcessingChunk = InferEntity<typeof ProcessingChunk>;
