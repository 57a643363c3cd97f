import { words } from '#words/support.js';
import { useQuery } from '@apollo/client/react';
import { Anchor, NativeSelect } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import {
  StaffWebhooksDocument,
  type PaymentProviderName,
  type StaffWebhookFragment,
  type WebhookStatus,
} from '../../generated/graphql.js';
import { PageHead } from '../../parts/PageHead.js';
import { AccountLink, Ago, StateBadge } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { PAGE, StaffList } from '../parts/StaffList.js';
import { PROVIDER, WEBHOOK } from '../states.js';
import { ReplayButton } from './ReplayButton.js';

const STATUSES = Object.entries(WEBHOOK).map(([value, { label }]) => ({ value, label }));
const PROVIDERS = Object.entries(PROVIDER).map(([value, label]) => ({ value, label }));

/** The inbox: every webhook with a valid signature. The filter is in the address, so that it can be shared. */
export default function Webhooks() {
  const [parameters, setParameters] = useSearchParams();
  const status = parameters.get('status') ?? '';
  const provider = parameters.get('provider') ?? '';
  const variables = {
    first: PAGE,
    status: status in WEBHOOK ? (status as WebhookStatus) : null,
    provider: provider in PROVIDER ? (provider as PaymentProviderName) : null,
  };
  const { data, error, refetch, fetchMore } = useQuery(StaffWebhooksDocument, { variables });

  function narrow(name: string, value: string): void {
    setParameters((before) => {
      if (value) before.set(name, value);
      else before.delete(name);
      return before;
    });
  }

  return (
    <>
      <PageHead title={words.webhooks.webhooks} note={words.webhooks.paymentProviderEventsAs} />
      <StaffList
        label={words.webhooks.webhookEvents}
        pages={data?.webhookEvents}
        error={error}
        onRetry={() => void refetch()}
        onMore={(after) => fetchMore({ variables: { after } })}
        keyOf={(event) => event.id}
        render={(event) => <EventRow event={event} />}
        empty={{ icon: 'mail', title: words.webhooks.noWebhooks, advice: words.webhooks.noMatchingWebhooks }}
        filters={
          <>
            <NativeSelect
              size="xs"
              aria-label={words.webhooks.state}
              value={status}
              data={[{ value: '', label: words.webhooks.allStates }, ...STATUSES]}
              onChange={(event) => narrow('status', event.currentTarget.value)}
            />
            <NativeSelect
              size="xs"
              aria-label={words.webhooks.provider}
              value={provider}
              data={[{ value: '', label: words.webhooks.allProviders }, ...PROVIDERS]}
              onChange={(event) => narrow('provider', event.currentTarget.value)}
            />
          </>
        }
      />
    </>
  );
}

function EventRow({ event }: { event: StaffWebhookFragment }) {
  return (
    <>
      <div className={classes['what']}>
        <span className={classes['line']}>
          <Anchor component={Link} to={`/support/webhooks/${event.id}`} fw={600} inherit>
            {event.type}
          </Anchor>
          <StateBadge look={WEBHOOK[event.status]} />
          {event.accountId ? <AccountLink id={event.accountId} email={event.accountEmail} /> : null}
        </span>
        <span className={classes['soft']}>
          <span>{PROVIDER[event.provider]}</span>
          <span className={classes['mono']}>{event.eventId}</span>
          {event.paymentId ? <span className={classes['mono']}>{event.paymentId}</span> : null}
          {event.outcome ? <span>{event.outcome}</span> : null}
          {event.attempts > 1 ? <span>{words.webhooks.attempts(event.attempts)}</span> : null}
          <Ago at={event.receivedAt} />
        </span>
        {event.lastError && event.status !== 'DONE' ? (
          <span className={classes['quote']}>{event.lastError}</span>
        ) : null}
      </div>
      <div className={classes['end']}>
        <ReplayButton id={event.id} type={event.type} />
      </div>
    </>
  );
}
