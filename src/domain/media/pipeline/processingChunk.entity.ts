import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

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
    renditions: p.json().$type<unknown>(),
    state: p.text(),
    fence: p.integer(),
    percent: p.float(),
    reportedAt: p.datetime().nullable(),
    facts: p.json().$type<unknown>().nullable(),
    keptFence: p.integer().nullable(),
    sweeps: p.smallint(),
    sweepAfter: p.datetime().nullable(),
    hasBoundaries: p.boolean(),
  },
});
export type ProcessingChunk = InferEntity<typeof ProcessingChunk>;
