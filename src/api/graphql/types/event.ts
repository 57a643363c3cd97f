import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';

import { ALL_EVENT_TYPES, graphqlNameOf } from '../../../domain/shared/events/eventTypes.js';
import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';

export const EventType = Object.fromEntries(ALL_EVENT_TYPES.map((type) => [graphqlNameOf(type), type]));
registerEnumType(EventType, {
  name: 'EventType',
  description: 'Types of events. `VIDEO_READY` is `video.ready` in payloads.',
});

export const EventOrder = { NEWEST_FIRST: 'newest', OLDEST_FIRST: 'oldest' } as const;
export type EventOrder = (typeof EventOrder)[keyof typeof EventOrder];
registerEnumType(EventOrder, { name: 'EventOrder' });

@ObjectType({
  description: 'Something that happened to the account. Kept for 90 days, unless the operator chose otherwise.',
})
export class Event {
  @Field(() => ID, { description: '`evt_…`' })
  id!: string;

  @Field(() => EventType)
  type!: string;

  @Field(() => Int, { description: "The version of the payload's schema." })
  version!: number;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => String, {
    description:
      'The event as JSON: `id`, `type`, `version`, `timestamp`, `livemode` and `data`. The same event is always the same text.',
  })
  payload!: string;

  @Field(() => String, { description: 'Its place in the log, for `after`.' })
  cursor!: string;
}

@ObjectType()
export class EventConnection extends connectionOf('Event', () => Event) {}
