import { words } from '#words/settings.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { BrandDocument } from '../generated/graphql.js';
import { ErrorState } from '../parts/States.js';
import { BrandEditor } from './BrandEditor.js';
import { LogoDrop } from './LogoDrop.js';

/** The logo that can be burned into videos: upload it, or edit its placement. */
export function Branding() {
  const { data, error, refetch } = useQuery(BrandDocument, { fetchPolicy: 'cache-and-network' });
  const top = useRef<HTMLDivElement>(null);
  const { hash } = useLocation();
  const isKnown = data !== undefined;
  useEffect(() => {
    // Scroll here for links from an upload.
    if (hash === '#branding' && isKnown) top.current?.scrollIntoView({ block: 'center' });
  }, [hash, isKnown]);
  const reload = () => refetch();

  return (
    <Stack ref={top} id="branding">
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
