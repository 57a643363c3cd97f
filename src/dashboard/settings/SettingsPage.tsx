import { words as tokenWords } from '#words/accessTokens.js';
import { words as closingWords } from '#words/closing.js';
import { words } from '#words/settings.js';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { session } from '../app/session.js';
import { useViewer } from '../app/viewer.js';
import { auth } from '../auth/authClient.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { AccessTokens } from './AccessTokens.js';
import { Branding } from './Branding.js';
import { DangerZone } from './DangerZone.js';
import { DomainsForm } from './DomainsForm.js';
import { PasswordForm } from './PasswordForm.js';
import { SessionList } from './SessionList.js';
import classes from './SettingsPage.module.css';
import { TwoFactor } from './TwoFactor.js';

export default function SettingsPage() {
  const viewer = useViewer();
  return (
    <>
      <PageHead title={words.page.title} />
      <Stack gap="lg" maw={720}>
        <SettingsCard title={words.page.account}>
          <dl className={classes['facts']}>
            <dt>{words.page.name}</dt>
            <dd>{viewer.name}</dd>
            <dt>{words.page.email}</dt>
            <dd>{viewer.email}</dd>
            <dt>{words.page.accountId}</dt>
            <dd className="clip">{viewer.account.id}</dd>
          </dl>
          <SignOut />
        </SettingsCard>
        <SettingsCard title={words.page.branding}>
          <Branding />
        </SettingsCard>
        <SettingsCard title={words.page.sites}>
          <DomainsForm />
        </SettingsCard>
        <SettingsCard title={words.page.twoFactor}>
          <TwoFactor on={viewer.twoFactorEnabled} />
        </SettingsCard>
        <SettingsCard title={words.page.password}>
          <PasswordForm />
        </SettingsCard>
        <SettingsCard title={tokenWords.title}>
          <AccessTokens />
        </SettingsCard>
        <SettingsCard title={words.page.sessions}>
          <SessionList />
        </SettingsCard>
        <SettingsCard title={closingWords.title}>
          <DangerZone />
        </SettingsCard>
      </Stack>
    </>
  );
}

function SettingsCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={`panel ${classes['card']}`} aria-label={title}>
      <Title order={2}>{title}</Title>
      {children}
    </section>
  );
}

function SignOut() {
  const leave = async (call: () => Promise<unknown>): Promise<void> => {
    await call();
    session.leave();
    // Load a new page: nothing of this account, such as running uploads, may continue under the next one.
    location.assign('/sign-in');
  };
  const here = useAction(() => leave(auth.signOut));
  const everywhere = useAction(() => leave(auth.signOutEverywhere));

  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Button
          variant="default"
          loading={here.busy}
          leftSection={<Icon name="signOut" size={17} />}
          onClick={() => void here.run()}
        >
          {words.page.signOut}
        </Button>
        <Button variant="subtle" color="gray" loading={everywhere.busy} onClick={() => void everywhere.run()}>
          {words.page.signOutEverywhere}
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {words.page.signOutNote}
      </Text>
      <FormError error={here.error ?? everywhere.error} />
    </Stack>
  );
}
