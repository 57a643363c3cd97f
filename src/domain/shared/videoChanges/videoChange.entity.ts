import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { ActorKind } from '../actor.js';

/** Something that was done to a video, and by whom. Kept for `VIDEO_CHANGE_DAYS`. */
export const VideoChange = defineEntity({
  name: 'VideoChange',
  tableName: 'video_change',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    /** What makes it one change, such as the kind, the actor and the hour: changes that repeat within it are one row. */
    fact: p.text().primary(),
    kind: p.text(),
    actor: p.text().$type<ActorKind>(),
    /** Of a user, an access token or an API key. */
    actorId: p.uuid().nullable(),
    createdAt: p.datetime(),
  },
});
export type VideoChange = InferEntity<typeof VideoChange>;
