import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A month in which an account has days. */
export const PlaybackMonthState = defineEntity({
  name: 'PlaybackMonthState',
  tableName: 'playback_month_state',
  properties: {
    accountId: p.uuid().primary(),
    startsAt: p.datetime().primary(),
    /** Whether its rows of `playback_month` equal the sums of its days. A trigger takes it back when a day changes. */
    isBuilt: p.boolean().default(false),
  },
});
export type PlaybackMonthState = InferEntity<typeof PlaybackMonthState>;
