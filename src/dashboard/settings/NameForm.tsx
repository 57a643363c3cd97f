import { words } from '#words/settings.js';
import { useApolloClient } from '@apollo/client/react';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { auth } from '../session/authClient.js';
import { ViewerDocument } from '../generated/graphql.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';

const MAX_LENGTH = 100;

/** The name in greetings and, without billing details, on receipts. */
export function NameForm({ name: saved }: { name: string }) {
  const client = useApolloClient();
  const [name, setName] = useState(saved);
  const { run, busy, error } = useAction(async () => {
    await auth.rename(name.trim());
    await client.refetchQueries({ include: [ViewerDocument] });
    setName(name.trim());
    showToast({ kind: 'good', title: words.profile.nameSaved });
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack maw={400} gap="sm">
        <TextInput
          label={words.page.name}
          autoComplete="name"
          required
          withAsterisk={false}
          maxLength={MAX_LENGTH}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FormError error={error} />
        <Group>
          <Button type="submit" variant="default" loading={busy} disabled={name.trim() === '' || name.trim() === saved}>
            {words.profile.saveName}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
