import { words as tokenWords } from '#words/accessTokens.js';
import { words } from '#words/settings.js';
import { Button, Group, Text } from '@mantine/core';
import { signOut } from '../session/signOut.js';
import { useViewer } from '../session/viewer.js';
import { auth } from '../session/authClient.js';
import { SecondFactorFirst } from '../auth/SecondFactorFirst.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { AccessTokens } from './AccessTokens.js';
import { PasswordForm } from './PasswordForm.js';
import { SessionList } from './SessionList.js';
import { SettingsCard, SettingsCards } from './SettingsCards.js';
import { TwoFactor } from './TwoFactor.js';

export default function SecurityTab() {
  const { twoFactorEnabled } = useViewer();
  return (
    <SettingsCards>
      <SettingsCard title={words.page.password}>
        <SecondFactorFirst focuses={false}>
          <PasswordForm />
        </SecondFactorFirst>
      </SettingsCard>
      <SettingsCard title={words.page.twoFactor}>
        <TwoFactor on={twoFactorEnabled} />
      </SettingsCard>
      <SettingsCard title={words.page.sessions}>
        <SessionList />
        <SignOutEverywhere />
      </SettingsCard>
      <SettingsCard title={tokenWords.title}>
        <AccessTokens />
      </SettingsCard>
    </SettingsCards>
  );
}

function SignOutEverywhere() {
  const everywhere = useAction(() => signOut(auth.signOutEverywhere));
  return (
    <>
      <Group gap="xs">
        <Button variant="subtle" color="gray" loading={everywhere.busy} onClick={() => void everywhere.run()}>
          {words.page.signOutEverywhere}
        </Button>
        <Text size="xs" c="dimmed">
          {words.page.signOutNote}
        </Text>
      </Group>
      <FormError error={everywhere.error} />
    </>
  );
}
