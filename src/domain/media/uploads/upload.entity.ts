import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One resumable upload, bound to an account and a video. */
export const Upload = defineEntity({
  name: 'Upload',
  tableName: 'upload',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    /** The tus upload id: ours, unguessable, never a path. */
    id: p.text().primary(),
    sizeBytes: p.bigint('bigint').nullable(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    // Only statements read these.
    leaseToken: p.uuid().nullable().lazy(),
    leasedUntil: p.datetime().nullable().lazy(),
    releaseWanted: p.boolean().lazy(),
    multipartId: p.text().nullable().lazy(),
    partBytes: p.bigint('bigint').nullable().lazy(),
  },
});
export type Upload = InferEntity<typeof Upload>;
