import { words } from '#words/accessTokens.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { AccessTokensDocument, type AccessTokensQuery, RevokeAccessTokenDocument } from '../generated/graphql.js';
import { showAge, showDay, showMoment } from '../lib/format.js';
import { Changes } from '../parts/Changes.js';
import { ConfirmDialog } from '../parts/ConfirmDialog.js';
import { ErrorState } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { CreateTokenDialog } from './CreateTokenDialog.js';
import classes from './SettingsPage.module.css';

type OneToken = AccessTokensQuery['accessTokens'][number];

/** The owner's access tokens: scopes, last use, expiry. */
export function AccessTokens() {
  const { data, error, refetch } = useQuery(AccessTokensDocument, { fetchPolicy: 'cache-and-network' });
  const [creating, setCreating] = useState(false);
  return (
    <>
      <Text size="sm" c="dimmed">
        {words.note}
      </Text>
      {!data && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton height={64} role="status" aria-busy="true" aria-label={words.loading} /> : null}
      {data?.accessTokens.length === 0 ? <Text size="sm">{words.none}</Text> : null}
      {data && data.accessTokens.length > 0 ? (
        <ul className={classes['sessions']}>
          {data.accessTokens.map((token) => (
            <li key={token.id}>
              <TokenLine token={token} onRevoked={() => void refetch()} />
            </li>
          ))}
        </ul>
      ) : null}
      <Group>
        <Changes>
          <Button variant="default" onClick={() => setCreating(true)}>
            {words.create}
          </Button>
        </Changes>
      </Group>
      <CreateTokenDialog opened={creating} onClose={() => setCreating(false)} />
    </>
  );
}

function TokenLine({ token, onRevoked }: { token: OneToken; onRevoked: () => void }) {
  const [asking, setAsking] = useState(false);
  const [revoke] = useMutation(RevokeAccessTokenDocument);
  const facts = [
    `${token.prefix}…${token.last4}`,
    words.created(showAge(token.createdAt)),
    token.lastUsedAt === null ? words.neverUsed : words.lastUsed(showAge(token.lastUsedAt)),
    token.expiresAt === null ? words.neverExpires : words.expires(showDay(token.expiresAt)),
  ];
  return (
    <>
      <div>
        <Group gap={6}>
          <Text size="sm" fw={600} component="span" className="clip">
            {token.name}
          </Text>
          {token.scopes.map((scope) => (
            <Badge key={scope} color="gray" variant="light" tt="none">
              {words.scopes[scope]}
            </Badge>
          ))}
        </Group>
        <Text size="xs" c="dimmed" title={showMoment(token.createdAt)}>
          {facts.join(' · ')}
        </Text>
      </div>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={words.revokeOne(token.name)}
        onClick={() => setAsking(true)}
      >
        {words.revoke}
      </Button>
      <ConfirmDialog
        opened={asking}
        title={words.revokeTitle}
        verb={words.revoke}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await revoke({ variables: { id: token.id } });
          onRevoked();
          showToast({ kind: 'good', title: words.revoked(token.name) });
        }}
      >
        {words.revokeNote(token.name)}
      </ConfirmDialog>
    </>
  );
}
