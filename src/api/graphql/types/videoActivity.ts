import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';

export const VideoActivityKind = {
  UPLOADED: 'video.uploaded',
  MEASURED: 'video.measured',
  BOUGHT: 'video.bought',
  CANCELLED: 'video.cancelled',
  PLAYABLE: 'video.playable',
  READY: 'video.ready',
  FAILED: 'video.failed',
  DELETED: 'video.deleted',
  RESTORED: 'video.restored',
  RETRIED: 'video.retry',
  DETAILS_CHANGED: 'video.details',
  TAGS_CHANGED: 'video.tags',
  CAPTIONS_CHANGED: 'video.captions',
  CHAPTERS_CHANGED: 'video.chapters',
  POSTER_CHANGED: 'video.poster',
  MINTED: 'video.minted',
  VIEWS: 'views',
} as const;
export type VideoActivityKind = (typeof VideoActivityKind)[keyof typeof VideoActivityKind];
registerEnumType(VideoActivityKind, {
  name: 'VideoActivityKind',
  valuesConfig: { MINTED: { description: 'The first playback token that a key created on a UTC day.' } },
});

export const VideoActor = {
  OWNER: 'owner',
  ACCESS_TOKEN: 'access_token',
  API_KEY: 'api_key',
  SERVICE: 'service',
  SUPPORT: 'support',
  VIEWERS: 'viewers',
} as const;
export type VideoActor = (typeof VideoActor)[keyof typeof VideoActor];
registerEnumType(VideoActor, { name: 'VideoActor' });

@ObjectType({ description: 'Something that happened to a video, or a UTC day on which it was watched.' })
export class VideoActivity {
  @Field(() => VideoActivityKind)
  kind!: VideoActivityKind;

  @Field(() => VideoActor)
  actor!: VideoActor;

  @Field(() => String, {
    nullable: true,
    description:
      'The name of the owner, access token or API key. Null for other actors, and if it is unknown or no longer exists.',
  })
  actorName!: string | null;

  @Field(() => DateTime, { description: 'For a day with views, the start of the day.' })
  at!: Date;

  @Field(() => Int, { nullable: true, description: 'Only for a day with views.' })
  views!: number | null;
}

@ObjectType()
export class VideoActivityConnection extends connectionOf('VideoActivity', () => VideoActivity) {}
