import { words } from '#words/support.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton, Stack, Title } from '@mantine/core';
import { CopyButton } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { StaffWebhookDocument, type StaffWebhookQuery } from '../../generated/graphql.js';
import { showMoment } from '../../lib/format.js';
import { Icon } from '../../parts/Icon.js';
import { PageHead } from '../../parts/PageHead.js';
import { ErrorState } from '../../parts/States.js';
import { AccountLink, Facts, StateBadge } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { PROVIDER, WEBHOOK } from '../states.js';
import { ReplayButton } from './ReplayButton.js';

const WATCH_MS = 1500;

export default function WebhookPage() {
  const { id = '' } = useParams();
  const { data, error, refetch, stopPolling, startPolling } = useQuery(StaffWebhookDocument, { variables: { id } });
  const event = data?.webhookEvent;
  // It is processed within moments; poll to show that.
  if (event?.status === 'PENDING') startPolling(WATCH_MS);
  else stopPolling();

  return (
    <>
      <PageHead
        title={event?.type ?? words.webhookPage.webhook}
        note={event ? `${PROVIDER[event.provider]}, ${event.eventId}` : null}
      >
        <Button
          component={Link}
          to="/support/webhooks"
          size="xs"
          variant="subtle"
          leftSection={<Icon name="back" size={16} />}
        >
          {words.webhookPage.allWebhooks}
        </Button>
        {event ? <ReplayButton id={event.id} type={event.type} /> : null}
      </PageHead>
      {!event && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!event && !error ? <Skeleton height={320} radius="lg" role="status" aria-busy="true" /> : null}
      {event ? <Delivery event={event} /> : null}
    </>
  );
}

function Delivery({ event }: { event: StaffWebhookQuery['webhookEvent'] }) {
  const when = (at: string | null) => (at === null ? null : showMoment(at));
  return (
    <Stack gap="lg">
      <section className={`panel ${classes['card']}`} aria-label={words.webhookPage.result}>
        <Facts
          of={[
            [words.webhookPage.state, <StateBadge key="state" look={WEBHOOK[event.status]} />],
            [words.webhookPage.outcome, event.outcome],
            [words.webhookPage.lastError, event.lastError],
            [
              words.webhookPage.account,
              event.accountId ? <AccountLink key="who" id={event.accountId} email={event.accountEmail} /> : null,
            ],
            [words.webhookPage.payment, event.paymentId],
            [words.webhookPage.failedAttempts, String(event.attempts)],
            [words.webhookPage.occurred, when(event.providerCreatedAt)],
            [words.webhookPage.received, when(event.receivedAt)],
            [words.webhookPage.settled, when(event.processedAt)],
            [
              words.webhookPage.nextAttempt,
              event.status === 'WAITING' || event.status === 'PENDING' ? when(event.nextAttemptAt) : null,
            ],
          ]}
        />
      </section>
      <section className={`panel ${classes['card']}`} aria-labelledby="body-title">
        <div className={classes['cardHead']}>
          <Title order={2} id="body-title">
            {words.webhookPage.body}
          </Title>
          <CopyButton value={event.body} timeout={2000}>
            {({ copied, copy }) => (
              <Button
                size="xs"
                variant="default"
                onClick={copy}
                leftSection={<Icon name={copied ? 'check' : 'copy'} size={15} />}
              >
                {copied ? words.webhookPage.copied : words.webhookPage.copyAsReceived}
              </Button>
            )}
          </CopyButton>
        </div>
        <pre className={classes['body']}>{pretty(event.body)}</pre>
      </section>
    </Stack>
  );
}

/** Indented JSON; anything else as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
