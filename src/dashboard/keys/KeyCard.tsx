import { words } from '#words/keys.js';
import { useMutation } from '@apollo/client/react';
import { ActionIcon, Badge, Button, Code, Group, Progress, Text } from '@mantine/core';
import { useState } from 'react';
import { RevokeApiKeyDocument, type ApiKeyFieldsFragment } from '../generated/graphql.js';
import { showDay } from '../lib/format.js';
import { announce } from '../parts/Announcer.js';
import { Changes } from '../parts/Changes.js';
import { ConfirmDialog } from '../parts/ConfirmDialog.js';
import { Icon } from '../parts/Icon.js';
import classes from './KeyCard.module.css';
import { RenameForm } from './RenameForm.js';
import { UsageChart } from './UsageChart.js';

interface Props {
  readonly apiKey: ApiKeyFieldsFragment;
  /** Whether its last thirty days are shown at first. */
  readonly isOpen?: boolean;
}

export function KeyCard({ apiKey, isOpen = false }: Props) {
  const [showsDays, setShowsDays] = useState(isOpen);
  const [renaming, setRenaming] = useState(false);
  const revoked = apiKey.revokedAt !== null;

  return (
    <article
      id={apiKey.id}
      className={`panel ${classes['card']}`}
      aria-label={words.card.label(apiKey.name)}
      data-revoked={revoked || undefined}
    >
      <div className={classes['head']}>
        {renaming ? (
          <RenameForm apiKey={apiKey} onDone={() => setRenaming(false)} />
        ) : (
          <Group gap={6} wrap="nowrap" miw={0}>
            <Text fw={600} className="clip">
              {apiKey.name}
            </Text>
            {revoked ? (
              <Badge color="gray" tt="none">
                {words.card.revoked}
              </Badge>
            ) : (
              <Changes>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={words.card.rename(apiKey.name)}
                  onClick={() => setRenaming(true)}
                >
                  <Icon name="edit" size={15} />
                </ActionIcon>
              </Changes>
            )}
          </Group>
        )}
        {revoked || renaming ? null : <Revoke apiKey={apiKey} />}
      </div>
      <Group gap="sm" c="dimmed" fz="sm">
        <Code>
          {apiKey.prefix}…{apiKey.last4}
        </Code>
        <span>
          {apiKey.revokedAt === null
            ? words.card.createdOn(showDay(apiKey.createdAt))
            : words.card.revokedOn(showDay(apiKey.revokedAt))}
        </span>
      </Group>
      {revoked ? null : <Usage apiKey={apiKey} />}
      {showsDays ? (
        <UsageChart apiKey={apiKey} />
      ) : (
        <Group>
          <Button size="compact-sm" variant="subtle" ml={-8} onClick={() => setShowsDays(true)}>
            {words.card.showDays}
          </Button>
        </Group>
      )}
    </article>
  );
}

function Usage({ apiKey }: { apiKey: ApiKeyFieldsFragment }) {
  const { usedToday, dailyQuota } = apiKey;
  const share = dailyQuota === 0 ? 100 : Math.min(100, (usedToday / dailyQuota) * 100);
  const used = words.card.usage(usedToday, dailyQuota);
  return (
    <div>
      <Group justify="space-between" gap="0 16px" mb={5} fz="sm" className="num">
        <span>{words.card.tokensToday(used)}</span>
        <Text size="sm" c="dimmed">
          {share >= 100 ? words.card.usedUp : words.card.resets}
        </Text>
      </Group>
      <Progress.Root size="sm">
        <Progress.Section
          value={share}
          color={share >= 100 ? 'red' : share >= 80 ? 'yellow' : 'stream'}
          aria-label={words.card.usageOf(apiKey.name)}
          aria-valuetext={used}
        />
      </Progress.Root>
      {share >= 100 ? (
        <Text size="sm" mt={6}>
          {words.card.usedUpNote}
        </Text>
      ) : null}
    </div>
  );
}

function Revoke({ apiKey }: { apiKey: ApiKeyFieldsFragment }) {
  const [asking, setAsking] = useState(false);
  const [revoke] = useMutation(RevokeApiKeyDocument);
  return (
    <>
      <Changes evenIfSuspended>
        <Button size="compact-sm" variant="subtle" color="red" mr={-8} onClick={() => setAsking(true)}>
          {words.card.revoke}
        </Button>
      </Changes>
      <ConfirmDialog
        opened={asking}
        title={words.card.revokeTitle}
        verb={words.card.revoke}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await revoke({ variables: { id: apiKey.id } });
          announce(words.card.revokedNotice(apiKey.name));
        }}
      >
        {words.card.revokeNote(apiKey.name)}
      </ConfirmDialog>
    </>
  );
}
