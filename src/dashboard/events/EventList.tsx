import { words } from '#words/events.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton, Stack } from '@mantine/core';
import { useRef, useState } from 'react';
import { EVENT_TYPES } from '../generated/eventTypes.js';
import { EventsDocument, type EventFieldsFragment, type EventType } from '../generated/graphql.js';
import { showAge, showMoment } from '../lib/format.js';
import { EmptyState, ErrorState } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { WindowedList } from '../parts/WindowedList.js';
import { EventPanel } from './EventPanel.js';
import classes from './EventsPage.module.css';
import { subjectOf } from './payload.js';
import { useNewEvents } from './useNewEvents.js';

const PAGE = 50;
const ROW_PX = 52;

interface Props {
  /** All types if undefined. */
  readonly type: EventType | undefined;
  readonly onShowAll: () => void;
}

/** Events of one filter, newest first. New ones appear on top. */
export function EventList({ type, onShowAll }: Props) {
  const types = type ? [type] : null;
  const { data, error, refetch, fetchMore } = useQuery(EventsDocument, { variables: { first: PAGE, types } });
  const read = data?.events.edges.map(({ node }) => node);
  const events = useNewEvents(read, types, () => void refetch());
  const [openId, setOpenId] = useState<string>();
  const opener = useRef<HTMLElement>(null);
  const more = useAction(() => fetchMore({ variables: { after: data?.events.pageInfo.endCursor ?? null } }));

  if (!data && error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (events.length === 0) {
    return type === undefined ? (
      <EmptyState icon="events" title={words.none} advice={words.noneAdvice} />
    ) : (
      <EmptyState icon="events" title={words.noneOfType} advice={words.noneOfTypeAdvice}>
        <Button variant="default" onClick={onShowAll}>
          {words.showAll}
        </Button>
      </EmptyState>
    );
  }
  return (
    <>
      <WindowedList
        label={words.list}
        items={events}
        keyOf={({ id }) => id}
        render={(event) => (
          <Row
            event={event}
            onOpen={(button) => {
              opener.current = button;
              setOpenId(event.id);
            }}
          />
        )}
        estimatePx={ROW_PX}
        hasMore={data.events.pageInfo.hasNextPage}
        loadingMore={more.busy}
        onMore={() => void more.run()}
        error={more.error}
      />
      <EventPanel
        event={events.find(({ id }) => id === openId)}
        onClose={() => {
          setOpenId(undefined);
          opener.current?.focus();
        }}
      />
    </>
  );
}

interface RowProps {
  readonly event: EventFieldsFragment;
  readonly onOpen: (button: HTMLElement) => void;
}

function Row({ event, onOpen }: RowProps) {
  return (
    <button type="button" className={classes['row']} onClick={({ currentTarget }) => onOpen(currentTarget)}>
      <code className={classes['type']}>{EVENT_TYPES[event.type]}</code>
      <span className={classes['subject']}>{subjectOf(event.payload)}</span>
      <time className={classes['time']} dateTime={event.createdAt} title={showMoment(event.createdAt)}>
        {showAge(event.createdAt)}
      </time>
    </button>
  );
}

function Loading() {
  return (
    <Stack gap="sm" p="md" role="status" aria-busy="true" aria-label={words.loading}>
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <Skeleton key={key} height={36} />
      ))}
    </Stack>
  );
}
