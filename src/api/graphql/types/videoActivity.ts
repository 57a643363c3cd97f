import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';

export const VideoActivityKind = {
  UPLOADED: 'video.uploaded',
  PLAYABLE: 'video.playable',
  READY: 'video.ready',
  FAILED: 'video.failed',
  DELETED: 'video.deleted',
  RESTORED: 'video.restored',
  RETRIED: 'video.retry',
  VIEWS: 'views',
} as const;
export type VideoActivityKind = (typeof VideoActivityKind)[keyof typeof VideoActivityKind];
registerEnumType(VideoActivityKind, { name: 'VideoActivityKind' });

export const VideoActor = { OWNER: 'owner', SERVICE: 'service', SUPPORT: 'support', VIEWERS: 'viewers' } as const;
export type VideoActor = (typeof VideoActor)[keyof typeof VideoActor];
registerEnumType(VideoActor, { name: 'VideoActor' });

@ObjectType({ description: 'Something that happened to a video, or a UTC day on which it was watched.' })
export class VideoActivity {
  @Field(() => VideoActivityKind)
  kind!: VideoActivityKind;

  @Field(() => VideoActor)
  actor!: VideoActor;

  @Field(() => DateTime, { description: 'Of a day with views, its beginning.' })
  at!: Date;

  @Field(() => Int, { nullable: true, description: 'Only of a day with views.' })
  views!: number | null;
}

@ObjectType()
export class VideoActivityConnection extends connectionOf('VideoActivity', () => VideoActivity) {}
