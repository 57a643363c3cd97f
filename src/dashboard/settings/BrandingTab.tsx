import { words } from '#words/settings.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton, Stack, Text } from '@mantine/core';
import { BrandDocument } from '../generated/graphql.js';
import { ErrorState } from '../parts/States.js';
import { BrandEditor } from './BrandEditor.js';
import { LogoDrop } from './LogoDrop.js';
import { SettingsCard, SettingsCards } from './SettingsCards.js';

export default function BrandingTab() {
  return (
    <SettingsCards>
      <SettingsCard title={words.page.branding}>
        <Branding />
      </SettingsCard>
    </SettingsCards>
  );
}

/** The logo that can be burned into videos: upload it, or edit its placement. */
function Branding() {
  const { data, error, refetch } = useQuery(BrandDocument, { fetchPolicy: 'cache-and-network' });
  const reload = () => refetch();

  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {words.brand.note}
      </Text>
      {data ? (
        data.brand ? (
          <BrandEditor brand={data.brand} onChanged={reload} />
        ) : (
          <LogoDrop title={words.brand.drop} onSent={reload} />
        )
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={200} role="status" aria-busy="true" aria-label={words.brand.loading} />
      )}
    </Stack>
  );
}
