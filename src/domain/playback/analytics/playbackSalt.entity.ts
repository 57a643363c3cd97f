import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Random bytes that hash the visitors of one day. Deleted after two days. */
export const PlaybackSalt = defineEntity({
  name: 'PlaybackSalt',
  tableName: 'playback_salt',
  properties: {
    day: p.string().columnType('date').primary(),
    salt: p.blob(),
  },
});
export type PlaybackSalt = InferEntity<typeof PlaybackSalt>;
