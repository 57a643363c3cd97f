import { words as all } from '#words/webhooks.js';
import { useMutation } from '@apollo/client/react';
import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ReplayWebhookDeliveriesDocument, WebhookDeliveriesDocument } from '../generated/graphql.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';

const words = all.replay;
const HOUR_MS = 3_600_000;

interface Props {
  readonly opened: boolean;
  readonly endpointId: string;
  readonly onClose: () => void;
}

/** Sends the events of a time range to one endpoint again. */
export function ReplayDialog({ opened, endpointId, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={words.title}>
      <ReplayForm endpointId={endpointId} onClose={onClose} />
    </Modal>
  );
}

function ReplayForm({ endpointId, onClose }: Omit<Props, 'opened'>) {
  const [since, setSince] = useState(() => inputTime(new Date(Date.now() - 24 * HOUR_MS)));
  const [until, setUntil] = useState(() => inputTime(new Date(Date.now() + HOUR_MS)));
  const [includeDelivered, setIncludeDelivered] = useState(false);
  const [replay] = useMutation(ReplayWebhookDeliveriesDocument, { refetchQueries: [WebhookDeliveriesDocument] });
  const isRange = new Date(since) < new Date(until);
  const { run, busy, error, clear } = useAction(async () => {
    const range = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
    const { data } = await replay({ variables: { endpointId, ...range, includeDelivered } });
    const count = data?.replayWebhookDeliveries ?? 0;
    showToast({ kind: 'good', title: count === 0 ? words.none : words.sent(count) });
    onClose();
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isRange) void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{words.note}</Text>
        <TextInput
          type="datetime-local"
          label={words.since}
          required
          withAsterisk={false}
          data-autofocus
          value={since}
          onChange={(event) => {
            setSince(event.currentTarget.value);
            clear();
          }}
        />
        <TextInput
          type="datetime-local"
          label={words.until}
          required
          withAsterisk={false}
          error={isRange ? null : words.problem}
          value={until}
          onChange={(event) => {
            setUntil(event.currentTarget.value);
            clear();
          }}
        />
        <Checkbox
          label={words.includeDelivered}
          checked={includeDelivered}
          onChange={(event) => setIncludeDelivered(event.currentTarget.checked)}
        />
        <FormError error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={busy} disabled={!isRange}>
            {words.send}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Local time, as the input takes it: `2026-11-24T09:30`. */
function inputTime(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
