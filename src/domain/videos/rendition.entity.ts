import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One published rung of a video's ladder, with what was measured of it. */
export const Rendition = defineEntity({
  name: 'Rendition',
  tableName: 'rendition',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    quality: p.string().primary(),
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    /** Peak bits per second over any one segment (RFC 8216 BANDWIDTH). */
    bitrate: p.integer(),
    averageBitrate: p.integer(),
    codecs: p.string(),
    frameRate: p.double().nullable(),
    sizeBytes: p.bigint('bigint'),
    /** Object-store prefix of the run that made it. Ends with a slash. */
    prefix: p.text(),
    /** The media playlist, below the prefix. */
    path: p.text(),
  },
});
export type Rendition = InferEntity<typeof Rendition>;
