import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { Audience } from './visitor.js';

/** One view and its latest report, in the partition of its day. Kept for 30 days. */
export const PlaybackView = defineEntity({
  name: 'PlaybackView',
  tableName: 'playback_view',
  properties: {
    accountId: p.uuid().primary(),
    /** The token's `jti`. */
    id: p.uuid().primary(),
    /** When the token was minted. Every exchange of it agrees, so a view is one row. */
    mintedAt: p.datetime().primary(),
    /** The first time. `null` for views that were written before this was kept. */
    exchangedAt: p.datetime().nullable(),
    /** By how much the test clock was moved when the token was minted. `null` in live mode, and before this was kept. */
    testClockSeconds: p.double().nullable(),
    videoId: p.uuid(),
    /** `null` for the account's own preview. */
    keyId: p.uuid().nullable(),
    audience: p.text().$type<Audience>(),
    /** Of the video, when the token was exchanged. */
    durationMs: p.integer(),
    /** Two letters; empty if unknown. */
    country: p.text(),
    browser: p.text(),
    device: p.text(),
    /** Of the latest report; 0 before the first one. */
    seq: p.integer(),
    reportedAt: p.datetime().nullable(),
    /** `null` before the first frame. */
    startupMs: p.integer().nullable(),
    watchedMs: p.integer(),
    stalledMs: p.integer(),
    stalls: p.integer(),
    switches: p.integer(),
    /** Starts and ends of what was watched, alternating, in ms of the video. */
    ranges: p.array().columnType('integer[]'),
    errors: p.json(),
    ended: p.boolean(),
  },
});
export type PlaybackView = InferEntity<typeof PlaybackView>;
