import { Field, Float, Int, ObjectType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { DateTime } from '../scalars/dateTime.js';
import { Day } from '../scalars/day.js';
import { SafeInt } from '../scalars/safeInt.js';

@ObjectType({ description: 'What the whole platform did on one day (UTC), without test accounts.' })
export class PlatformDay {
  @Field(() => Day)
  day!: string;

  @Field(() => SafeInt, { description: 'At the end of the day, without erased ones.' })
  accounts!: number;

  @Field(() => SafeInt)
  signUps!: number;

  @Field(() => Credits, { description: 'Credited for payments.' })
  creditsToppedUp!: bigint;

  @Field(() => Credits, { description: 'Charged for processing and storage, less what was reversed.' })
  creditsSpent!: bigint;

  @Field(() => Credits, { description: 'Taken back by refunds and lost disputes.' })
  creditsRefunded!: bigint;

  @Field(() => SafeInt, { description: 'Uploads that were completed.' })
  videosUploaded!: number;

  @Field(() => SafeInt, { description: 'Processing that delivered a video.' })
  videosReady!: number;

  @Field(() => SafeInt, { description: 'Processing that failed for good.' })
  videosFailed!: number;

  @Field(() => Float, { description: 'Minutes of the videos that became ready.' })
  minutesEncoded!: number;

  @Field(() => SafeInt, { description: 'Playback tokens that were created.' })
  tokens!: number;

  @Field(() => SafeInt, { description: 'Without bots and previews.' })
  views!: number;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'At the end of the day; null until the nightly run has measured it.',
  })
  storedBytes!: number | null;

  @Field(() => Boolean, { description: 'False while the day can still change.' })
  isFinal!: boolean;

  @Field(() => DateTime)
  measuredAt!: Date;
}

@ObjectType({ description: 'Work of one kind that waits for workers.' })
export class QueueAge {
  @Field(() => String, {
    description:
      '"measure-upload", "process-video", "encode-chunk", "sweep", "night", "webhooks" or "storage-night"; more may come.',
  })
  kind!: string;

  @Field(() => Int, { nullable: true, description: 'Null where only the age is known.' })
  waiting!: number | null;

  @Field(() => Int, { nullable: true })
  running!: number | null;

  @Field(() => Int, { nullable: true, description: 'In the last 24 hours.' })
  failed!: number | null;

  @Field(() => Float, { description: 'How long the oldest runnable item has waited; 0 if none waits.' })
  oldestSeconds!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Operators are alerted when `oldestSeconds` exceeds this; null for no alert.',
  })
  lateAfterSeconds!: number | null;
}
