import { words } from '#words/closing.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { session } from '../session/session.js';
import { useViewer } from '../session/viewer.js';
import { DownloadData } from '../parts/DownloadData.js';
import { CurrentPasswordInput } from '../auth/CurrentPasswordInput.js';
import { SecondFactorFirst } from '../auth/SecondFactorFirst.js';
import {
  CloseAccountDocument,
  ClosingConsequencesDocument,
  type ClosingConsequencesQuery,
} from '../generated/graphql.js';
import { microsOf, showCredits } from '../lib/credits.js';
import { showBytes, showDay } from '../lib/format.js';
import { ErrorState, FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import classes from './DangerTab.module.css';
import { SettingsCard, SettingsCards } from './SettingsCards.js';

type Consequences = ClosingConsequencesQuery['closingConsequences'];

/** What cannot be undone. */
export default function DangerTab() {
  return (
    <SettingsCards>
      <SettingsCard title={words.title}>
        <Closing />
      </SettingsCard>
    </SettingsCards>
  );
}

/** What destroys is red, as in the support console. */
const DANGER = 'light-dark(#b42318, #ff9b90)';

/** Closing the account: what it ends, and the proof that its owner wants it. */
function Closing() {
  const [opened, setOpened] = useState(false);
  const [eraseAfter, setEraseAfter] = useState<string>();
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={440}>
          {words.downloadNote}
        </Text>
        <DownloadData />
      </Group>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={440}>
          {words.note}
        </Text>
        <Button variant="default" c={DANGER} onClick={() => setOpened(true)}>
          {words.open}
        </Button>
      </Group>
      <Modal
        opened={opened}
        onClose={() => (eraseAfter ? leave() : setOpened(false))}
        title={eraseAfter ? words.done : words.dialog}
        closeOnClickOutside={false}
        size="lg"
      >
        {eraseAfter ? (
          <Done eraseAfter={eraseAfter} />
        ) : (
          <Close onClosed={setEraseAfter} onCancel={() => setOpened(false)} />
        )}
      </Modal>
    </>
  );
}

/** Loads a new page: nothing of this account may continue under the next one. */
function leave(): void {
  location.assign('/sign-in');
}

function Done({ eraseAfter }: { eraseAfter: string }) {
  return (
    <Stack>
      <Text>{words.doneNote(showDay(eraseAfter))}</Text>
      <Group justify="flex-end">
        <Button onClick={leave}>{words.leave}</Button>
      </Group>
    </Stack>
  );
}

function Close({ onClosed, onCancel }: { onClosed: (eraseAfter: string) => void; onCancel: () => void }) {
  const viewer = useViewer();
  const { data, error, refetch } = useQuery(ClosingConsequencesDocument, { fetchPolicy: 'network-only' });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={200} role="status" aria-busy="true" aria-label={words.loading} />;
  return (
    <Stack>
      <Ends of={data.closingConsequences} />
      <SecondFactorFirst>
        <Proof email={viewer.email} onClosed={onClosed} onCancel={onCancel} />
      </SecondFactorFirst>
    </Stack>
  );
}

function Ends({ of }: { of: Consequences }) {
  return (
    <>
      <Part title={words.atOnce}>
        <li>{words.videos(of.videos, showBytes(of.storedBytes))}</li>
        <li>{words.keys(of.apiKeys)}</li>
        {of.webhookEndpoints > 0 ? <li>{words.webhooks(of.webhookEndpoints)}</li> : null}
        {of.jobs > 0 ? <li>{words.jobs(of.jobs)}</li> : null}
        <li>{words.sessions}</li>
      </Part>
      <Part title={words.balance}>
        {microsOf(of.debt) > 0n ? <li>{words.debt(showCredits(of.debt))}</li> : null}
        <li>{microsOf(of.refund) > 0n ? words.refund(showCredits(of.refund)) : words.noRefund}</li>
        {microsOf(of.lapsing) > 0n ? <li>{words.lapsing(showCredits(of.lapsing))}</li> : null}
      </Part>
      <Part title={words.later}>
        <li>{words.laterNote}</li>
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Title order={3} size="sm">
        {title}
      </Title>
      <ul className={classes['ends']}>{children}</ul>
    </div>
  );
}

function Proof({
  email: address,
  onClosed,
  onCancel,
}: {
  email: string;
  onClosed: (eraseAfter: string) => void;
  onCancel: () => void;
}) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [close] = useMutation(CloseAccountDocument);
  const { run, busy, error } = useAction(async () => {
    const { data } = await close({ variables: { email, password } });
    // The session has ended with the account: nobody should be asked for the password.
    session.leave();
    if (data) onClosed(data.closeAccount.eraseAfter);
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.email(address)}
          autoComplete="off"
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <CurrentPasswordInput label={words.password} value={password} onChange={setPassword} />
        <FormError error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {words.cancel}
          </Button>
          <Button
            type="submit"
            color="red"
            loading={busy}
            disabled={email.trim().toLowerCase() !== address.toLowerCase() || password === ''}
          >
            {words.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
