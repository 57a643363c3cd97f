import { words } from '#words/settings.js';
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { auth } from '../session/authClient.js';
import { CurrentPasswordInput } from '../auth/CurrentPasswordInput.js';
import { SecondFactorFirst } from '../auth/SecondFactorFirst.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';

/** The email address, and how to move to another: the link in the email to that one changes it. */
export function EmailForm({ email: current }: { email: string }) {
  const [isOpen, setOpen] = useState(false);
  const [sentTo, setSentTo] = useState<string>();
  return (
    <Stack gap="sm" maw={400}>
      <div>
        <Text size="sm" fw={600}>
          {words.page.email}
        </Text>
        <Text size="sm" className="clip">
          {current}
        </Text>
      </div>
      {sentTo === undefined ? null : (
        <Alert color="teal" role="status" title={words.email.sent}>
          {words.email.sentNote(sentTo)}
        </Alert>
      )}
      {isOpen ? (
        <SecondFactorFirst>
          <Request
            onSent={(email) => {
              setSentTo(email);
              setOpen(false);
            }}
            onCancel={() => setOpen(false)}
          />
        </SecondFactorFirst>
      ) : (
        <Group>
          <Button
            variant="default"
            onClick={() => {
              setSentTo(undefined);
              setOpen(true);
            }}
          >
            {words.email.change}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function Request({ onSent, onCancel }: { onSent: (email: string) => void; onCancel: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(async () => {
    await auth.requestAddress(email.trim(), password);
    onSent(email.trim());
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit} aria-label={words.email.change}>
      <Stack gap="sm">
        <TextInput
          label={words.email.new}
          type="email"
          autoComplete="email"
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <CurrentPasswordInput label={words.email.password} value={password} onChange={setPassword} />
        <Text size="xs" c="dimmed">
          {words.email.note}
        </Text>
        <FormError error={error} />
        <Group gap="xs">
          <Button type="submit" loading={busy}>
            {words.email.send}
          </Button>
          <Button variant="subtle" color="gray" onClick={onCancel}>
            {words.email.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
