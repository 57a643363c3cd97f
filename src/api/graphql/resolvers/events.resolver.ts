import { Arg, Ctx, ID, Int, Query, Resolver, Root, Subscription, type SubscribeResolverData } from 'type-graphql';

import type { EventType as EventTypeName } from '../../../domain/shared/events/eventTypes.js';
import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { Event, EventConnection, EventOrder, EventType } from '../types/event.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { eventBody, type LoggedEvent } from '../../../domain/shared/events/eventLog.js';

type Types = EventTypeName[] | null | undefined;
type Subscribing<Args> = SubscribeResolverData<unknown, Args, GraphqlContext>;
const TYPES_DESCRIPTION = 'Only these; all of them if left out.';
/** How many events are read at once for a subscriber that has fallen behind. */
const CATCH_UP = 100;

@Resolver()
export class EventsResolver {
  @Access('owner')
  @Query(() => EventConnection, {
    description: 'The event log. Reading it by `after`, oldest first, misses no event.',
  })
  async events(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
    @Arg('types', () => [EventType], { nullable: true, description: TYPES_DESCRIPTION }) types: Types,
    @Arg('order', () => EventOrder, { defaultValue: EventOrder.NEWEST_FIRST }) order: EventOrder,
  ): Promise<EventConnection> {
    const page = {
      first: pageSize(first) + 1,
      after: after ?? null,
      types: types ?? null,
      oldestFirst: order === EventOrder.OLDEST_FIRST,
    };
    return connectionOfRows(await context.services.eventLog.page(accountIdIn(context), page), first, eventView);
  }

  @Access('owner')
  @Query(() => Event, { nullable: true, description: 'Null if it does not exist or is no longer kept.' })
  async event(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<Event | null> {
    const event = await context.services.eventLog.find(accountIdIn(context), id);
    return event && eventView(event);
  }

  @Access('owner')
  @Subscription(() => Event, {
    subscribe: ({ args, context }: Subscribing<{ after?: string | null; types?: Types }>) => newEvents(context, args),
    description:
      'Every event, oldest first: those after the cursor `after`, or those from now on. Resuming with the cursor of the ' +
      'last event misses none.',
  })
  eventAdded(
    @Root() event: Event,
    @Arg('after', () => String, { nullable: true }) _after: string | null | undefined,
    @Arg('types', () => [EventType], { nullable: true, description: TYPES_DESCRIPTION }) _types: Types,
  ): Event {
    return event;
  }
}

/** Listens before it reads, so that no event is missed in between. @throws INVALID_INPUT */
async function newEvents(
  context: GraphqlContext,
  args: { after?: string | null; types?: Types },
): Promise<AsyncIterable<Event>> {
  const { eventLog, events } = context.services;
  const accountId = accountIdIn(context);
  const changes = events.subscribe(accountId, context.signal);
  let after = args.after ?? (await eventLog.newestCursor(accountId));
  const read = async () => {
    // Read first: everything up to it has been looked through once the page is not full.
    const newest = await eventLog.newestCursor(accountId);
    const page = await eventLog.page(accountId, {
      first: CATCH_UP,
      after,
      types: args.types ?? null,
      oldestFirst: true,
    });
    return { page, newest };
  };
  let { page, newest } = await read();
  async function* unread(): AsyncGenerator<Event> {
    for (;;) {
      for (const event of page) {
        yield eventView(event);
        after = event.cursor;
      }
      if (page.length < CATCH_UP) break;
      ({ page, newest } = await read());
    }
    // Otherwise each event would have the log read again from the last one of a rare type.
    if (BigInt(newest) > BigInt(after)) after = newest;
  }
  return (async function* added() {
    yield* unread();
    for await (const change of changes) {
      if (change.kind !== 'event' && change.kind !== 'missed') continue;
      ({ page, newest } = await read());
      yield* unread();
    }
  })();
}

function eventView(event: LoggedEvent): Event {
  const { id, type, version, createdAt, cursor } = event;
  return { id, type, version, createdAt, cursor, payload: eventBody(event) };
}
