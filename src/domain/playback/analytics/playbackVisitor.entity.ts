import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Who has watched a video, or any of the account's, on one day. Kept for two days, and names nobody. */
export const PlaybackVisitor = defineEntity({
  name: 'PlaybackVisitor',
  tableName: 'playback_visitor',
  properties: {
    accountId: p.uuid().primary(),
    /** The nil UUID stands for all of the account's videos. */
    videoId: p.uuid().primary(),
    /** A hash with the day's salt. */
    visitor: p.blob().primary(),
    mintedOn: p.string().columnType('date').primary(),
  },
});
export type PlaybackVisitor = InferEntity<typeof PlaybackVisitor>;
