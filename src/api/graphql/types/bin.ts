import { Field, Float, ID, Int, ObjectType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';
import { SafeInt } from '../scalars/safeInt.js';
import { connectionOf } from './connection.js';
import { VideoStatus } from './enums.js';

@ObjectType({ description: 'A deleted video that can be restored.' })
export class BinnedVideo {
  @Field(() => ID, { description: 'vid_…' })
  id!: string;

  @Field(() => String)
  title!: string;

  @Field(() => VideoStatus, { description: 'Its status once it is restored.' })
  status!: VideoStatus;

  @Field(() => Float, { nullable: true })
  durationSeconds!: number | null;

  @Field(() => SafeInt, { description: 'All of its stored bytes, which are charged as storage.' })
  storedBytes!: number;

  @Field(() => DateTime)
  deletedAt!: Date;

  @Field(() => DateTime, { description: 'When it is deleted for good.' })
  purgeAt!: Date;
}

@ObjectType()
export class BinConnection extends connectionOf('BinnedVideo', () => BinnedVideo) {
  @Field(() => Int)
  totalCount!: number;

  @Field(() => SafeInt, { description: 'Of all videos in the bin.' })
  storedBytes!: number;
}

@ObjectType()
export class EmptiedBin {
  @Field(() => Int, { description: 'How many videos were deleted for good.' })
  deleted!: number;

  @Field(() => Int, { description: 'How many are left. If there are any, call again with `until`.' })
  remaining!: number;

  @Field(() => DateTime)
  until!: Date;
}
