import { words } from '#words/events.js';
import { useSubscription } from '@apollo/client/react';
import { useMemo, useState } from 'react';
import { EVENT_TYPES } from '../generated/eventTypes.js';
import { EventAddedDocument, type EventFieldsFragment, type EventType } from '../generated/graphql.js';
import { announce } from '../parts/Announcer.js';

/** How many new events are kept beside the list before it is read again. */
const MOST_ADDED = 200;

/**
 * The events of `read`, and above them those that have happened since, newest first.
 *
 * The subscription resumes after the newest event that was read first, so that none is missed between the two. It sends
 * events again after a lost connection; each is shown once.
 */
export function useNewEvents(
  read: readonly EventFieldsFragment[] | undefined,
  types: EventType[] | null,
  readAgain: () => void,
): readonly EventFieldsFragment[] {
  const [after, setAfter] = useState<string>();
  if (after === undefined && read) setAfter(read[0]?.cursor ?? '0');
  const [added, setAdded] = useState<readonly EventFieldsFragment[]>([]);

  useSubscription(EventAddedDocument, {
    variables: { after, types },
    skip: after === undefined,
    onData: ({ data }) => {
      const event = data.data?.eventAdded;
      if (!event || [...added, ...(read ?? [])].some(({ id }) => id === event.id)) return;
      announce(words.added(EVENT_TYPES[event.type]));
      if (added.length < MOST_ADDED) return setAdded((before) => withNew(event, before));
      setAdded([]);
      readAgain();
    },
  });

  return useMemo(() => {
    const known = new Set(read?.map(({ id }) => id));
    return [...added.filter(({ id }) => !known.has(id)), ...(read ?? [])];
  }, [added, read]);
}

/** Several may arrive before the page is drawn again. */
function withNew(event: EventFieldsFragment, events: readonly EventFieldsFragment[]): readonly EventFieldsFragment[] {
  return events.some(({ id }) => id === event.id) ? events : [event, ...events];
}
