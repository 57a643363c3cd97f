import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { RenditionReceipt } from '../pipeline/receipt.js';

/** One published rendition of a video's ladder, with what was measured of it. */
export const Rendition = defineEntity({
  name: 'Rendition',
  tableName: 'rendition',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    quality: p.text().primary(),
    /** Of sound: 1 is what plays by default. */
    track: p.smallint().primary(),
    /** BCP 47, 'und' where it is not known. Of sound, like the next two. */
    language: p.text().nullable(),
    /** Unique among the tracks of a video. */
    label: p.text().nullable(),
    /** It tells what is to be seen. */
    isDescription: p.boolean(),
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    /** Peak bits per second over any one segment (RFC 8216 BANDWIDTH). */
    bitrate: p.integer(),
    averageBitrate: p.integer(),
    codecs: p.text(),
    frameRate: p.double().nullable(),
    sizeBytes: p.bigint('bigint'),
    /** Object-store prefix of the run that made it. Ends with a slash. */
    prefix: p.text(),
    /** The media playlist, below the prefix. */
    path: p.text(),
    /** Of the playlist of key frames beside it; null where there is none. Like the next one. */
    keyFrameBitrate: p.integer().nullable(),
    keyFrameAverageBitrate: p.integer().nullable(),
    receipt: p.json().$type<RenditionReceipt>().nullable(),
  },
});
export type Rendition = InferEntity<typeof Rendition>;
