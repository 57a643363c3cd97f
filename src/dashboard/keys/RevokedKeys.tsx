import { words } from '#words/keys.js';
import { useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Title } from '@mantine/core';
import { RevokedApiKeysDocument, type ApiKeyFieldsFragment } from '../generated/graphql.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { KeyCard } from './KeyCard.js';

interface Props {
  /** The most recently revoked keys, which the list of keys includes. */
  readonly newest: readonly ApiKeyFieldsFragment[];
}

/** As many as the list of keys includes. */
const PAGE = 20;

export function RevokedKeys({ newest }: Props) {
  const last = newest.toSorted((a, b) => (b.revokedAt ?? '').localeCompare(a.revokedAt ?? ''));
  const { data, fetchMore } = useQuery(RevokedApiKeysDocument, {
    variables: { first: PAGE },
    skip: newest.length < PAGE,
  });
  const page = data?.revokedApiKeys;
  const shown = page && page.edges.length > last.length ? page.edges.map(({ node }) => node) : last;
  const { run, busy, error } = useAction(async () => {
    await fetchMore({
      variables: { after: page?.pageInfo.endCursor },
      updateQuery: (before, { fetchMoreResult: { revokedApiKeys: next } }) => ({
        revokedApiKeys: { ...next, edges: [...before.revokedApiKeys.edges, ...next.edges] },
      }),
    });
  });

  return (
    <section aria-labelledby="revoked-title">
      <Title order={2} mt="xl" mb="sm" id="revoked-title">
        {words.revoked.title}
      </Title>
      <Stack gap="sm">
        {shown.map((key) => (
          <KeyCard key={key.id} apiKey={key} />
        ))}
        <FormError error={error} />
        {page?.pageInfo.hasNextPage ? (
          <Group>
            <Button variant="default" loading={busy} onClick={() => void run()}>
              {words.revoked.showOlder}
            </Button>
          </Group>
        ) : null}
      </Stack>
    </section>
  );
}
