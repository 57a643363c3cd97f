import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One caption track of a video. */
export const Caption = defineEntity({
  name: 'Caption',
  tableName: 'caption',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    id: p.uuid().primary(),
    language: p.text(),
    label: p.text(),
    origin: p.text().$type<'source' | 'upload'>(),
    vtt: p.text(),
    sizeBytes: p.integer(),
    createdAt: p.datetime(),
    isForced: p.boolean(),
    isSdh: p.boolean(),
  },
});
export type Caption = InferEntity<typeof Caption>;
