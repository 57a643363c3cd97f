import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { RenditionReceipt } from '../pipeline/receipt.js';

/** One published rendition of a video's ladder, with its measurements. */
export const Rendition = defineEntity({
  name: 'Rendition',
  tableName: 'rendition',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    quality: p.text().primary(),
    /** For sound: 1 plays by default. */
    track: p.smallint().primary(),
    /** For sound, like the next two. BCP 47; 'und' if unknown. */
    language: p.text().nullable(),
    /** Unique among the tracks of a video. */
    label: p.text().nullable(),
    /** An audio description. */
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
    /** The path of the media playlist below the prefix. */
    path: p.text(),
    /** Of the I-frame playlist next to it; null if there is none. Like the next one. */
    keyFrameBitrate: p.integer().nullable(),
    keyFrameAverageBitrate: p.integer().nullable(),
    receipt: p.json().$type<RenditionReceipt>().nullable(),
  },
});
export type Rendition = InferEntity<typeof Rendition>;
