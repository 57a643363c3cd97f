import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';
import { Day } from '../scalars/day.js';
import { SafeInt } from '../scalars/safeInt.js';

export const AnalyticsGranularity = { HOUR: 'hour', DAY: 'day' } as const;
export type AnalyticsGranularity = (typeof AnalyticsGranularity)[keyof typeof AnalyticsGranularity];
registerEnumType(AnalyticsGranularity, { name: 'AnalyticsGranularity' });

export const AnalyticsDimension = { COUNTRY: 'country', BROWSER: 'browser', DEVICE: 'device', KEY: 'key' } as const;
export type AnalyticsDimension = (typeof AnalyticsDimension)[keyof typeof AnalyticsDimension];
registerEnumType(AnalyticsDimension, { name: 'AnalyticsDimension' });

@InputType({ description: 'A period of UTC days. A view belongs to the time when its token was created.' })
export class AnalyticsInput {
  @Field(() => Day, { description: 'The first day.' })
  from!: string;

  @Field(() => Day, { description: 'The last day, included. At most 400 days by day, 31 by hour.' })
  to!: string;

  @Field(() => ID, { nullable: true, description: '`vid_…` or the UUID; all videos if left out.' })
  videoId?: string | null;

  @Field(() => AnalyticsGranularity, { defaultValue: AnalyticsGranularity.DAY })
  granularity!: AnalyticsGranularity;

  @Field(() => AnalyticsDimension, { nullable: true, description: 'For `breakdown`.' })
  dimension?: AnalyticsDimension | null;
}

@InputType()
export class TopVideosInput {
  @Field(() => Day, { description: 'The first day.' })
  from!: string;

  @Field(() => Day, { description: 'The last day, included. At most 400 days.' })
  to!: string;

  @Field(() => Int, { defaultValue: 10, description: '1 to 50.' })
  first!: number;
}

@ObjectType({
  description:
    'Views, and what players reported of them. Bots and previews are left out. Shares are 0 to 1, and null if there is ' +
    'nothing to divide by.',
})
export class AnalyticsFigures {
  @Field(() => SafeInt, { description: 'Exchanged playback tokens. One token is one view.' })
  views!: number;

  @Field(() => SafeInt, { description: 'Visitors, each counted once a day (UTC).' })
  uniqueViews!: number;

  @Field(() => SafeInt, {
    description: 'Views whose player sent a report. All figures except `views` and `uniqueViews` are of these.',
  })
  reportedViews!: number;

  @Field(() => SafeInt, { description: 'Views with a first frame.' })
  plays!: number;

  @Field(() => SafeInt, { description: 'Views that played to the end.' })
  completions!: number;

  @Field(() => Float, { nullable: true, description: 'Completions as a share of plays.' })
  completionRate!: number | null;

  @Field(() => SafeInt, { description: 'Time in which the picture moved.' })
  watchedMs!: number;

  @Field(() => Float, { nullable: true, description: 'The mean share of the video that a play watched.' })
  averageWatchedShare!: number | null;

  @Field(() => SafeInt, { description: 'Views that were left before the first frame.' })
  exitsBeforeStart!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Exits before the start, as a share of exits before the start plus plays.',
  })
  exitBeforeStartRate!: number | null;

  @Field(() => Int, { nullable: true, description: 'Median time from the request to play to the first frame.' })
  startupP50Ms!: number | null;

  @Field(() => Int, { nullable: true, description: '95 % of plays started at least as fast.' })
  startupP95Ms!: number | null;

  @Field(() => SafeInt, { description: 'Interruptions to rebuffer after the first frame.' })
  stalls!: number;

  @Field(() => SafeInt)
  stalledMs!: number;

  @Field(() => Float, { nullable: true, description: 'Stalled time as a share of stalled and watched time.' })
  rebufferRatio!: number | null;

  @Field(() => SafeInt)
  renditionSwitches!: number;

  @Field(() => SafeInt)
  errors!: number;
}

@ObjectType()
export class AnalyticsPoint {
  @Field(() => DateTime, { description: 'When the hour or day begins.' })
  startsAt!: Date;

  @Field(() => AnalyticsFigures)
  figures!: AnalyticsFigures;
}

@ObjectType()
export class AnalyticsSlice {
  @Field(() => String, {
    nullable: true,
    description: 'Two letters of a country, a browser, a kind of device, or the id of a key. Null if unknown.',
  })
  value!: string | null;

  @Field(() => AnalyticsFigures)
  figures!: AnalyticsFigures;
}

@ObjectType({ description: 'Views that no other number counts.' })
export class LeftOutViews {
  @Field(() => SafeInt, { description: 'Crawlers, link previews, and browsers that a program drives.' })
  bots!: number;

  @Field(() => SafeInt, { description: "The account's own, in the dashboard." })
  previews!: number;
}

@ObjectType()
export class Analytics {
  @Field(() => AnalyticsFigures)
  totals!: AnalyticsFigures;

  @Field(() => [AnalyticsPoint], { description: 'Every hour or day of the period, oldest first.' })
  series!: AnalyticsPoint[];

  @Field(() => [AnalyticsSlice], {
    nullable: true,
    description: 'By the dimension asked for, most views first, at most 100. Null without one.',
  })
  breakdown!: AnalyticsSlice[] | null;

  @Field(() => [SafeInt], {
    nullable: true,
    description: 'How many views watched each hundredth of the video: 100 numbers. Null without `videoId`.',
  })
  retention!: number[] | null;

  @Field(() => LeftOutViews)
  leftOut!: LeftOutViews;
}

@ObjectType()
export class TopVideo {
  /** The owning account; not in the schema. */
  accountId!: string;

  /** Not in the schema. */
  uuid!: string;

  @Field(() => ID, { description: 'vid_…' })
  videoId!: string;

  @Field(() => AnalyticsFigures)
  figures!: AnalyticsFigures;
}

@ObjectType()
export class RecentViews {
  @Field(() => SafeInt, { description: 'Since midnight UTC.' })
  today!: number;

  @Field(() => SafeInt, { description: 'Today and the 29 days before.' })
  last30Days!: number;

  @Field(() => SafeInt, { description: 'Views since midnight UTC whose first frame was shown.' })
  playsToday!: number;

  @Field(() => SafeInt, { description: 'The same, today and the 29 days before.' })
  playsLast30Days!: number;

  @Field(() => Boolean, { description: 'Whether a viewer has ever watched a video of the account.' })
  ever!: boolean;
}
