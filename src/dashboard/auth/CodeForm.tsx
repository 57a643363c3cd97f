import { words } from '#words/signIn.js';
import { Anchor, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { auth } from '../session/authClient.js';

interface Props {
  readonly onSignedIn: () => void;
  /** Returns to the password; omitted if the user is already signed in. */
  readonly onStartOver?: () => void;
  /** Whether this device can be trusted at the next sign-in. */
  readonly canTrust?: boolean;
  /** Whether it takes the focus when it appears. */
  readonly focuses?: boolean;
}

/** The second step: a code of the authenticator app, or a backup code. */
export function CodeForm({ onSignedIn, onStartOver, canTrust = true, focuses = true }: Props) {
  const [code, setCode] = useState('');
  const [backup, setBackup] = useState(false);
  const [trust, setTrust] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focuses) input.current?.focus();
  }, [focuses]);
  const { run, busy, error, clear } = useAction(async () => {
    await (backup ? auth.verifyBackupCode(code.trim()) : auth.verifyTotp(code.replaceAll(' ', ''), trust));
    onSignedIn();
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  function change(): void {
    setBackup(!backup);
    setCode('');
    clear();
    input.current?.focus();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          {backup ? words.code.backupNote : words.code.appNote}
        </Text>
        <TextInput
          ref={input}
          label={backup ? words.code.backupCode : words.code.code}
          autoComplete="one-time-code"
          inputMode={backup ? 'text' : 'numeric'}
          required
          withAsterisk={false}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {backup || !canTrust ? null : (
          <Checkbox
            label={words.code.trust}
            checked={trust}
            onChange={(event) => setTrust(event.currentTarget.checked)}
          />
        )}
        <FormError error={error} />
        <Button type="submit" loading={busy} fullWidth>
          {words.code.submit}
        </Button>
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={change}>
            {backup ? words.code.byApp : words.code.byBackup}
          </Anchor>
          {onStartOver ? (
            <Anchor component="button" type="button" size="sm" onClick={onStartOver}>
              {words.code.startOver}
            </Anchor>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}
