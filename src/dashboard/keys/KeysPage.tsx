import { words } from '#words/keys.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { isTestMode, switchMode } from '../session/mode.js';
import { useIsReadOnly } from '../session/viewer.js';
import { ApiKeysDocument } from '../generated/graphql.js';
import { withoutParameter } from '../lib/withoutParameter.js';
import { Changes } from '../parts/Changes.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState, ErrorState } from '../parts/States.js';
import { useScrollToHash } from '../parts/useScrollToHash.js';
import { CreateKeyDialog } from './CreateKeyDialog.js';
import { HowToUse } from './HowToUse.js';
import { KeyCard } from './KeyCard.js';
import { RevokedKeys } from './RevokedKeys.js';

/** With at most this many keys, all their charts fit on a screen. */
const OPEN_AT_ONCE = 2;

export default function KeysPage() {
  const { data, error, refetch } = useQuery(ApiKeysDocument);
  const [creating, setCreating] = useState(false);
  // The palette opens the dialog with the page.
  const [search, setSearch] = useSearchParams();
  const isReadOnly = useIsReadOnly();
  const isAsked = search.has('create') && !isReadOnly;
  useScrollToHash(data && 'keys');
  const live = data?.apiKeys.filter(({ revokedAt }) => revokedAt === null) ?? [];
  const revoked = data?.apiKeys.filter(({ revokedAt }) => revokedAt !== null) ?? [];

  function close(): void {
    setCreating(false);
    if (isAsked) setSearch(withoutParameter('create'), { replace: true });
  }

  const create = (
    <Changes>
      <Button leftSection={<Icon name="key" size={18} />} onClick={() => setCreating(true)}>
        {words.page.create}
      </Button>
    </Changes>
  );
  return (
    <>
      <PageHead title={words.page.title} note={isTestMode ? words.page.testNote : words.page.note}>
        {isTestMode ? null : (
          <Changes evenIfSuspended>
            <Button variant="default" onClick={() => switchMode('test', '/keys')}>
              {words.page.openTestMode}
            </Button>
          </Changes>
        )}
        {live.length > 0 ? create : null}
      </PageHead>
      {error && !data ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Loading /> : null}
      <Stack gap="sm">
        {data && live.length === 0 ? (
          <div className="panel">
            <EmptyState icon="key" title={words.page.none} advice={words.page.noneAdvice}>
              {create}
            </EmptyState>
          </div>
        ) : null}
        {live.map((key) => (
          <KeyCard key={key.id} apiKey={key} isOpen={live.length <= OPEN_AT_ONCE} />
        ))}
        {data ? <HowToUse /> : null}
      </Stack>
      {revoked.length > 0 ? <RevokedKeys newest={revoked} /> : null}
      <CreateKeyDialog opened={creating || isAsked} onClose={close} />
    </>
  );
}

function Loading() {
  return (
    <Stack gap="sm" role="status" aria-busy="true" aria-label={words.page.loading}>
      <Skeleton height={112} radius="lg" />
      <Skeleton height={112} radius="lg" />
    </Stack>
  );
}
