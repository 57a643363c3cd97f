import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import { FINE_STARTUPS, rollupColumns } from './rollupColumns.js';

/** Views per day, in the partition of their month. Kept for good. */
export const PlaybackDay = defineEntity({
  name: 'PlaybackDay',
  tableName: 'playback_day',
  properties: { ...rollupColumns(() => p.integer()), ...FINE_STARTUPS },
});
export type PlaybackDay = InferEntity<typeof PlaybackDay>;
