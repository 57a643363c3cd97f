import { words } from '#words/settings.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Skeleton, Switch, Text } from '@mantine/core';
import {
  NotificationsDocument,
  SetNotificationDocument,
  type NotificationFieldsFragment,
} from '../generated/graphql.js';
import { ErrorState, FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import classes from './NotificationsTab.module.css';
import { SettingsCard, SettingsCards } from './SettingsCards.js';

/** What the owner hears of, and how. Each switch counts at once. */
export default function NotificationsTab() {
  const { data, error, refetch } = useQuery(NotificationsDocument, { fetchPolicy: 'cache-and-network' });
  const list = data?.notifications;
  return (
    <SettingsCards>
      <SettingsCard title={words.notifications.title}>
        <Text size="sm" c="dimmed">
          {words.notifications.note}
        </Text>
        {!list && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
        {!list && !error ? (
          <Skeleton height={320} role="status" aria-busy="true" aria-label={words.notifications.loading} />
        ) : null}
        {list ? (
          <ul className={classes['kinds']}>
            {list.map((one) => (
              <Kind key={one.kind} notification={one} />
            ))}
            <AlwaysSent name={words.notifications.receipts} note={words.notifications.receiptsNote} />
            <AlwaysSent name={words.notifications.security} note={words.notifications.securityNote} />
          </ul>
        ) : null}
      </SettingsCard>
    </SettingsCards>
  );
}

function Kind({ notification: { kind, email, dashboard } }: { notification: NotificationFieldsFragment }) {
  const [set] = useMutation(SetNotificationDocument, {
    update(cache, { data }) {
      const changed = data?.setNotification;
      if (!changed) return;
      cache.updateQuery(
        { query: NotificationsDocument },
        (before) =>
          before && { notifications: before.notifications.map((one) => (one.kind === changed.kind ? changed : one)) },
      );
    },
  });
  const save = useAction((channels: { email?: boolean; dashboard?: boolean }) =>
    set({ variables: { kind, ...channels } }),
  );
  const { name, note } = words.notifications.kinds[kind];
  const aboutId = `about-${kind}`;
  return (
    <li>
      <About id={aboutId} name={name} note={note} />
      <div className={classes['channels']}>
        <Switch
          label={words.notifications.email}
          aria-describedby={aboutId}
          checked={email}
          disabled={save.busy}
          onChange={(event) => void save.run({ email: event.currentTarget.checked })}
        />
        {dashboard === null ? null : (
          <Switch
            label={words.notifications.dashboard}
            aria-describedby={aboutId}
            checked={dashboard}
            disabled={save.busy}
            onChange={(event) => void save.run({ dashboard: event.currentTarget.checked })}
          />
        )}
      </div>
      <FormError error={save.error} />
    </li>
  );
}

function AlwaysSent({ name, note }: { name: string; note: string }) {
  return (
    <li>
      <About name={name} note={note} />
      <Text size="sm" c="dimmed">
        {words.notifications.always}
      </Text>
    </li>
  );
}

function About({ id, name, note }: { id?: string; name: string; note: string }) {
  return (
    <div id={id}>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </div>
  );
}
