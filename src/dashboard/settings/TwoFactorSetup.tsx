import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { auth } from '../auth/authClient.js';
import { CopyField } from '../parts/CopyField.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';

import { downloadText } from './downloadText.js';
import { QrCode } from './QrCode.js';

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
          1. Scan this with your authenticator app, or{' '}
          <Anchor href={secrets.totpURI} inherit>
            open the app on this device
          </Anchor>
          .
        </Text>
        <Group justify="center">
          <QrCode text={secrets.totpURI} label="QR code with the secret for your authenticator app" />
        </Group>
        <Text size="sm" c="dimmed">
          No camera at hand? Enter this secret by hand:
        </Text>
        <CopyField label="Secret" value={secrets.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')} wrap />
        <Text size="sm">2. Keep these codes where you find them without your phone. Each signs you in once.</Text>
        <CopyField label="Backup codes" value={secrets.backupCodes.join(' ')} wrap />
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="download" size={15} />}
            onClick={() => downloadText('dhara-backup-codes.txt', backupFile(secrets.backupCodes))}
          >
            Download the codes
          </Button>
        </Group>
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

function backupFile(codes: readonly string[]): string {
  return [`Backup codes for ${location.host}. Each signs you in once.`, '', ...codes, ''].join('\n');
}
