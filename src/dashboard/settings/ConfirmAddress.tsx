import { words } from '#words/settings.js';
import { useApolloClient } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { auth } from '../session/authClient.js';
import { SecondFactorFirst } from '../auth/SecondFactorFirst.js';
import { ViewerDocument } from '../generated/graphql.js';
import { withoutParameter } from '../lib/withoutParameter.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { SettingsCard } from './SettingsCards.js';

const PARAMETER = 'confirm';

/** Where the email to a new address leads. A press confirms it, because programs open links, too. */
export function ConfirmAddress() {
  const client = useApolloClient();
  const [search, setSearch] = useSearchParams();
  const token = search.get(PARAMETER);
  const leave = () => setSearch(withoutParameter(PARAMETER), { replace: true });
  const use = useAction(async () => {
    await auth.confirmAddress(token ?? '');
    await client.refetchQueries({ include: [ViewerDocument] });
    leave();
    showToast({ kind: 'good', title: words.email.changed, message: words.email.changedNote });
  });
  if (token === null) return null;
  return (
    <SettingsCard title={words.email.confirmTitle}>
      <SecondFactorFirst>
        <Stack gap="sm">
          <Text size="sm">{words.email.confirmNote}</Text>
          <FormError error={use.error} />
          <Group gap="xs">
            <Button loading={use.busy} onClick={() => void use.run()}>
              {words.email.confirm}
            </Button>
            <Button variant="subtle" color="gray" onClick={leave}>
              {words.email.keep}
            </Button>
          </Group>
        </Stack>
      </SecondFactorFirst>
    </SettingsCard>
  );
}
