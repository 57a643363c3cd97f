import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One sealed AES key of one run that made a video. */
export const MediaKey = defineEntity({
  name: 'MediaKey',
  tableName: 'media_key',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    attempt: p.integer().primary(),
    run: p.integer().primary(),
    keyIndex: p.integer().primary(),
    masterKeyId: p.text(),
    sealed: p.blob(),
    createdAt: p.datetime(),
  },
});
export type MediaKey = InferEntity<typeof MediaKey>;
