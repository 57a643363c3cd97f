import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** How many videos an account has in each status, and the version of its lists. Kept by triggers. */
export const VideoCount = defineEntity({
  name: 'VideoCount',
  tableName: 'video_count',
  properties: {
    accountId: p.uuid().primary(),
    awaitingUpload: p.bigint('bigint'),
    uploading: p.bigint('bigint'),
    uploaded: p.bigint('bigint'),
    queued: p.bigint('bigint'),
    processing: p.bigint('bigint'),
    ready: p.bigint('bigint'),
    failed: p.bigint('bigint'),
    /** Of the account's lists: whatever changes in them moves it. */
    version: p.uuid(),
  },
});
export type VideoCount = InferEntity<typeof VideoCount>;
