import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { Chapter } from '../captions/chapters.js';

export type VideoStatus = 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed';

/** One video of one account. Its status changes only by the statements in this folder and in processing/. */
export const Video = defineEntity({
  name: 'Video',
  tableName: 'video',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    status: p.text().$type<VideoStatus>(),
    title: p.text(),
    description: p.text(),
    tags: p.array(),
    metadata: p.json().$type<Record<string, string>>(),
    /** The quality asked for, capped at the source once that is known. */
    quality: p.text().nullable(),
    branding: p.boolean(),
    encryption: p.boolean(),
    normalizeLoudness: p.boolean(),
    /** Quote and process by itself as soon as the upload is measured. */
    autoProcess: p.boolean(),
    durationMs: p.bigint('bigint').nullable(),
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    /** The uploaded source file. */
    sizeBytes: p.bigint('bigint').nullable(),
    sourceKey: p.text().nullable(),
    sourceProbe: p.json().$type<unknown>().nullable(),
    /** Purchases so far: each processing that was paid for is one. */
    attempt: p.integer(),
    playableRungs: p.array(),
    /** Object-store prefix of the run that made poster and storyboard; each rendition has its own. */
    picturesPrefix: p.text().nullable(),
    /** Path below the public address; unguessable. */
    posterPath: p.text().nullable(),
    /** In the object store, where the owner chose it; otherwise it lies under `picturesPrefix`. */
    posterKey: p.text().nullable(),
    /** The same for the preview that moves. */
    previewPath: p.text().nullable(),
    chapters: p.json().$type<Chapter[]>(),
    /** Why it failed; of one that is ready, why renditions that were bought are missing. */
    failureCode: p.text().nullable(),
    failureMessage: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    readyAt: p.datetime().nullable(),
    deletedAt: p.datetime().nullable(),
    // Only statements read these.
    titleWords: p.string().columnType('tsvector').nullable().lazy(),
    measureRuns: p.integer().lazy(),
    measuringSince: p.datetime().nullable().lazy(),
    storyboardPath: p.text().nullable().lazy(),
    textsTakenAt: p.datetime().nullable().lazy(),
  },
});
export type Video = InferEntity<typeof Video>;
