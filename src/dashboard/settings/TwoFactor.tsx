import { words } from '#words/settings.js';
import { useApolloClient } from '@apollo/client/react';
import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { auth } from '../session/authClient.js';
import { CurrentPasswordInput } from '../auth/CurrentPasswordInput.js';
import { SecondFactorFirst } from '../auth/SecondFactorFirst.js';
import { ViewerDocument } from '../generated/graphql.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { TwoFactorSetup, type Secrets } from './TwoFactorSetup.js';

type Step = 'on' | 'off' | undefined;

/** Switches two-factor authentication on and off. */
export function TwoFactor({ on }: { on: boolean }) {
  const client = useApolloClient();
  const [step, setStep] = useState<Step>();
  const [secrets, setSecrets] = useState<Secrets>();

  async function finish(): Promise<void> {
    setStep(undefined);
    setSecrets(undefined);
    await client.refetchQueries({ include: [ViewerDocument] });
  }

  return (
    <>
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} maw={440}>
          <Group gap="xs">
            <Badge color={on ? 'teal' : 'gray'} tt="none">
              {on ? words.twoFactor.on : words.twoFactor.off}
            </Badge>
          </Group>
          <Text size="sm" c="dimmed">
            {words.twoFactor.note}
          </Text>
        </Stack>
        <Button variant={on ? 'default' : 'filled'} onClick={() => setStep(on ? 'off' : 'on')}>
          {on ? words.twoFactor.turnOff : words.twoFactor.turnOn}
        </Button>
      </Group>
      <Modal
        opened={step !== undefined}
        onClose={() => void finish()}
        title={step === 'off' ? words.twoFactor.turnOffTitle : words.twoFactor.turnOnTitle}
        closeOnClickOutside={secrets === undefined}
      >
        {secrets ? (
          <TwoFactorSetup secrets={secrets} onDone={() => void finish()} />
        ) : (
          <SecondFactorFirst>
            <AskPassword
              verb={step === 'off' ? words.twoFactor.turnOff : words.twoFactor.continue}
              onPassword={async (password) => {
                if (step === 'on') return setSecrets(secretsOf(await auth.beginTwoFactor(password)));
                await auth.endTwoFactor(password);
                return finish();
              }}
            />
          </SecondFactorFirst>
        )}
      </Modal>
    </>
  );
}

function secretsOf({ totpURI, backupCodes }: { totpURI: string; backupCodes: readonly string[] }): Secrets {
  return { totpURI, backupCodes, secret: new URL(totpURI).searchParams.get('secret') ?? '' };
}

function AskPassword({ verb, onPassword }: { verb: string; onPassword: (password: string) => Promise<void> }) {
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(() => onPassword(password));

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <CurrentPasswordInput data-autofocus label={words.twoFactor.password} value={password} onChange={setPassword} />
        <FormError error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
