import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { session } from '../app/session.js';
import { useViewer } from '../app/viewer.js';
import { auth } from '../auth/authClient.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { flushDeletes } from '../videos/pendingDeletes.js';
import { Branding } from './Branding.js';
import { DomainsForm } from './DomainsForm.js';
import { PasswordForm } from './PasswordForm.js';
import { SessionList } from './SessionList.js';
import classes from './SettingsPage.module.css';
import { TwoFactor } from './TwoFactor.js';

export default function SettingsPage() {
  const viewer = useViewer();
  return (
    <>
      <PageHead title="Settings" />
      <Stack gap="lg" maw={720}>
        <SettingsCard title="Account">
          <dl className={classes['facts']}>
            <dt>Name</dt>
            <dd>{viewer.name}</dd>
            <dt>E-mail address</dt>
            <dd>{viewer.email}</dd>
            <dt>Account id</dt>
            <dd className="clip">{viewer.account.id}</dd>
          </dl>
          <SignOut />
        </SettingsCard>
        <SettingsCard title="Branding">
          <Branding />
        </SettingsCard>
        <SettingsCard title="Sites that may play your videos">
          <DomainsForm />
        </SettingsCard>
        <SettingsCard title="Two-factor sign-in">
          <TwoFactor on={viewer.twoFactorEnabled} />
        </SettingsCard>
        <SettingsCard title="Password">
          <PasswordForm />
        </SettingsCard>
        <SettingsCard title="Where you are signed in">
          <SessionList />
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
    // What was deleted a moment ago is still to be sent, and needs the session.
    await flushDeletes();
    await call();
    session.leave();
    // A fresh page: nothing of this account, its running uploads included, may go on under the next one.
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
          Sign out
        </Button>
        <Button variant="subtle" color="gray" loading={everywhere.busy} onClick={() => void everywhere.run()}>
          Sign out everywhere
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        “Sign out everywhere” ends your sessions on all devices and browsers.
      </Text>
      <FormError error={here.error ?? everywhere.error} />
    </Stack>
  );
}
