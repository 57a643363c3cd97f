import { words as faults } from '#words/testFaults.js';
import { words as all } from '#words/webhooks.js';
import { useMutation } from '@apollo/client/react';
import { Button, Checkbox, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import {
  CreateWebhookEndpointDocument,
  type EventType,
  type TestWebhookFault,
  UpdateWebhookEndpointDocument,
  type WebhookEndpointFieldsFragment,
  WebhookEndpointsDocument,
} from '../generated/graphql.js';
import { SecretDialog, ShownOnce, useNewSecret } from '../parts/ShownOnce.js';
import { FormError } from '../parts/States.js';
import { TestFaultField } from '../parts/TestFaultField.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { EVENT_TYPES } from '../generated/eventTypes.js';
import classes from './Webhooks.module.css';

const words = all.form;

interface Props {
  readonly opened: boolean;
  /** The one to change; a new one if left out. */
  readonly endpoint?: WebhookEndpointFieldsFragment;
  readonly onClose: () => void;
}

export function EndpointDialog({ opened, endpoint, onClose }: Props) {
  const { secret, setSecret, close } = useNewSecret(onClose);
  const title = secret ? all.secret.title : endpoint ? words.editTitle : words.addTitle;
  return (
    <SecretDialog opened={opened} title={title} isShown={!!secret} onClose={close}>
      {secret ? (
        <ShownOnce secret={secret} words={all.secret} onDone={close} />
      ) : (
        <EndpointForm endpoint={endpoint} onCreated={setSecret} onClose={close} />
      )}
    </SecretDialog>
  );
}

interface FormProps {
  readonly endpoint: WebhookEndpointFieldsFragment | undefined;
  readonly onCreated: (secret: string) => void;
  readonly onClose: () => void;
}

function EndpointForm({ endpoint, onCreated, onClose }: FormProps) {
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [isAll, setIsAll] = useState(!endpoint?.eventTypes);
  const [types, setTypes] = useState<string[]>([...(endpoint?.eventTypes ?? [])]);
  const [testFault, setTestFault] = useState<TestWebhookFault | null>(null);
  const [create] = useMutation(CreateWebhookEndpointDocument, { refetchQueries: [WebhookEndpointsDocument] });
  const [update] = useMutation(UpdateWebhookEndpointDocument);
  const { run, busy, error } = useAction(async () => {
    const input = { url: url.trim(), description, eventTypes: isAll ? null : (types as EventType[]) };
    if (endpoint) {
      await update({ variables: { id: endpoint.id, input } });
      showToast({ kind: 'good', title: words.saved });
      onClose();
      return;
    }
    // So that the card says why its webhooks are odd.
    const said = description || (testFault ? faults.webhooks[testFault] : '');
    const { data } = await create({ variables: { ...input, description: said, testFault } });
    if (data) onCreated(data.createWebhookEndpoint.secret);
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.url}
          description={words.urlNote}
          placeholder={words.urlPlaceholder}
          type="url"
          required
          withAsterisk={false}
          maxLength={2000}
          data-autofocus
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <TextInput
          label={words.description}
          maxLength={200}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <Radio.Group
          label={words.which}
          value={isAll ? 'all' : 'some'}
          onChange={(choice) => setIsAll(choice === 'all')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="all" label={words.all} />
            <Radio value="some" label={words.some} />
          </Stack>
        </Radio.Group>
        {isAll ? null : (
          <Checkbox.Group aria-label={words.types} value={types} onChange={setTypes}>
            <div className={classes['types']}>
              {Object.entries(EVENT_TYPES).map(([value, label]) => (
                <Checkbox key={value} value={value} label={label} />
              ))}
            </div>
          </Checkbox.Group>
        )}
        {endpoint ? null : <TestFaultField faults={faults.webhooks} value={testFault} onChange={setTestFault} />}
        <FormError error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={busy}>
            {endpoint ? words.save : words.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
