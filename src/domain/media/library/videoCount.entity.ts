import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The number of an account's videos per status, and the version of its lists. Maintained by triggers. */
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
    /** Of the account's lists. Any change in them changes it. */
    version: p.uuid(),
  },
});
export type VideoCount = InferEntity<typeof VideoCount>;
