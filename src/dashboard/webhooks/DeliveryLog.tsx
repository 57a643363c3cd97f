import { words as all } from '#words/webhooks.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Badge, Button, Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import {
  ReplayWebhookDeliveryDocument,
  WebhookAttemptsDocument,
  WebhookDeliveriesDocument,
  type WebhookDeliveryFieldsFragment,
  type WebhookDeliveryState,
} from '../generated/graphql.js';
import { showMoment } from '../lib/format.js';
import { Changes } from '../parts/Changes.js';
import { ErrorState, FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import classes from './Webhooks.module.css';

const words = all.log;
const PAGE = 10;
/** Ten at most, and what was replayed. */
const ATTEMPTS = 20;
const REFRESH_MS = 5_000;
const COLORS = { PENDING: 'yellow', SUCCEEDED: 'teal', FAILED: 'red' } as const;

interface Props {
  readonly endpointId: string;
  readonly isEnabled: boolean;
}

/** What was sent to one endpoint, newest first. Reads itself again every few seconds until older pages are shown. */
export function DeliveryLog({ endpointId, isEnabled }: Props) {
  const [state, setState] = useState<WebhookDeliveryState | ''>('');
  const { data, error, refetch, fetchMore, startPolling, stopPolling } = useQuery(WebhookDeliveriesDocument, {
    variables: { endpointId, first: PAGE, state: state || null },
    fetchPolicy: 'cache-and-network',
    pollInterval: REFRESH_MS,
  });
  const page = data?.webhookDeliveries;
  const more = useAction(async () => {
    // A poll would read the first page alone.
    stopPolling();
    await fetchMore({
      variables: { after: page?.pageInfo.endCursor },
      updateQuery: (before, { fetchMoreResult: { webhookDeliveries: next } }) => ({
        webhookDeliveries: { ...next, edges: [...before.webhookDeliveries.edges, ...next.edges] },
      }),
    });
  });
  const refresh = () => {
    startPolling(REFRESH_MS);
    void refetch();
  };

  return (
    <section aria-label={words.title} className={classes['log']}>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label={words.state}
          value={state}
          data={[
            { value: '', label: words.all },
            ...Object.entries(words.states).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(event) => setState(event.currentTarget.value as WebhookDeliveryState | '')}
        />
        <Button size="xs" variant="default" onClick={refresh}>
          {words.refresh}
        </Button>
      </Group>
      {error && !page ? <ErrorState error={error} onRetry={refresh} /> : null}
      {!page && !error ? <Skeleton height={64} role="status" aria-busy="true" aria-label={words.loading} /> : null}
      {page?.edges.length === 0 ? <Text size="sm">{state === '' ? words.none : words.noneOfState}</Text> : null}
      {page && page.edges.length > 0 ? (
        <ul className={classes['deliveries']} aria-label={words.list}>
          {page.edges.map(({ node }) => (
            <li key={node.id}>
              <DeliveryRow endpointId={endpointId} delivery={node} isEnabled={isEnabled} onReplayed={refresh} />
            </li>
          ))}
        </ul>
      ) : null}
      <FormError error={more.error} />
      {page?.pageInfo.hasNextPage ? (
        <Group>
          <Button size="xs" variant="default" loading={more.busy} onClick={() => void more.run()}>
            {words.more}
          </Button>
        </Group>
      ) : null}
    </section>
  );
}

interface RowProps extends Props {
  readonly delivery: WebhookDeliveryFieldsFragment;
  readonly onReplayed: () => void;
}

function DeliveryRow({ endpointId, delivery, isEnabled, onReplayed }: RowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { eventType, state, attempts, createdAt, nextAttemptAt, lastStatus, lastError } = delivery;
  const facts = [
    showMoment(createdAt),
    ...(attempts === 0 ? [] : [words.attempts(attempts)]),
    ...(lastError === null ? (lastStatus === null ? [] : [words.delivered(lastStatus)]) : [lastError]),
    ...(attempts > 0 && nextAttemptAt !== null ? [words.next(showMoment(nextAttemptAt))] : []),
  ];
  const [replay] = useMutation(ReplayWebhookDeliveryDocument);
  const { run, busy, error } = useAction(async () => {
    await replay({ variables: { endpointId, deliveryId: delivery.id } });
    showToast({ kind: 'good', title: words.replayed });
    onReplayed();
  });

  return (
    <>
      <div className={classes['delivery']}>
        <button type="button" className={classes['open']} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <Group gap={8} wrap="wrap">
            <Text size="sm" fw={600} component="span">
              {eventType}
            </Text>
            <Badge color={COLORS[state]} variant="light" tt="none">
              {words.states[state]}
            </Badge>
          </Group>
          <Text size="xs" c="dimmed" component="span" className={classes['facts']}>
            {facts.join(' · ')}
          </Text>
        </button>
        {isEnabled ? (
          <Changes>
            <Button size="compact-sm" variant="subtle" loading={busy} onClick={() => void run()}>
              {words.replay}
            </Button>
          </Changes>
        ) : null}
      </div>
      <FormError error={error} />
      {isOpen ? <Attempts endpointId={endpointId} delivery={delivery} /> : null}
    </>
  );
}

function Attempts({ endpointId, delivery }: { endpointId: string; delivery: WebhookDeliveryFieldsFragment }) {
  const { data, error, refetch } = useQuery(WebhookAttemptsDocument, {
    variables: { endpointId, deliveryId: delivery.id, first: ATTEMPTS },
    fetchPolicy: 'cache-and-network',
    pollInterval: REFRESH_MS,
  });
  const attempts = data?.webhookAttempts.edges.map(({ node }) => node);
  if (error && !attempts) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!attempts) return <Skeleton height={48} role="status" aria-busy="true" aria-label={words.loadingAttempts} />;
  return (
    <div className={classes['attempts']}>
      <Text size="xs" c="dimmed" className={classes['facts']}>
        {delivery.eventId}
      </Text>
      {attempts.length === 0 ? <Text size="sm">{words.noAttempts}</Text> : null}
      <ol aria-label={words.attemptList}>
        {attempts.map(({ id, createdAt, status, error: reason, durationMs, responseBody }) => (
          <li key={id}>
            <Text size="sm">
              {[showMoment(createdAt), reason ?? words.delivered(status ?? 0), words.took(durationMs)].join(' · ')}
            </Text>
            {responseBody === '' ? null : <pre className={classes['response']}>{responseBody}</pre>}
          </li>
        ))}
      </ol>
    </div>
  );
}
