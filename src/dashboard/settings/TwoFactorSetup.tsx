import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { auth } from '../auth/authClient.js';
import { CopyField } from '../parts/CopyField.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';

export interface Secrets {
  /** For the app, base32. */
  readonly secret: string;
  /** The same as a link that opens the app on a phone. */
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

/** Shown once: the secret for the app, the codes for a lost phone, and a field that proves the app has it. */
export function TwoFactorSetup({ secrets, onDone }: { secrets: Secrets; onDone: () => void }) {
  const [code, setCode] = useState('');
  const { run, busy, error } = useAction(async () => {
    await auth.verifyTotp(code.replaceAll(' ', ''));
    onDone();
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          1. Add a key to your authenticator app by hand and enter this secret, or{' '}
          <Anchor href={secrets.totpURI} inherit>
            open the app on this device
          </Anchor>
          .
        </Text>
        <CopyField label="Secret" value={secrets.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')} wrap />
        <Text size="sm">2. Keep these codes where you find them without your phone. Each signs you in once.</Text>
        <CopyField label="Backup codes" value={secrets.backupCodes.join(' ')} wrap />
        <TextInput
          label="3. The code your app shows now"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <FormError error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            Switch on
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
