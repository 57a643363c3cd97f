import { words } from '#words/settings.js';
import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { auth } from '../session/authClient.js';
import { CopyField } from '../parts/CopyField.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';

import { downloadText } from '../lib/downloadText.js';
import { QrCode } from './QrCode.js';

export interface Secrets {
  /** For the app, in base32. */
  readonly secret: string;
  /** The same as a link that opens the app on a phone. */
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

/**
 * Shown once: the secret for the app, the backup codes for a lost phone, and a field that proves that the app has the
 * secret.
 */
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
          {words.twoFactor.scan((text) => (
            <Anchor href={secrets.totpURI} inherit>
              {text}
            </Anchor>
          ))}
        </Text>
        <Group justify="center">
          <QrCode text={secrets.totpURI} label={words.twoFactor.qrCode} />
        </Group>
        <Text size="sm" c="dimmed">
          {words.twoFactor.manual}
        </Text>
        <CopyField label={words.twoFactor.secret} value={secrets.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')} wrap />
        <Text size="sm">{words.twoFactor.keepCodes}</Text>
        <CopyField label={words.twoFactor.backupCodes} value={secrets.backupCodes.join('\n')} list />
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="download" size={15} />}
            onClick={() => downloadText('dhara-backup-codes.txt', backupFile(secrets.backupCodes))}
          >
            {words.twoFactor.download}
          </Button>
        </Group>
        <TextInput
          label={words.twoFactor.code}
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
            {words.twoFactor.turnOn}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function backupFile(codes: readonly string[]): string {
  return [words.twoFactor.backupFile(location.host), '', ...codes, ''].join('\n');
}
