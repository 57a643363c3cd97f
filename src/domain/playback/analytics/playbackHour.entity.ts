import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import { FINE_STARTUPS, rollupColumns } from './rollupColumns.js';

/** Views per hour, in the partition of their month. Kept for 13 months. */
export const PlaybackHour = defineEntity({
  name: 'PlaybackHour',
  tableName: 'playback_hour',
  properties: { ...rollupColumns(() => p.integer()), ...FINE_STARTUPS },
});
export type PlaybackHour = InferEntity<typeof PlaybackHour>;
