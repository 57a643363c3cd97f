import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { Chapter } from '../captions/chapters.js';

/** The I-frame track beside the storyboard, as the master playlist describes it. */
export interface TrickPlay {
  /** Of its playlist, below `picturesPrefix`. */
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly codecs: string;
  readonly bitrate: number;
  readonly averageBitrate: number;
}

export type VideoStatus = 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed';

/** One video of one account. Only the statements in this folder and in processing/ change its status. */
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
    /** The requested quality, limited to the source's once that is known. */
    quality: p.text().nullable(),
    branding: p.boolean(),
    encryption: p.boolean(),
    normalizeLoudness: p.boolean(),
    /** Quote and process automatically as soon as the upload is measured. */
    autoProcess: p.boolean(),
    durationMs: p.bigint('bigint').nullable(),
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    /** The uploaded source file. */
    sizeBytes: p.bigint('bigint').nullable(),
    sourceKey: p.text().nullable(),
    sourceProbe: p.json().$type<unknown>().nullable(),
    /** The number of purchases so far, one per paid processing. */
    attempt: p.integer(),
    playableRungs: p.array(),
    /** Object-store prefix of the run that made poster and storyboard. Each rendition has its own. */
    picturesPrefix: p.text().nullable(),
    /** Path below the public address; unguessable. */
    posterPath: p.text().nullable(),
    /** Key of a poster that the owner chose; otherwise the poster is under `picturesPrefix`. */
    posterKey: p.text().nullable(),
    /** The same for the moving preview. */
    previewPath: p.text().nullable(),
    chapters: p.json().$type<Chapter[]>(),
    /** Why it failed; for a ready video, why bought renditions are missing. */
    failureCode: p.text().nullable(),
    failureMessage: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    readyAt: p.datetime().nullable(),
    deletedAt: p.datetime().nullable(),
    /** Until then it is in the bin and can be restored. Null for a video that is not in the bin. */
    purgeAfter: p.datetime().nullable(),
    /** How often it was deleted; a restored video can be deleted again. */
    deletions: p.integer(),
    // Read only by statements.
    /** Whether it is of a test account, so that chores find it among all others. */
    isTest: p.boolean().lazy(),
    titleWords: p.string().columnType('tsvector').nullable().lazy(),
    measureRuns: p.integer().lazy(),
    measuringSince: p.datetime().nullable().lazy(),
    storyboardPath: p.text().nullable().lazy(),
    trickPlay: p.json().$type<TrickPlay>().nullable().lazy(),
    textsTakenAt: p.datetime().nullable().lazy(),
  },
});
export type Video = InferEntity<typeof Video>;
