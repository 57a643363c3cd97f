import { words } from '#words/keys.js';
import { words as faults } from '#words/testFaults.js';
import { useMutation } from '@apollo/client/react';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { ApiKeysDocument, CreateApiKeyDocument, type TestKeyFault } from '../generated/graphql.js';
import { CopyField } from '../parts/CopyField.js';
import { SecretDialog, ShownOnce, useNewSecret } from '../parts/ShownOnce.js';
import { FormError } from '../parts/States.js';
import { TestFaultField } from '../parts/TestFaultField.js';
import { useAction } from '../parts/useAction.js';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ opened, onClose }: Props) {
  const { secret, setSecret, close } = useNewSecret(onClose);
  const title = secret ? words.create.shownTitle : words.create.title;
  return (
    <SecretDialog opened={opened} title={title} isShown={!!secret} onClose={close}>
      {secret ? <Shown apiKey={secret} onDone={close} /> : <NameForm onCreated={setSecret} onCancel={close} />}
    </SecretDialog>
  );
}

function NameForm({ onCreated, onCancel }: { onCreated: (key: string) => void; onCancel: () => void }) {
  const [name, setName] = useState('');
  const [testFault, setTestFault] = useState<TestKeyFault | null>(null);
  const [createKey] = useMutation(CreateApiKeyDocument, { refetchQueries: [ApiKeysDocument] });
  const { run, busy, error } = useAction(async () => {
    const { data } = await createKey({ variables: { name: name.trim(), testFault } });
    if (data) onCreated(data.createApiKey.key);
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.create.name}
          description={words.create.nameNote}
          placeholder={words.create.namePlaceholder}
          required
          withAsterisk={false}
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TestFaultField faults={faults.keys} value={testFault} onChange={setTestFault} />
        <Text size="sm" c="dimmed">
          {words.create.limits}
        </Text>
        <FormError error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {words.create.cancel}
          </Button>
          <Button type="submit" loading={busy}>
            {words.create.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Shown({ apiKey, onDone }: { apiKey: string; onDone: () => void }) {
  const { shownHeading: heading, shownNote: note, key: label, copied } = words.create;
  return (
    <ShownOnce secret={apiKey} words={{ heading, note, label, copied }} onDone={onDone}>
      <Text size="sm" c="dimmed">
        {words.create.tryIt}
      </Text>
      <CopyField
        label={words.create.curl}
        block
        value={`curl ${location.origin}/v1/video \\\n  -H 'x-service-key: ${apiKey}'`}
      />
    </ShownOnce>
  );
}
