import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export type ProcessingState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** One paid attempt at processing a video, and its progress. `run` counts the workers that claimed it. */
export const Processing = defineEntity({
  name: 'Processing',
  tableName: 'processing',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    attempt: p.integer().primary(),
    quoteId: p.uuid(),
    quality: p.text(),
    priceMicros: p.bigint('bigint'),
    /** The version of the account's logo at purchase. */
    brandVersion: p.integer().nullable(),
    state: p.text().$type<ProcessingState>(),
    /** The fence: only the worker that holds the newest run may report, publish or settle. */
    run: p.integer(),
    jobId: p.uuid().nullable(),
    step: p.text().nullable(),
    percent: p.float(),
    speed: p.float().nullable(),
    etaSeconds: p.integer().nullable(),
    failureCode: p.text().nullable(),
    failureMessage: p.text().nullable(),
    queuedAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    updatedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    // Only statements read these.
    faults: p.integer().lazy(),
    boundaries: p.json().$type<unknown>().nullable().lazy(),
    faultedAt: p.datetime().nullable().lazy(),
  },
});
export type Processing = InferEntity<typeof Processing>;
