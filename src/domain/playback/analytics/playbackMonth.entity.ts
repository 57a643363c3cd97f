import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import { rollupColumns } from './rollupColumns.js';

/** Sums of the days of a month. Right only while `PlaybackMonthState` says that it is built. */
export const PlaybackMonth = defineEntity({
  name: 'PlaybackMonth',
  tableName: 'playback_month',
  properties: rollupColumns(() => p.bigint('bigint')),
});
export type PlaybackMonth = InferEntity<typeof PlaybackMonth>;
