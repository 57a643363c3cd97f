import { words } from '#words/webhooks.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { WebhookEndpointsDocument } from '../generated/graphql.js';
import { Changes } from '../parts/Changes.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState, ErrorState } from '../parts/States.js';
import { EndpointCard } from './EndpointCard.js';
import { EndpointDialog } from './EndpointDialog.js';

/** The URLs that the account's events are posted to, and what was sent to each. */
export default function WebhooksPage() {
  const { data, error, refetch } = useQuery(WebhookEndpointsDocument, { fetchPolicy: 'cache-and-network' });
  const [adding, setAdding] = useState(false);
  const endpoints = data?.webhookEndpoints ?? [];
  const add = (
    <Changes>
      <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setAdding(true)}>
        {words.page.add}
      </Button>
    </Changes>
  );

  return (
    <>
      <PageHead title={words.page.title} note={words.page.note}>
        {endpoints.length > 0 ? add : null}
      </PageHead>
      {error && !data ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? (
        <Stack gap="sm" role="status" aria-busy="true" aria-label={words.page.loading}>
          <Skeleton height={112} radius="lg" />
          <Skeleton height={112} radius="lg" />
        </Stack>
      ) : null}
      {data && endpoints.length === 0 ? (
        <div className="panel">
          <EmptyState icon="webhook" title={words.page.none} advice={words.page.noneAdvice}>
            {add}
          </EmptyState>
        </div>
      ) : null}
      <Stack gap="sm">
        {endpoints.map((endpoint) => (
          <EndpointCard key={endpoint.id} endpoint={endpoint} isOpen={endpoints.length === 1} />
        ))}
      </Stack>
      <EndpointDialog opened={adding} onClose={() => setAdding(false)} />
    </>
  );
}
