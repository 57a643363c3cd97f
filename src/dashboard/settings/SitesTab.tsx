import { words } from '#words/settings.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Skeleton, Stack, TagsInput, Text } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { AllowedDomainsDocument, SetAllowedDomainsDocument } from '../generated/graphql.js';
import { ErrorState, FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { SettingsCard, SettingsCards } from './SettingsCards.js';

export default function SitesTab() {
  return (
    <SettingsCards>
      <SettingsCard title={words.page.sites}>
        <Domains />
      </SettingsCard>
    </SettingsCards>
  );
}

/** The sites where the owner's videos may play. */
function Domains() {
  const { data, error, refetch } = useQuery(AllowedDomainsDocument);
  const account = data?.viewer?.account;
  if (account) return <Editor stored={account.allowedDomains} />;
  return error ? (
    <ErrorState error={error} onRetry={() => void refetch()} />
  ) : (
    <Skeleton height={64} role="status" aria-busy="true" aria-label={words.sites.loading} />
  );
}

function Editor({ stored }: { stored: readonly string[] }) {
  const [setAllowedDomains] = useMutation(SetAllowedDomainsDocument);
  const [domains, setDomains] = useState<string[]>([...stored]);
  const { run, busy, error } = useAction(async () => {
    const { data } = await setAllowedDomains({ variables: { domains } });
    // Show them as the service has normalized them.
    setDomains([...(data?.setAllowedDomains.allowedDomains ?? domains)]);
    showToast({
      kind: 'good',
      title: domains.length === 0 ? words.sites.every : words.sites.only,
    });
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <TagsInput
          label={words.sites.label}
          description={words.sites.note}
          placeholder={words.sites.placeholder}
          splitChars={[',', ' ']}
          acceptValueOnBlur
          clearable
          clearButtonProps={{ 'aria-label': words.sites.removeAll }}
          value={domains}
          onChange={setDomains}
        />
        <FormError error={error} />
        <Group>
          <Button type="submit" variant="default" loading={busy} disabled={domains.join() === stored.join()}>
            {words.sites.save}
          </Button>
          <Text size="sm" c="dimmed">
            {stored.length === 0 ? words.sites.everyNow : ''}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
