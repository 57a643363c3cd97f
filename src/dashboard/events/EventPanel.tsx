import { words } from '#words/events.js';
import { Drawer, Stack } from '@mantine/core';
import { EVENT_TYPES } from '../generated/eventTypes.js';
import type { EventFieldsFragment } from '../generated/graphql.js';
import { showMoment } from '../lib/format.js';
import { CopyField } from '../parts/CopyField.js';
import classes from './EventsPage.module.css';
import { prettyPayload } from './payload.js';

interface Props {
  /** Undefined: closed. */
  readonly event: EventFieldsFragment | undefined;
  readonly onClose: () => void;
}

/** One event with its payload, as webhooks deliver it. */
export function EventPanel({ event, onClose }: Props) {
  return (
    <Drawer
      opened={event !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={event ? <code className={classes['type']}>{EVENT_TYPES[event.type]}</code> : null}
      closeButtonProps={{ 'aria-label': words.detail.close }}
    >
      {event ? (
        <Stack gap="md">
          <dl className={classes['facts']}>
            <dt>{words.detail.time}</dt>
            <dd>{showMoment(event.createdAt)}</dd>
            <dt>{words.detail.version}</dt>
            <dd>{event.version}</dd>
          </dl>
          <CopyField label={words.detail.id} value={event.id} />
          <CopyField label={words.detail.payload} value={prettyPayload(event.payload)} block />
        </Stack>
      ) : null}
    </Drawer>
  );
}
