import { words } from '#words/keys.js';
import { useMutation } from '@apollo/client/react';
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { ApiKeysDocument, CreateApiKeyDocument } from '../generated/graphql.js';
import { CopyField } from '../parts/CopyField.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ opened, onClose }: Props) {
  const [key, setKey] = useState<string>();

  function close(): void {
    onClose();
    setKey(undefined);
  }

  return (
    <Modal
      opened={opened}
      onClose={close}
      title={key ? words.create.shownTitle : words.create.title}
      size="lg"
      // The key is shown only this once: a misplaced click must not close the dialog.
      closeOnClickOutside={!key}
    >
      {key ? <Shown apiKey={key} onDone={close} /> : <NameForm onCreated={setKey} onCancel={close} />}
    </Modal>
  );
}

function NameForm({ onCreated, onCancel }: { onCreated: (key: string) => void; onCancel: () => void }) {
  const [name, setName] = useState('');
  const [createKey] = useMutation(CreateApiKeyDocument, { refetchQueries: [ApiKeysDocument] });
  const { run, busy, error } = useAction(async () => {
    const { data } = await createKey({ variables: { name: name.trim() } });
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
  return (
    <Stack>
      <Alert color="yellow" title={words.create.shownHeading}>
        {words.create.shownNote}
      </Alert>
      <CopyField label={words.create.key} value={apiKey} />
      <Text size="sm" c="dimmed">
        {words.create.tryIt}
      </Text>
      <CopyField
        label={words.create.curl}
        block
        value={`curl ${location.origin}/v1/video \\\n  -H 'x-service-key: ${apiKey}'`}
      />
      <Group justify="flex-end">
        <Button onClick={onDone}>{words.create.copied}</Button>
      </Group>
    </Stack>
  );
}
